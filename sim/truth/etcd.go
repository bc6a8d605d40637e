package truth

import (
	"strings"

	"dlsim/history"
)

// KeyAct says what happened to a lock's key in etcd.
type KeyAct uint8

// The acts.
const (
	KeyPut     KeyAct = iota + 1 // created, with its lease
	KeyDeleted                   // by a request, or because a client revoked its lease
	KeyExpired                   // its lease ran out and the leader ended it
	KeyRenewed                   // its lease was given its full time again
)

// KeyChange is one change of one key, as the etcd cluster applied it.
type KeyChange struct {
	Store    string // the cluster's name in the history
	Key      string
	Owner    string // the key's value: after a put, before any other act
	Act      KeyAct
	Revision int64 // of the change
	Token    int64 // the revision that created the key
	Prior    int64 // the last token of this key before a put, 0 when there was none or it is not known
	Clock    int64 // the cluster's clock that leases count on, ns
	Expires  int64 // when the lease ends on that clock, for KeyPut and KeyRenewed
}

// AppendKey appends the event of c to dst, if its key is a lock's: one under prefix.
func AppendKey(dst []history.Event, c *KeyChange, prefix string) []history.Event {
	return appendKey(dst, c, prefix, "")
}

// AppendKeyLost is AppendKey for a key that differs because the cluster forgot writes: KeyPut for
// one that is there again as it was, KeyDeleted for one that vanished.
func AppendKeyLost(dst []history.Event, c *KeyChange, prefix string) []history.Event {
	return appendKey(dst, c, prefix, history.Lost)
}

func appendKey(dst []history.Event, c *KeyChange, prefix, note string) []history.Event {
	account, ok := strings.CutPrefix(c.Key, prefix)
	if !ok {
		return dst
	}
	e := history.Event{Process: c.Store, Kind: history.OK, Truth: true, Account: account, Owner: c.Owner,
		Token: c.Token, Tx: c.Revision, Clock: c.Clock, Note: note}
	switch c.Act {
	case KeyPut:
		e.Op, e.PriorToken, e.Expires = history.LockGranted, c.Prior, c.Expires
	case KeyRenewed:
		e.Op, e.Expires = history.LockRenewed, c.Expires
	case KeyExpired:
		e.Op = history.LockExpired
	case KeyDeleted:
		e.Op = history.LockReleased
	default:
		panic("truth: unknown act on a key")
	}
	return append(dst, e)
}

// AppendMark appends the event of a mark that is kept in etcd under prefix: now and before are the
// key's values, 0 where there is or was none.
func AppendMark(dst []history.Event, c *KeyChange, prefix string, now, before int64, lost bool) []history.Event {
	account, ok := strings.CutPrefix(c.Key, prefix)
	if !ok {
		return dst
	}
	e := history.Event{Process: c.Store, Kind: history.OK, Op: history.MarkWritten, Truth: true, Account: account,
		Token: now, PriorToken: before, Tx: c.Revision, Clock: c.Clock}
	if lost {
		e.Note = history.Lost
	} else if now == 0 {
		e.Note = "mark deleted"
	}
	return append(dst, e)
}
