package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"dlsim/sim/live/pgcluster"
)

// Server is one database of a real server, with the sessions that run programs on it. It is used
// by one goroutine.
type Server struct {
	dsn      string
	admin    *conn
	sessions map[string]*conn
	schema   string          // of the program that runs; each has a namespace of its own
	made     map[string]bool // the namespaces that are there
	settings map[string]string
	polled   bool // sessions are not told of their waits
}

// settings of the sessions under test. The server tells its client when a statement has waited for
// deadlock_timeout and found no deadlock, so nobody has to guess when a statement is blocked: with
// log_lock_waits it logs "still waiting", and with client_min_messages it tells the client what it
// logs.
var settings = map[string]string{
	"deadlock_timeout":    "1ms",
	"log_lock_waits":      "on",
	"client_min_messages": "log",
}

// NewServer makes a database of its own in the cluster, called name.
func NewServer(ctx context.Context, c *pgcluster.Cluster, name string) (*Server, error) {
	return newServer(ctx, c, name, settings)
}

func newServer(ctx context.Context, c *pgcluster.Cluster, name string, settings map[string]string) (*Server, error) {
	first, err := dial(ctx, c.SocketDSN(), nil)
	if err != nil {
		return nil, err
	}
	defer first.close()
	if _, err := first.run("create database " + name + " template empty"); err != nil {
		return nil, err
	}
	s := &Server{dsn: strings.ReplaceAll(c.SocketDSN(), "dbname=postgres", "dbname="+name), sessions: map[string]*conn{}, made: map[string]bool{}, settings: settings}
	s.admin, err = dial(ctx, s.dsn, nil)
	return s, err
}

// NewCluster starts a cluster whose databases NewServer can make.
func NewCluster(ctx context.Context, in pgcluster.Install) (*pgcluster.Cluster, error) {
	c, err := pgcluster.Start(ctx, in, pgcluster.Options{Settings: map[string]string{"max_connections": "120"}})
	if err != nil {
		return nil, err
	}
	first, err := dial(ctx, c.SocketDSN(), nil)
	if err != nil {
		c.Close()
		return nil, err
	}
	defer first.close()
	if _, err := first.run("create database empty template postgres"); err != nil {
		// The database that everybody connects to cannot be copied while somebody is connected.
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close ends the sessions.
func (s *Server) Close() {
	for _, c := range s.sessions {
		c.close()
	}
	s.admin.close()
}

// prepare brings the database to a program's beginning.
func (s *Server) prepare(ctx context.Context, p *Program) error {
	path := "set search_path = of_" + p.Schema + "; "
	for name, c := range s.sessions {
		if c.gone || c.busy {
			c.close()
			delete(s.sessions, name)
			continue
		}
		if err := c.send("rollback; reset all; discard sequences; "+path, nil); err != nil {
			return err
		}
	}
	for _, c := range s.sessions {
		if done, err := c.finished(stuck); err != nil || !done {
			return fmt.Errorf("a session does not come to rest: %v", err)
		}
	}
	s.schema = p.Schema
	sql := path
	if !s.made[p.Schema] {
		sql = "create schema of_" + p.Schema + "; " + path + strings.TrimRight(strings.TrimSpace(schemas[p.Schema]), ";") + "; "
		s.made[p.Schema] = true
	} else {
		sql += "truncate " + strings.Join(tables[p.Schema], ", ") + " restart identity; "
	}
	for _, name := range sequences[p.Schema] {
		sql += "select setval('" + name + "', 1, false); "
	}
	if _, err := s.admin.run(sql + strings.Join(p.Seeds, "; ")); err != nil {
		return err
	}
	for _, name := range p.sessions() {
		if _, err := s.session(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) session(ctx context.Context, name string) (*conn, error) {
	c := s.sessions[name]
	if c == nil {
		var err error
		with := maps.Clone(s.settings)
		if s.schema != "" {
			with["search_path"] = "of_" + s.schema
		}
		if c, err = dial(ctx, s.dsn, with); err != nil {
			return nil, err
		}
		s.sessions[name] = c
	}
	return c, nil
}

// Run runs a program. model is what the model did with it: where the model says that a statement
// ended, the server gets time for a lock_timeout before it is said to wait.
func (s *Server) Run(ctx context.Context, p *Program, model *Trace) (*Trace, error) {
	if err := s.prepare(ctx, p); err != nil {
		return nil, err
	}
	t := &Trace{}
	one := func(step Step) error {
		var hint *Outcome
		if model != nil && len(t.Steps) < len(model.Steps) {
			hint = &model.Steps[len(t.Steps)]
		}
		o, err := s.step(ctx, step, hint)
		if err != nil {
			return fmt.Errorf("step %s: %w", step, err)
		}
		t.Steps = append(t.Steps, o)
		return nil
	}
	for _, step := range p.Steps {
		if err := one(step); err != nil {
			return nil, err
		}
	}
	for {
		last, ok := epilogue(t)
		if !ok {
			break
		}
		if err := one(last); err != nil {
			return nil, err
		}
	}
	for _, name := range tables[p.Schema] {
		text, err := s.admin.run("select * from " + name)
		if err != nil {
			return nil, err
		}
		text = text[:strings.LastIndex(text, "SELECT")]
		var rows []string
		for _, row := range strings.Split(text, ") (") {
			if row = strings.Trim(strings.TrimSpace(row), "()"); row != "" {
				rows = append(rows, "("+row+")")
			}
		}
		t.Tables = append(t.Tables, tableLine(name, rows))
	}
	return t, nil
}

func (s *Server) step(ctx context.Context, step Step, hint *Outcome) (Outcome, error) {
	o := newOutcome(step)
	before := s.busy()
	// Those who wait are held, so that those whom this step frees go on one after the other.
	for _, name := range before {
		s.sessions[name].stop()
	}
	if step.Session == "" {
		if err := s.command(ctx, step); err != nil {
			return o, err
		}
	} else {
		c, err := s.session(ctx, step.Session)
		switch {
		case err != nil:
			return o, err
		case c.busy:
			o.Own = "still waits"
		case c.gone:
			before = append(before, step.Session) // its answer is the one it died with
		default:
			before = append(before, step.Session)
			if err := c.send(step.SQL, step.Args); err != nil {
				return o, err
			}
			if err := s.await(c); err != nil {
				return o, err
			}
		}
	}
	waits, err := s.settle()
	if err != nil {
		return o, err
	}
	for waits != nil && hint != nil {
		var name string
		for _, n := range before {
			if _, ended := hint.Done[n]; ended && s.sessions[n].busy {
				name = n
				break
			}
		}
		if name == "" {
			break
		}
		c := s.sessions[name]
		c.resume()
		if done, err := c.finished(patience); err != nil {
			return o, err
		} else if !done {
			break
		}
		if waits, err = s.settle(); err != nil {
			return o, err
		}
	}
	for _, name := range before {
		if c := s.sessions[name]; c != nil && !c.busy {
			o.Done[name] = c.answer
		}
	}
	o.Waits = waits
	return o, nil
}

// await waits until a statement has ended or waits.
func (s *Server) await(c *conn) error {
	if s.polled {
		return s.settlePolled(c)
	}
	return c.settle()
}

func (s *Server) busy() []string {
	var out []string
	for name := 'A'; name <= 'E'; name++ {
		if c := s.sessions[string(name)]; c != nil && c.busy {
			out = append(out, string(name))
		}
	}
	return out
}

// command runs "cancel A", "terminate A", "close A" or "advance 2s".
func (s *Server) command(ctx context.Context, step Step) error {
	verb, who, _ := strings.Cut(step.SQL, " ")
	switch verb {
	case "advance":
		return s.advance(who)
	case "close":
		return s.hangUp(who)
	}
	c, err := s.session(ctx, who)
	if err != nil || c.gone {
		return err
	}
	c.resume()
	pid := strconv.Itoa(int(c.pid))
	switch verb {
	case "cancel":
		if _, err = s.admin.run("select pg_cancel_backend(" + pid + ")"); err != nil || !c.busy {
			return err
		}
		_, err = c.finished(stuck)
		return err
	case "terminate":
		if _, err = s.admin.run("select pg_terminate_backend(" + pid + ")"); err != nil {
			return err
		}
		for end := time.Now().Add(stuck); !c.gone && time.Now().Before(end); {
			if _, err := await([]*conn{c}, time.Second); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("no command %q", step.SQL)
}

// settle lets every session go on that no longer waits, in the order of the names, until all have
// ended or wait. It answers who waits for whom.
func (s *Server) settle() (map[string]string, error) {
	waits := map[string]string{}
	for again := true; again; {
		again = false
		for name := 'A'; name <= 'E'; name++ {
			c := s.sessions[string(name)]
			if c == nil || !c.busy {
				continue
			}
			blockers, err := s.blockers(c)
			if err != nil {
				return nil, err
			}
			if blockers != "" {
				waits[string(name)] = blockers
				continue
			}
			again = true
			delete(waits, string(name))
			c.waiting = false
			c.resume()
			if err := s.await(c); err != nil {
				return nil, err
			}
			if c.busy {
				c.stop()
			}
		}
	}
	// The first pass may have asked before a later one changed the answer.
	for name := range waits {
		blockers, err := s.blockers(s.sessions[name])
		if err != nil {
			return nil, err
		}
		waits[name] = blockers
	}
	return waits, nil
}

// blockers names the sessions that c waits for, "" when it does not wait: the lock manager takes a
// session out of its queue in the very instant in which it grants the lock.
func (s *Server) blockers(c *conn) (string, error) {
	text, err := s.admin.run("select pg_blocking_pids(" + strconv.Itoa(int(c.pid)) + ")")
	if err != nil {
		return "", err
	}
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "({"), "}")
	var names []string
	for _, word := range strings.Split(text, ",") {
		if word == "" {
			continue
		}
		name := "process " + word
		for n, o := range s.sessions {
			if strconv.Itoa(int(o.pid)) == word {
				name = n
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", "), nil
}
