package checker

import (
	"dlsim/history"
)

// index is what one pass over a history leaves for the judges: rows by group, in order, with
// accounts, payouts and requests numbered. Positions count events from 0; -1 is none.
type index struct {
	events []history.Event

	accounts, payouts, requests names

	grants      []grant
	acquires    []call // LockAcquire invocations
	marks       []mark
	submissions []submission
	admits      []call // ProxyAdmit invocations
	sends       []call // PayoutSubmit invocations
	claimings   []call // PayoutClaim invocations
	forwards    []call // RailForward and OperatorPay invocations
	fences      []row  // payout and account rows written, losses left out
	ledger      []entry
	payments    []payment

	account []accountFacts // by account number
	payout  []payoutFacts  // by payout number

	asked    []int32        // by request number: its place in forwards, or -1
	started  []int32        // by position: an invocation's place in its group
	markOf   map[inTx]int32 // the mark written by a transaction
	notes    []int32        // counters and faults, in order
	coverage Coverage

	restarted []string // scratch of cover: processes killed and not seen since
	healed    int32    // position of the last AllHealed, -1
	begun     int32    // position of the last FaultBegun, -1
	ended     int32    // position of WorldEnded, -1
}

type row struct{ at, account, payout int32 }

// call is an invocation and, if there was one, its completion.
type call struct {
	row
	done int32 // position of the completion, -1
	prev int32 // the previous call of this group about the same payout, -1
	used bool  // an admission was ascribed to it
}

type mark struct {
	row
	admission int32 // the submission row of the same transaction, -1
	lost      bool
}

// submission is one version of a rail_submission row.
type submission struct {
	row
	prev      int32 // the previous version of this payout's row, -1
	admission bool  // this version admits: it is not a mere stamp on the row
	lost      bool
	demoted   bool  // committed by a former primary only
	mark      int32 // the mark its transaction advanced, -1
	admit     int32 // the proxy's own record of it, -1
}

type entry struct {
	row
	prev    int32
	present bool
}

type payment struct {
	row
	prev    int32 // the previous payment of the payout, -1
	forward int32 // in forwards, -1
	voided  int32 // the position at which it was taken back, -1
}

type accountFacts struct {
	opening, balance int64
	known            bool  // a row was seen
	balanceAt        int32 // the last write
	posted           int64 // worked out by trueLedger
	lastGrant        int32 // in grants, -1
	lastRelease      int32 // position of the last release asked for, -1
	openRelease      int32 // the same, while nothing says what became of it: it may still arrive
	highest          int64 // token judged so far
	highestAt        int32
	fence            int64 // highest written to the account row
	fenceAt          int32
}

type payoutFacts struct {
	account    int32
	amount     int64
	state      string
	stateAt    int32 // the write that set the state
	created    int32 // the first write
	asked      int32 // what the system was asked for, -1 where the history does not say
	submission int32 // last version, -1
	admit      int32 // last call, -1
	send       int32
	claiming   int32
	entry      int32
	payment    int32 // last one, -1
	paid       int32 // how many
	declined   bool  // the rail said no, or its statement did; worked out by failedWithoutCause
	fence      int64
	fenceAt    int32
}

// inTx names a transaction's write to an account's mark. Two primaries count their transactions
// apart.
type inTx struct {
	tx      int64
	account int32
	demoted bool
}

func (x *index) build(events []history.Event) {
	x.events = events
	x.accounts.reset()
	x.payouts.reset()
	x.requests.reset()
	x.grants, x.acquires, x.marks = x.grants[:0], x.acquires[:0], x.marks[:0]
	x.submissions, x.admits, x.sends = x.submissions[:0], x.admits[:0], x.sends[:0]
	x.claimings = x.claimings[:0]
	x.forwards, x.fences, x.ledger, x.payments = x.forwards[:0], x.fences[:0], x.ledger[:0], x.payments[:0]
	x.account, x.payout, x.asked = x.account[:0], x.payout[:0], x.asked[:0]
	if cap(x.started) < len(events) {
		x.started = make([]int32, len(events)+len(events)/2)
	}
	x.started = x.started[:len(events)]
	if x.markOf == nil {
		x.markOf = map[inTx]int32{}
	}
	clear(x.markOf)
	x.notes = x.notes[:0]
	x.healed, x.begun, x.ended = -1, -1, -1
	x.coverage = Coverage{}

	for i := range events {
		x.add(int32(i), &events[i])
	}
	x.match()
	x.cover()
}

func (x *index) add(at int32, e *history.Event) {
	switch e.Op {
	case history.LockGranted, history.LockRenewed, history.LockReleased, history.LockExpired:
		x.addLock(at, e)
	case history.LockAcquire:
		x.addCall(&x.acquires, at, e)
	case history.LockRelease:
		x.addRelease(at, e)
	case history.ProxyAdmit:
		if n := x.addCall(&x.admits, at, e); n >= 0 {
			x.chain(&x.admits[n], n, func(p *payoutFacts) *int32 { return &p.admit })
		}
	case history.PayoutSubmit:
		if n := x.addCall(&x.sends, at, e); n >= 0 {
			x.chain(&x.sends[n], n, func(p *payoutFacts) *int32 { return &p.send })
		}
	case history.PayoutClaim:
		if n := x.addCall(&x.claimings, at, e); n >= 0 {
			x.chain(&x.claimings[n], n, func(p *payoutFacts) *int32 { return &p.claiming })
		}
	case history.RailForward, history.OperatorPay:
		if n := x.addCall(&x.forwards, at, e); n >= 0 {
			if r := x.request(e.Request); r >= 0 && x.asked[r] < 0 {
				x.asked[r] = n
			}
		}
	case history.MarkWritten:
		r := x.row(at, e)
		if lost := e.Note == history.Lost; !lost {
			x.markOf[inTx{e.Tx, r.account, e.Demoted()}] = int32(len(x.marks))
			x.marks = append(x.marks, mark{r, -1, false})
		} else {
			x.marks = append(x.marks, mark{r, -1, true})
		}
	case history.SubmissionWritten:
		r := x.row(at, e)
		if r.payout >= 0 {
			p := &x.payout[r.payout]
			x.submissions = append(x.submissions, submission{row: r, prev: p.submission, lost: e.Note == history.Lost, demoted: e.Demoted(), mark: -1, admit: -1})
			p.submission = int32(len(x.submissions) - 1)
		}
	case history.PayoutWritten:
		x.addPayoutRow(at, e)
	case history.AccountWritten:
		x.addAccountRow(at, e)
	case history.LedgerWritten:
		if !e.Demoted() {
			x.addEntry(at, e)
		}
	case history.RailPaid:
		r := x.row(at, e)
		if e.Note == history.Lost {
			x.notes = append(x.notes, at) // a payment that its store forgot
			return
		}
		if e.Note == history.Recovered && x.booked(r.payout, e.Reference) != nil {
			return
		}
		m := payment{row: r, prev: -1, forward: -1, voided: -1}
		if r.payout >= 0 {
			p := &x.payout[r.payout]
			m.prev, p.payment = p.payment, int32(len(x.payments))
			p.paid++
		}
		x.payments = append(x.payments, m)
	case history.RailVoided:
		if m := x.booked(x.row(at, e).payout, e.Reference); m != nil && m.voided < 0 {
			m.voided = at
		}
	case history.FencedOut, history.DuplicateAttempted, history.PaydbUnavailable, history.LeaseRanOut,
		history.PayoutAmbiguous, history.FaultEnded:
		x.notes = append(x.notes, at)
	case history.FaultBegun:
		x.begun = at
		x.notes = append(x.notes, at)
	case history.PayoutDue:
		if r := x.row(at, e); r.payout >= 0 {
			x.payout[r.payout].asked = at
		}
	case history.AllHealed:
		x.healed = at
	case history.WorldEnded:
		x.ended = at
	}
}

// row numbers an event's account and payout.
func (x *index) row(at int32, e *history.Event) row {
	r := row{at, x.accounts.number(e.Account), x.payouts.number(e.Payout)}
	if int(r.account) == len(x.account) {
		x.account = append(x.account, accountFacts{balanceAt: -1, lastGrant: -1, lastRelease: -1, openRelease: -1, highestAt: -1, fenceAt: -1})
	}
	if int(r.payout) == len(x.payout) {
		x.payout = append(x.payout, payoutFacts{account: -1, stateAt: -1, created: -1, asked: -1, submission: -1, admit: -1,
			send: -1, claiming: -1, entry: -1, payment: -1, fenceAt: -1})
	}
	if r.payout >= 0 && r.account >= 0 && x.payout[r.payout].account < 0 && e.Op != history.LedgerWritten {
		x.payout[r.payout].account = r.account
	}
	return r
}

func (x *index) request(id string) int32 {
	r := x.requests.number(id)
	if int(r) == len(x.asked) {
		x.asked = append(x.asked, -1)
	}
	return r
}

// addCall opens a call and returns its place, or completes one and returns -1.
func (x *index) addCall(group *[]call, at int32, e *history.Event) int32 {
	if e.Kind == history.Invoke {
		n := int32(len(*group))
		*group = append(*group, call{row: x.row(at, e), done: -1, prev: -1})
		x.started[at] = n
		return n
	}
	if begun := x.position(e.Call); begun >= 0 && begun < at && x.events[begun].Op == e.Op && x.events[begun].Kind == history.Invoke {
		(*group)[x.started[begun]].done = at
	}
	return -1
}

func (x *index) chain(c *call, n int32, last func(*payoutFacts) *int32) {
	if c.payout >= 0 {
		l := last(&x.payout[c.payout])
		c.prev, *l = *l, n
	}
}

// position is where the event with this id stands, or -1.
func (x *index) position(id int64) int32 {
	if len(x.events) == 0 {
		return -1
	}
	if at := id - x.events[0].ID; id != 0 && at >= 0 && at < int64(len(x.events)) {
		return int32(at)
	}
	return -1
}

// booked finds the payment with this reference, nil where none was told yet.
func (x *index) booked(payout int32, reference string) *payment {
	if payout < 0 || reference == "" {
		return nil
	}
	for n := x.payout[payout].payment; n >= 0; n = x.payments[n].prev {
		if m := &x.payments[n]; x.events[m.at].Reference == reference {
			return m
		}
	}
	return nil
}

// standing counts the payments of a payout that were not taken back.
func (x *index) standing(p *payoutFacts) (n int) {
	for m := p.payment; m >= 0; m = x.payments[m].prev {
		if x.payments[m].voided < 0 {
			n++
		}
	}
	return n
}

func (x *index) addPayoutRow(at int32, e *history.Event) {
	r := x.row(at, e)
	if r.payout < 0 {
		return
	}
	p := &x.payout[r.payout]
	if r.account >= 0 {
		p.account = r.account
	}
	switch {
	case e.Demoted():
		if p.stateAt < 0 {
			p.stateAt = at // taken in, but by nobody who still serves
		}
	case e.State != p.state || p.stateAt < 0:
		p.state, p.stateAt = e.State, at
	}
	if p.created < 0 {
		p.created = at
	}
	if e.State != "" {
		p.amount = e.Amount
	}
	if e.Note != history.Lost {
		x.fences = append(x.fences, r)
	}
}

func (x *index) addAccountRow(at int32, e *history.Event) {
	r := x.row(at, e)
	if r.account < 0 {
		return
	}
	a := &x.account[r.account]
	if !a.known {
		// The first write is the row's insert, which holds the opening balance, or, in a history
		// that begins later, an update, which replaces it.
		a.known, a.opening = true, e.PriorMoney
		if e.PriorMoney == 0 && e.Token == 0 && e.PriorToken == 0 {
			a.opening = e.Amount
		}
	}
	if !e.Demoted() {
		a.balance, a.balanceAt = e.Amount, at
	}
	if e.Note != history.Lost {
		x.fences = append(x.fences, row{at, r.account, -1})
	}
}

func (x *index) addEntry(at int32, e *history.Event) {
	r := x.row(at, e)
	if r.payout < 0 {
		return
	}
	p := &x.payout[r.payout]
	gone := e.Note == history.Lost || e.Note == "deleted" || e.State == ""
	for n := p.entry; n >= 0; n = x.ledger[n].prev {
		l := &x.ledger[n]
		if was := &x.events[l.at]; l.account == r.account && (was.State == e.State || e.State == "") {
			if gone {
				// Entries only come and go: one that the store forgot of, in either direction, is
				// what it was not.
				l.present = !l.present
			} else {
				l.present, l.at = true, at
			}
			return
		}
	}
	if !gone {
		x.ledger = append(x.ledger, entry{r, p.entry, true})
		p.entry = int32(len(x.ledger) - 1)
	}
}
