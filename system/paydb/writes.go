package paydb

import "dlsim/system/config"

// writes are the statements by which holders of a lock write to payouts and accounts. Their
// conditions are the fence at paydb (ADR-004 A4.2, point 1).
type writes struct {
	claim, mark, post, debit, resolve string
}

// fenced is the design: claim and resolution need a token above the row's, everything after a claim
// the claim's own token, and an account a token above the last that booked.
var fenced = writes{
	claim: `UPDATE payout SET state = 'CLAIMED', fence = $2
WHERE payout_id = $1 AND fence < $2 AND state IN ('PENDING', 'CLAIMED')`,
	mark:  `UPDATE payout SET state = $3 WHERE payout_id = $1 AND fence = $2 AND state = 'CLAIMED'`,
	post:  `UPDATE payout SET state = 'POSTED' WHERE payout_id = $1 AND fence = $2 AND state = 'CLAIMED'`,
	debit: `UPDATE account SET balance_minor = balance_minor - $2, fence = $3 WHERE account_id = $1 AND fence < $3`,
	resolve: `UPDATE payout SET state = $3, fence = $2
WHERE payout_id = $1 AND fence < $2 AND state IN ('CLAIMED', 'RAIL_AMBIGUOUS')`,
}

// unfenced is the same without the tokens: states alone are compared, and whoever comes last has
// written.
var unfenced = writes{
	claim:   `UPDATE payout SET state = 'CLAIMED', fence = $2 WHERE payout_id = $1 AND state IN ('PENDING', 'CLAIMED')`,
	mark:    `UPDATE payout SET state = $3, fence = $2 WHERE payout_id = $1 AND state = 'CLAIMED'`,
	post:    `UPDATE payout SET state = 'POSTED', fence = $2 WHERE payout_id = $1 AND state = 'CLAIMED'`,
	debit:   `UPDATE account SET balance_minor = balance_minor - $2, fence = $3 WHERE account_id = $1`,
	resolve: `UPDATE payout SET state = $3, fence = $2 WHERE payout_id = $1 AND state IN ('CLAIMED', 'RAIL_AMBIGUOUS')`,
}

func writesOf(name string) *writes {
	if name == config.WritesUnfenced {
		return &unfenced
	}
	return &fenced
}
