// Package system starts the system under test, one role a process, on whatever host it is given:
// it is what the main function of a real deployment would call.
package system

import (
	"context"
	"fmt"
	"strconv"

	"dlsim/system/config"
	"dlsim/system/executor"
	"dlsim/system/host"
	"dlsim/system/intake"
	"dlsim/system/lock"
	"dlsim/system/operator"
	"dlsim/system/proxy"
	"dlsim/system/rail"
	"dlsim/system/reconciler"
)

// Roles that Run knows. A process is named for its role, with a number where there are several.
const (
	Rail       = "rail"
	Lockd      = "lockd"
	Proxy      = "proxy"
	Intake     = "intake"
	Reconciler = "reconciler"
	Executor   = "executor"
	Operator   = "operator"
)

// Work is what comes from outside the system.
type Work struct {
	// Payouts are what the intake enters. No other role looks at them.
	Payouts []intake.Entry
	// Credential opens the rail. Of the roles only the rail and the proxies are given it (ADR-007 D1).
	Credential rail.Credential
}

// Run starts role on h. A server role has its handler installed when Run returns nil; a working
// role runs until its process ends, and the intake until it has entered everything. An error says
// that the role cannot start.
func Run(h host.Host, role string, cfg config.Config, work Work) error {
	ctx := context.Background()
	lockds := urls(Lockd, cfg.Topology.Lockds)
	proxies := urls(Proxy, cfg.Topology.Proxies)
	switch role {
	case Rail:
		s, err := rail.NewService(h, cfg.Rail, work.Credential)
		if err != nil {
			return err
		}
		return h.Serve(s)
	case Lockd:
		b, err := lock.NewBackend(h, cfg.Lock)
		if err != nil {
			return err
		}
		return h.Serve(lock.NewService(h, cfg.Lock, b))
	case Proxy:
		return h.Serve(proxy.NewService(h, cfg, railURL, work.Credential, lockds))
	case Intake:
		return intake.New(h, cfg, work.Payouts).Run(ctx)
	case Reconciler:
		return reconciler.New(h, cfg, lockds, proxies).Run(ctx)
	case Executor:
		return executor.New(h, cfg, lockds, proxies).Run(ctx)
	case Operator:
		return nil // a person: acts when asked to, see Cancel and PayByHand
	}
	return fmt.Errorf("no role is called %q", role)
}

// Cancel has the operator on h cancel a payout that is still PENDING.
func Cancel(h host.Host, cfg config.Config, payout string) error {
	return newOperator(h, cfg).Cancel(context.Background(), payout)
}

// PayByHand has the operator on h pay a payout by the door that cfg gives a person: through a proxy,
// or directly at the rail with a credential that is handed over for this one act.
func PayByHand(h host.Host, cfg config.Config, payout string, credential rail.Credential) error {
	return newOperator(h, cfg).PayByHand(context.Background(), payout, railURL, credential)
}

func newOperator(h host.Host, cfg config.Config) *operator.Operator {
	return operator.New(h, cfg, urls(Lockd, cfg.Topology.Lockds), urls(Proxy, cfg.Topology.Proxies))
}

const railURL = "http://" + Rail

// urls are the base URLs of the n processes of a role.
func urls(role string, n int) []string {
	u := make([]string, n)
	for i := range u {
		u[i] = "http://" + role + "-" + strconv.Itoa(i+1)
	}
	return u
}
