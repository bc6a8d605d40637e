package paydb

// Statements are all statements by name, for those who test a database against them.
func Statements() map[string]string {
	return map[string]string{
		"OpenAccount": OpenAccount, "Enter": sqlEnter, "Cancel": sqlCancel, "Read": sqlRead, "FindWork": sqlFindWork,
		"LockPayout": sqlLockPayout, "Claim": fenced.claim, "Mark": fenced.mark, "Post": fenced.post, "Debit": fenced.debit,
		"Ledger": sqlLedger, "ResolvePayout": fenced.resolve, "ResolveSubmission": sqlResolveSubmission,
		"AdvanceMark": sqlAdvanceMark, "Intent": sqlIntent, "Outcome": sqlOutcome, "Submission": sqlSubmission,
		"Unresolved": sqlUnresolved, "FirstSeen": sqlFirstSeen,
		"SetMark": sqlSetMark, "SetIntent": sqlSetIntent, "AdvanceMarkOrEqual": sqlAdvanceMarkOrEqual,
		"AdvanceMarkAsText": sqlAdvanceMarkAsText, "ReadMark": sqlReadMark, "ClaimHeld": sqlClaimHeld,
		"ClaimUnfenced": unfenced.claim, "MarkUnfenced": unfenced.mark, "PostUnfenced": unfenced.post,
		"DebitUnfenced": unfenced.debit, "ResolveUnfenced": unfenced.resolve, "LedgerOnce": sqlLedgerOnce,
	}
}
