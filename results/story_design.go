package results

// designs says, for each kind of violation, what the full design does at the step that broke the
// rule. A scenario that knows better says so itself (its key "design").
var designs = map[string]string{
	"INV-01": "a grant takes a strictly higher token than any before it, from a store that judges expiry by its own clock and forgets nothing.",
	"INV-02": "the proxy refuses a token that is not above the account's mark, then a payout that has a submission, in the transaction that records the intent.",
	"INV-03": "both ledger rows, the balance and the payout's state are one transaction, fenced by the same token.",
	"INV-04": "only a statement that is complete beyond the horizon writes a payout off, and only a PENDING payout can be cancelled.",
	"INV-05": "every write carries its token and takes effect only above the highest one written, compared where it is stored.",
	"INV-06": "the intent is committed before the rail is called, in a database that loses no acknowledged commit.",
	"INV-07": "only a proxy holds the rail's credential, and it forwards only what it has admitted at the mark.",

	"INV-01/overlapping-grants":        "the lock store alone says when a lease has run out, by its own clock.",
	"INV-01/token-not-increasing":      "tokens come from a counter that outlives its locks, so a later grant has a higher one.",
	"INV-04/stuck":                     "whoever finds a payout unfinished takes it over under a new grant, and the reconciler closes what no executor may.",
	"INV-04/written-off-then-paid":     "the reconciler waits until the rail's own clock has passed the horizon; that covers every way to the money that is no longer than the horizon.",
	"INV-04/paid-then-written-off":     "a payout is written off by a statement that is complete beyond the horizon, and a payment that was made is on it.",
	"INV-04/cancelled-then-paid":       "only a PENDING payout can be cancelled, one that nobody has claimed.",
	"INV-04/paid-then-cancelled":       "a payout that has been claimed cannot be cancelled.",
	"INV-04/posted-without-payment":    "a payout is posted on the rail's word only: its answer, or its statement.",
	"INV-05/equal-token-admitted":      "the token must be strictly above the mark, so one grant has one submission.",
	"INV-05/stale-submission-admitted": "the mark is read and advanced by one conditional write, and the stale token is refused before the rail is called.",
	"INV-05/stale-payout-write":        "the claim takes effect only where the payout's fence is lower, and later writes only where it is the writer's own.",
	"INV-05/stale-account-write":       "the balance is written only where the account's fence is lower.",
	"INV-06/payment-without-intent":    "the intent is committed before the rail is called, and an unknown commit forwards nothing.",
	"INV-06/paid-otherwise":            "the amount goes from the payout's row into the intent and from there into the order, unchanged.",
	"INV-06/intent-vanished":           "nothing deletes a submission, and its database loses no acknowledged commit.",
	"INV-07/unguarded-payment":         "only the proxies hold the rail's credential: there is no second door.",
	"INV-07/unmarked-payment":          "the admission and the mark are one transaction, so nothing is forwarded that the mark has not seen.",
	"INV-07/mark-went-back":            "the mark is advanced by a write that takes effect only upwards.",
	"INV-07/mark-out-of-time":          "the mark is one row in one database, and every admission reads it in the transaction that writes it.",
	"superseded-claim":                 "nothing moves the mark but submissions, so this can happen there too; admission: claim looks at the claim as well.",
	"duplicate-attempted":              "does this too, where a stale first submission was admitted before the newer holder's; admission: claim refuses it.",
	"lease-overrun":                    "a holder counts its lease from before it asked for it.",
	"token-regress":                    "the lock store keeps every counter for ever, and the mark does not depend on it.",
	"refused-while-paydb-up":           "admission needs paydb and nothing else.",
	"illegal-change":                   "every write of a state names the state it may follow.",
	"failed-without-cause":             "a payout is written off only when the rail declined, or when its statement is past the horizon without it.",
	"posted-before-paid":               "a payout is posted only on the rail's own word.",
	"false-answer":                     "an answer that proves nothing is taken for nothing.",
	"waits-for-cycle":                  "locks are taken in the order of their keys.",
	"released-by-another":              "a release names its token, and takes away no other grant.",
	"stale-called-duplicate":           "check 1 comes first, so a stale token is refused as stale and not as a duplicate.",
	"unclaimed-submission":             "a claim that is not known to be done ends the grant: nothing is submitted under it.",
	"forward-cut-short":                "from the admission on the submission is the proxy's own; its caller's leaving changes nothing.",
	"left-open":                        "every call ends by a deadline of its own, and how it ended is recorded before anything else is done.",
	"payment-voided":                   "the second payment is refused before it is made, so that nothing has to be taken back.",
	"double-payment-standing":          "the second payment is refused before it is made; no statement has to show it and no void has to arrive.",
	"payment-vanished":                 "the rail is another process with a book of its own: no rollback and no failover reaches it.",
	"holder-fenced-out":                "one mark guards one rail, so a current holder's token is always above it.",
}

// designFor is the general answer to a violation.
func designFor(v *Verdict) string {
	if text, ok := designs[v.Name()]; ok {
		return text
	}
	return designs[v.ID]
}
