package rail

import (
	"errors"

	"dlsim/system/config"
)

// acceptance is what a rail refuses by itself, under the book's lock. A payment that it returns
// answers the order instead of a new one.
type acceptance func(b *book, o Order) (*Payment, error)

// errStale: a rail that compares tokens has seen a higher one.
var errStale = errors.New("a token at least as high was accepted before")

func acceptanceOf(setting string) acceptance {
	switch setting {
	case config.AcceptOnce:
		return once
	case config.AcceptByToken:
		return aboveToken
	}
	return everything
}

// everything is the rail of the ADRs: no key, no compare-and-set; whoever asks is paid.
func everything(*book, Order) (*Payment, error) { return nil, nil }

// once takes the memo for an idempotency key (ADR-004 A4.4: the "Don't" row).
func once(b *book, o Order) (*Payment, error) {
	for i := range b.payments {
		if b.payments[i].Memo == o.Memo {
			return &b.payments[i], nil
		}
	}
	return nil, nil
}

// aboveToken refuses a token that is not above the account's highest (ADR-007 7.4: what no rail can
// be asked for).
func aboveToken(b *book, o Order) (*Payment, error) {
	for i := range b.payments {
		if b.payments[i].Account == o.Account && b.payments[i].Token >= o.Token {
			return nil, errStale
		}
	}
	return nil, nil
}

func orNone(p *Payment) *Payment {
	if p == nil {
		return &Payment{}
	}
	return p
}
