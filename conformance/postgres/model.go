package postgres

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"dlsim/sim/virtual/postgres"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// model runs programs on the model under a clock that it moves itself. It implements postgres.Env.
type model struct {
	now      int64
	timers   []*timer
	sessions map[string]*task
	byID     map[*postgres.Session]*task
	srv      *postgres.Server
	folded   map[string][]string // rows by table, from what Committed was told
	commits  []*postgres.Commit
	onFlush  func(*postgres.Session) // what happens while a commit is on its way to disk
}

type timer struct {
	at        int64
	f         func()
	cancelled bool
}

// task is one session and the coroutine of its statement.
type task struct {
	name    string
	session *postgres.Session
	resume  func() (struct{}, bool)
	yield   func(struct{}) bool
	ready   bool
	busy    bool
	answer  Answer
}

// deadlockTimeout is both sides'. The server's timer starts with each wait; the model's clock is
// moved past it after each wait that began.
const deadlockTimeout = time.Millisecond

// patience is the longest lock_timeout that a run waits for.
const patience = 200 * time.Millisecond

func emptyModel(opts postgres.Options) *model {
	m := &model{
		now:      time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano(),
		sessions: map[string]*task{}, byID: map[*postgres.Session]*task{}, folded: map[string][]string{},
	}
	opts.DeadlockTimeout = deadlockTimeout
	m.srv = postgres.NewServer(m, opts)
	return m
}

func newModel(catalog *postgres.Catalog, p *Program) (*model, error) {
	m := emptyModel(postgres.Options{Catalog: catalog})
	if err := m.srv.Script(schemas[p.Schema]); err != nil {
		return nil, err
	}
	seed := m.task("seed")
	for _, sql := range p.Seeds {
		m.start(seed, Step{SQL: sql})
		if seed.busy || !strings.HasPrefix(seed.answer.Text, "INSERT") {
			return nil, fmt.Errorf("seed %s: %s", sql, seed.answer.Text)
		}
	}
	seed.session.Close()
	delete(m.sessions, "seed")
	return m, nil
}

// runModel runs a program and the epilogue that ends its transactions. It panics as the model does.
func runModel(catalog *postgres.Catalog, p *Program) (*Trace, error) {
	m, err := newModel(catalog, p)
	if err != nil {
		return nil, err
	}
	t := &Trace{}
	for _, step := range p.Steps {
		o, err := m.step(step)
		if err != nil {
			return nil, err
		}
		t.Steps = append(t.Steps, o)
	}
	for {
		last, ok := epilogue(t)
		if !ok {
			break
		}
		o, err := m.step(last)
		if err != nil {
			return nil, err
		}
		t.Steps = append(t.Steps, o)
	}
	for _, name := range tables[p.Schema] {
		rows := []string{}
		for _, row := range m.srv.Table(name).Rows() {
			rows = append(rows, formatRow(row))
		}
		t.Tables = append(t.Tables, tableLine(name, rows))
		if told := tableLine(name, m.folded[name]); told != t.Tables[len(t.Tables)-1] {
			return nil, fmt.Errorf("the model's commits tell another table than it has\n  commits: %s\n  rows:    %s", told, t.Tables[len(t.Tables)-1])
		}
	}
	return t, nil
}

func tableLine(name string, rows []string) string {
	rows = slices.Clone(rows)
	slices.Sort(rows)
	return mask(name + ": " + strings.Join(rows, " "))
}

// epilogue is the next step that brings a program's sessions to rest: whoever is in a transaction
// rolls back, and one of those who only wait for each other is cancelled.
func epilogue(t *Trace) (Step, bool) {
	if len(t.Steps) == 0 {
		return Step{}, false
	}
	status := map[string]byte{}
	for _, o := range t.Steps {
		for name, a := range o.Done {
			status[name] = a.Status
		}
	}
	waits := t.Steps[len(t.Steps)-1].Waits
	waiter := ""
	for name := 'A'; name <= 'E'; name++ {
		n := string(name)
		if _, w := waits[n]; w {
			if waiter == "" {
				waiter = n
			}
		} else if s := status[n]; s == 'T' || s == 'E' {
			return Step{Session: n, SQL: "rollback"}, true
		}
	}
	return Step{SQL: "cancel " + waiter}, waiter != ""
}

func (m *model) task(name string) *task {
	t := m.sessions[name]
	if t == nil {
		s, err := m.srv.Connect()
		if err != nil {
			panic(err)
		}
		t = &task{name: name, session: s}
		m.sessions[name], m.byID[s] = t, t
	}
	return t
}

func (m *model) step(step Step) (Outcome, error) {
	m.now += int64(time.Millisecond)
	o := newOutcome(step)
	before := map[string]bool{}
	for name, t := range m.sessions {
		before[name] = t.busy
	}
	verb, who, _ := strings.Cut(step.SQL, " ")
	switch {
	case step.Session == "" && verb == "cancel":
		m.task(who).session.CancelQuery()
	case step.Session == "" && verb == "terminate":
		m.task(who).session.Terminate()
	case step.Session == "":
		return o, fmt.Errorf("no command %q", step.SQL)
	case m.task(step.Session).busy:
		o.Own = "still waits"
	default:
		before[step.Session] = true
		m.start(m.task(step.Session), step)
	}
	m.settle()
	for {
		next := m.timeout()
		if next == nil {
			break
		}
		m.fire(next)
		m.settle()
	}
	for name, t := range m.sessions {
		switch waiting, by := t.session.Waiting(); {
		case before[name] && !t.busy:
			o.Done[name] = t.answer
		case waiting:
			o.Waits[name] = m.names(by)
		case t.busy:
			return o, fmt.Errorf("step %s: session %s of the model is neither done nor waits", step, name)
		}
	}
	return o, nil
}

func (m *model) names(sessions []*postgres.Session) string {
	var out []string
	for _, s := range sessions {
		if n := m.byID[s].name; !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// start begins a statement and runs it until it ends or waits.
func (m *model) start(t *task, step Step) {
	args, err := step.values()
	if err != nil {
		panic(err)
	}
	t.busy = true
	t.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		res, err := t.session.Exec(step.SQL, args)
		t.answer = Answer{Text: mask(formatResult(res, err)), Status: t.session.TxStatus()}
		if t.session.Dead() {
			t.answer.Status = 0
		}
		t.busy = false
	})
	m.run(t)
}

// run lets a task go on until its statement ends or waits with its deadlock check behind it.
func (m *model) run(t *task) {
	for again := true; again; {
		t.ready = false
		t.resume()
		if t.busy {
			m.pass(deadlockTimeout)
		}
		again = t.busy && t.ready
	}
}

// settle runs whoever was woken, in the order of the names, as the server's side does.
func (m *model) settle() {
	for again := true; again; {
		again = false
		for name := 'A'; name <= 'E'; name++ {
			if t := m.sessions[string(name)]; t != nil && t.busy && t.ready {
				m.run(t)
				again = true
			}
		}
	}
}

// pass moves the clock by d and runs the timers that fall due.
func (m *model) pass(d time.Duration) {
	until := m.now + int64(d)
	for {
		next := m.next()
		if next == nil || next.at > until {
			m.now = until
			return
		}
		m.fire(next)
	}
}

func (m *model) next() *timer {
	var next *timer
	m.timers = slices.DeleteFunc(m.timers, func(t *timer) bool { return t.cancelled })
	for _, t := range m.timers {
		if next == nil || t.at < next.at {
			next = t
		}
	}
	return next
}

// timeout is the next timer that a run waits for: some session's lock_timeout.
func (m *model) timeout() *timer {
	if t := m.next(); t != nil && t.at <= m.now+int64(patience) {
		return t
	}
	return nil
}

func (m *model) fire(t *timer) {
	m.now = max(m.now, t.at)
	t.cancelled = true
	t.f()
}

// Now implements postgres.Env, as do the methods below.
func (m *model) Now() int64 { return m.now }

// Wait parks the session's task.
func (m *model) Wait(s *postgres.Session) { m.byID[s].yield(struct{}{}) }

// Wake marks the session's task runnable.
func (m *model) Wake(s *postgres.Session) { m.byID[s].ready = true }

// After sets a timer.
func (m *model) After(d time.Duration, f func()) func() {
	t := &timer{at: m.now + int64(d), f: f}
	m.timers = append(m.timers, t)
	return func() { t.cancelled = true }
}

// Flush is instant.
func (m *model) Flush(s *postgres.Session) {
	if m.onFlush != nil {
		m.onFlush(s)
	}
}

// Committed keeps tables of its own from what each commit is said to have done.
func (m *model) Committed(c *postgres.Commit) {
	m.commits = append(m.commits, c)
	for _, r := range c.Rows {
		rows := m.folded[r.Table]
		if r.Old != nil {
			i := slices.Index(rows, formatRow(r.Old))
			if i < 0 {
				panic("a commit replaces a row that is not there: " + formatRow(r.Old))
			}
			rows = slices.Delete(rows, i, i+1)
		}
		if r.New != nil {
			rows = append(rows, formatRow(r.New))
		}
		m.folded[r.Table] = rows
	}
}

func formatResult(res *postgres.Result, err error) string {
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &pe):
		return pe.Severity + " " + pe.Code + ": " + pe.Message
	case err != nil:
		return "no answer: " + err.Error()
	}
	var b strings.Builder
	for _, row := range res.Rows {
		b.WriteString(formatRow(row) + " ")
	}
	return b.String() + res.Tag.String()
}

func formatRow(row []any) string {
	parts := make([]string, len(row))
	for i, v := range row {
		switch v := v.(type) {
		case nil:
			parts[i] = "null"
		case string:
			parts[i] = v
		case int64:
			parts[i] = strconv.FormatInt(v, 10)
		case int32:
			parts[i] = strconv.FormatInt(int64(v), 10)
		case bool:
			parts[i] = strconv.FormatBool(v)[:1]
		case time.Time:
			text := strings.TrimRight(v.Format("2006-01-02 15:04:05.000000"), "0")
			parts[i] = strings.TrimSuffix(text, ".") + "+00"
		case pgtype.Numeric:
			text, err := v.Value()
			if err != nil {
				panic(err)
			}
			parts[i] = text.(string)
		default:
			panic(fmt.Sprintf("no text for %T", v))
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
