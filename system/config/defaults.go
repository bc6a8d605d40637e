package config

import "time"

// Defaults is the configuration of the full design. A scenario file is read over it, so a key that
// is not named there keeps the value given here.
func Defaults() Config {
	return Config{
		Topology: Topology{
			Executors: 2,
			Proxies:   2,
			Lockds:    2,
			EtcdNodes: 3,
		},
		Lock: Lock{
			Backend: BackendEtcd,
			TTL:     5 * time.Second,
			Margin:  500 * time.Millisecond,
			Retry:   250 * time.Millisecond,
			Timeout: 2 * time.Second,
			Backing: 1500 * time.Millisecond,

			Expiry: ExpiryStoreClock, Release: ReleaseKeep, Tokens: TokensRow, LeaseFrom: FromSend, Scope: LockAccount,
		},
		Paydb: Paydb{
			Timeout: 2 * time.Second,
			Pool:    4,
			Writes:  WritesFenced,
			Posting: PostingTogether,
		},
		Rail: Rail{
			Proxy: Proxy{
				Fencing:        Fencing{Enabled: true},
				AdmitTimeout:   1500 * time.Millisecond,
				ForwardTimeout: 2 * time.Second,

				Guard: GuardMark, Checks: ChecksBoth, Order: TokenFirst,
				Mark:      Mark{Store: MarkPaydb, Scope: ScopeAccount, Compare: CompareGreater},
				Admission: AdmitConditional, Intent: IntentBefore, Retry: RetryNever,
			},
			Accepts:        AcceptAll,
			In:             RailApart,
			Credential:     CredentialFixed,
			Latency:        50 * time.Millisecond,
			MaxDelay:       10 * time.Second,
			StatementDelay: 5 * time.Second,
		},
		Executor: Executor{
			Poll:          time.Second,
			SubmitTimeout: 4 * time.Second,

			Routing: RouteRandom, Work: WorkByState, Claim: ClaimConditional,
			Countdown: CountdownOn, GiveBack: GiveBackAfter, Renewal: RenewWaning,
			Operation: OperatePayout,
		},
		Reconciler: Reconciler{
			Poll:    2 * time.Second,
			Stale:   5 * time.Second,
			Horizon: 75 * time.Second,

			Unresolved: ByStatement, Compensation: CompensateUntilShown,
		},
		Intake: Intake{
			Retry: 500 * time.Millisecond,
		},
		Operator: Operator{Cancel: CancelPending, Door: DoorProxy},
	}
}
