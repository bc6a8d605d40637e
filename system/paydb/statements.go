package paydb

import _ "embed"

// Schema creates the tables of paydb in an empty database.
//
//go:embed schema.sql
var Schema string

// Payout states.
const (
	Pending       = "PENDING"
	Claimed       = "CLAIMED"
	Posted        = "POSTED"
	RailAmbiguous = "RAIL_AMBIGUOUS"
	Failed        = "FAILED"
	Cancelled     = "CANCELLED"
)

// Submission states. None is the absence of a row, as the proxy reports it.
const (
	None        = "NONE"
	Intent      = "INTENT"
	Accepted    = "ACCEPTED"
	Rejected    = "REJECTED"
	Timeout     = "TIMEOUT"
	NotExecuted = "NOT_EXECUTED"
)

// ClearingAccount is the account that a payout's credit goes to: what the rail owes for it. It has
// no row in table account; its balance is the sum of its entries.
const ClearingAccount = "rail-clearing"

// Every statement of the payout database. The conditions in them are the design; DESIGN 2.3 to
// 2.5 says which is which.
const (
	// OpenAccount creates an account ($1) with its opening balance ($2), unless it exists.
	OpenAccount = `INSERT INTO account (account_id, balance_minor, fence) VALUES ($1, $2, 0)
ON CONFLICT (account_id) DO NOTHING`

	sqlEnter = `INSERT INTO payout (payout_id, account_id, amount_minor, state, fence) VALUES ($1, $2, $3, 'PENDING', 0)
ON CONFLICT (payout_id) DO NOTHING`

	sqlCancel = `UPDATE payout SET state = 'CANCELLED' WHERE payout_id = $1 AND state = 'PENDING'`

	sqlRead = `SELECT account_id, amount_minor, state FROM payout WHERE payout_id = $1`

	// By state and never by a cursor over ids: a late commit must not be stepped over (F31).
	sqlFindWork = `SELECT payout_id, account_id, amount_minor FROM payout
WHERE state IN ('PENDING', 'CLAIMED') ORDER BY payout_id LIMIT 64`

	sqlLockPayout = `SELECT state FROM payout WHERE payout_id = $1 FOR UPDATE`

	// Both entries of a payout: what $2 is debited with, $3 is credited with.
	sqlLedger = `INSERT INTO ledger_entry (payout_id, account_id, direction, amount_minor, token)
VALUES ($1, $2, 'DEBIT', $4, $5), ($1, $3, 'CREDIT', $4, $5)`

	// Check 1 of the admission: one conditional write and no read before it.
	sqlAdvanceMark = `INSERT INTO rail_high_water (account_id, token) VALUES ($1, $2)
ON CONFLICT (account_id) DO UPDATE SET token = EXCLUDED.token WHERE rail_high_water.token < EXCLUDED.token`

	// Checks 2 and 3: the intent, unless the payout has one.
	sqlIntent = `INSERT INTO rail_submission (payout_id, account_id, token, amount_minor, state) VALUES ($1, $2, $3, $4, 'INTENT')
ON CONFLICT (payout_id) DO NOTHING`

	sqlOutcome = `UPDATE rail_submission SET state = $3, rail_reference = $4 WHERE payout_id = $1 AND token = $2 AND state = 'INTENT'`

	sqlSubmission = `SELECT token, state, rail_reference FROM rail_submission WHERE payout_id = $1`

	sqlUnresolved = `SELECT p.payout_id, p.account_id, p.amount_minor, p.state, s.token, s.state, s.rail_reference, COALESCE(s.first_seen_rail_ms, 0)
FROM payout p JOIN rail_submission s ON s.payout_id = p.payout_id
WHERE p.state = 'RAIL_AMBIGUOUS' OR (p.state = 'CLAIMED' AND s.state IN ('INTENT', 'TIMEOUT'))
ORDER BY p.payout_id`

	sqlFirstSeen = `UPDATE rail_submission SET first_seen_rail_ms = $3
WHERE payout_id = $1 AND token = $2 AND state IN ('INTENT', 'TIMEOUT') AND first_seen_rail_ms IS NULL`

	sqlResolveSubmission = `UPDATE rail_submission SET state = $3, rail_reference = $4
WHERE payout_id = $1 AND token = $2 AND state IN ('INTENT', 'TIMEOUT')`
)
