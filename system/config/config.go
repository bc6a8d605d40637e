// Package config holds every setting of the system under test. A scenario file sets them by the
// same names; zero fields are filled by Defaults. It is plain data: no behaviour, no clock.
package config

import "time"

// Config is the whole system's configuration, one section a concern.
type Config struct {
	Topology   Topology   `yaml:"topology" json:"topology"`
	Lock       Lock       `yaml:"lock" json:"lock"`
	Paydb      Paydb      `yaml:"paydb" json:"paydb"`
	Rail       Rail       `yaml:"rail" json:"rail"`
	Executor   Executor   `yaml:"executor" json:"executor"`
	Reconciler Reconciler `yaml:"reconciler" json:"reconciler"`
	Intake     Intake     `yaml:"intake" json:"intake"`
	Operator   Operator   `yaml:"operator" json:"operator"`
}

// Topology counts the processes and stores. Names are made from it: executor-1, proxy-2, etcd-1.
type Topology struct {
	Executors     int  `yaml:"executors" json:"executors"`
	Proxies       int  `yaml:"proxies" json:"proxies"`
	Lockds        int  `yaml:"lockds" json:"lockds"`
	EtcdNodes     int  `yaml:"etcd_nodes" json:"etcd_nodes"`         // used when lock.backend is etcd
	PaydbStandby  bool `yaml:"paydb_standby" json:"paydb_standby"`   // an async standby of paydb
	LockdbStandby bool `yaml:"lockdb_standby" json:"lockdb_standby"` // an async standby of lockdb
}

// Backend names of the lock service.
const (
	BackendEtcd     = "etcd"
	BackendPostgres = "postgres"
)

// Lock configures the lock service and its clients.
type Lock struct {
	Backend string        `yaml:"backend" json:"backend"` // etcd or postgres
	TTL     time.Duration `yaml:"ttl" json:"ttl"`         // lease asked for by executors and the reconciler
	Margin  time.Duration `yaml:"margin" json:"margin"`   // taken off the client's own countdown
	Retry   time.Duration `yaml:"retry" json:"retry"`     // between two tries at a held lock
	Timeout time.Duration `yaml:"timeout" json:"timeout"` // of one request to the lock service
	Backing time.Duration `yaml:"backing" json:"backing"` // deadline of one call to its backend
	Expiry  string        `yaml:"expiry" json:"expiry"`   // whose clock ends a lease: see alternatives.go
	Release string        `yaml:"release" json:"release"` // what a release leaves behind
	Tokens  string        `yaml:"tokens" json:"tokens"`   // where tokens come from
	// LeaseFrom is the moment from which a client counts its lease down.
	LeaseFrom string `yaml:"lease_from" json:"lease_from"`
	// Scope is what an executor's lock is for.
	Scope string `yaml:"scope" json:"scope"`
}

// Paydb configures the clients of the payout database.
type Paydb struct {
	Timeout     time.Duration `yaml:"timeout" json:"timeout"`           // deadline of one transaction
	LockTimeout time.Duration `yaml:"lock_timeout" json:"lock_timeout"` // lock_timeout of its sessions; 0 waits for ever
	Pool        int           `yaml:"pool" json:"pool"`                 // connections a process
	Writes      string        `yaml:"writes" json:"writes"`             // whether writes carry their fence
	Posting     string        `yaml:"posting" json:"posting"`           // how ledger and balance are booked
}

// Rail configures the external rail's stand-in and the proxy before it.
type Rail struct {
	Proxy Proxy `yaml:"proxy" json:"proxy"`
	// Accepts is what the rail itself refuses.
	Accepts string `yaml:"accepts" json:"accepts"`
	// In is where the money is moved.
	In string `yaml:"in" json:"in"`
	// Credential is whether what opens the rail stays the same, or the reconciler has it rotated before
	// it writes a payout off. It is a remedy under study, not the design.
	Credential string `yaml:"credential" json:"credential"`
	// Void has a rail that can take a payment back, and a reconciler that compensates (ADR-004 A4.5).
	Void bool `yaml:"void" json:"void"`
	// Latency is how long the rail takes to move money and answer, when it behaves.
	Latency time.Duration `yaml:"latency" json:"latency"`
	// MaxDelay bounds every misbehaviour: money moves at most this long after the request arrived.
	// It is a term of the horizon (DESIGN 2.5 (b)).
	MaxDelay time.Duration `yaml:"max_delay" json:"max_delay"`
	// StatementDelay is how far a statement's cut-off lies behind the rail's clock.
	StatementDelay time.Duration `yaml:"statement_delay" json:"statement_delay"`
}

// Proxy configures the rail-proxy.
type Proxy struct {
	Fencing Fencing `yaml:"fencing" json:"fencing"`
	// AdmitTimeout bounds the admission transaction, its commit's answer included.
	AdmitTimeout time.Duration `yaml:"admit_timeout" json:"admit_timeout"`
	// ForwardTimeout bounds the one call of the rail.
	ForwardTimeout time.Duration `yaml:"forward_timeout" json:"forward_timeout"`
	// SendWithin is how old an admission may be, by the proxy's own clock, when the rail is called;
	// an older one is rejected unsent. 0 does not look. It is a remedy under study, not the design.
	SendWithin time.Duration `yaml:"send_within" json:"send_within"`
	// Guard is what stands before the forward; the rest says how it is built (alternatives.go).
	Guard     string `yaml:"guard" json:"guard"`
	Checks    string `yaml:"checks" json:"checks"`
	Order     string `yaml:"order" json:"order"`
	Mark      Mark   `yaml:"mark" json:"mark"`
	Admission string `yaml:"admission" json:"admission"`
	Intent    string `yaml:"intent" json:"intent"`
	Retry     string `yaml:"retry" json:"retry"`
}

// Mark says where the highest token is kept, for what, and how a token is compared with it.
type Mark struct {
	Store   string `yaml:"store" json:"store"`
	Scope   string `yaml:"scope" json:"scope"`
	Compare string `yaml:"compare" json:"compare"`
}

// Fencing holds the switch that exists only to demonstrate corruption (ADR-007 D7).
type Fencing struct {
	// Enabled is checks 1 and 2 of the admission.
	Enabled bool `yaml:"enabled" json:"enabled"`
}

// Executor configures the payout workers.
type Executor struct {
	Poll          time.Duration `yaml:"poll" json:"poll"`                     // between two looks for work when there was none
	SubmitTimeout time.Duration `yaml:"submit_timeout" json:"submit_timeout"` // of one request to the proxy
	Routing       string        `yaml:"routing" json:"routing"`               // which proxy a request goes to
	Work          string        `yaml:"work" json:"work"`                     // how payouts to work on are found
	Claim         string        `yaml:"claim" json:"claim"`                   // how one is taken
	Countdown     string        `yaml:"countdown" json:"countdown"`           // whether a holder stops by itself
	GiveBack      string        `yaml:"give_back" json:"give_back"`           // when the lock is released
	Renewal       string        `yaml:"renewal" json:"renewal"`               // when a lease is renewed
	Operation     string        `yaml:"operation" json:"operation"`           // what a payout is
}

// Reconciler configures the process that resolves what nobody else may.
type Reconciler struct {
	Poll    time.Duration `yaml:"poll" json:"poll"`
	Stale   time.Duration `yaml:"stale" json:"stale"`     // how long a row must have looked unresolved before it acts
	Horizon time.Duration `yaml:"horizon" json:"horizon"` // H of DESIGN 2.5
	// Unresolved is how an open submission is brought to an end.
	Unresolved string `yaml:"unresolved" json:"unresolved"`
	// Compensation is how long it asks for a second payment of a payout to be taken back, where the
	// rail can do that.
	Compensation string `yaml:"compensation" json:"compensation"`
}

// Intake configures the payouts' origin.
type Intake struct {
	Retry time.Duration `yaml:"retry" json:"retry"` // between two tries to enter a payout
}

// Operator configures what a person may do.
type Operator struct {
	Cancel string `yaml:"cancel" json:"cancel"` // which payouts may be cancelled
	Door   string `yaml:"door" json:"door"`     // the way by which a person pays by hand
}
