package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"dlsim/sim/live/pgcluster"
)

// scriptSettings are those of sessions that replay a script, in real time and with PostgreSQL's
// own deadlock_timeout. A backend must notice while it waits that its client has gone.
var scriptSettings = map[string]string{"client_connection_check_interval": "10ms"}

// Replayed is what a replay came to.
type Replayed struct {
	Steps int
	// Left says where the replay stopped because a real server has no such command, "" when it went through.
	Left        string
	Differences []string
}

// replay runs one section of a script file on a database of its own called name.
func replay(ctx context.Context, c *pgcluster.Cluster, name string, sec section) (*Replayed, error) {
	s, err := newServer(ctx, c, name, scriptSettings)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	s.polled = true
	for _, sql := range append([]string{sec.ddl}, sec.seeds...) {
		if _, err := s.admin.run(sql); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", sec.file, sec.line, err)
		}
	}
	out := &Replayed{}
	for _, st := range sec.steps {
		verb, rest, _ := strings.Cut(st.step.SQL, " ")
		command := st.step.Session == ""
		if command && slices.Contains(beyond, verb) {
			out.Left = fmt.Sprintf("%s:%d: %s", sec.file, st.line, verb)
			return out, nil
		}
		if command && slices.Contains(inspection, verb) {
			continue
		}
		if len(st.want) > 0 && strings.HasPrefix(st.want[0], "error: ") {
			out.Left = fmt.Sprintf("%s:%d: what the model refuses", sec.file, st.line)
			return out, nil
		}
		var got []string
		switch {
		case command && verb == "status":
			got = []string{string(s.sessions[rest].answer.Status)}
		default:
			o, err := s.step(ctx, st.step, nil)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", sec.file, st.line, err)
			}
			got = o.lines(st.step.Session, false)
		}
		out.Steps++
		if verb == "close" { // nobody is there any more to see how the statement ends
			st.want = slices.DeleteFunc(st.want, func(line string) bool { return strings.HasPrefix(line, rest+" wakes: ") })
		}
		if settled(got) != settled(st.want) {
			out.Differences = append(out.Differences, fmt.Sprintf("%s:%d: %s\n  script: %s\n  server: %s", sec.file, st.line, st.step,
				strings.Join(st.want, "\n          "), strings.Join(got, "\n          ")))
		}
	}
	return out, nil
}

// advance lets real time pass for everybody.
func (s *Server) advance(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	for _, c := range s.sessions {
		c.resume()
	}
	time.Sleep(d)
	return nil
}

// hangUp closes a session's socket and waits until its backend has seen it.
func (s *Server) hangUp(name string) error {
	c := s.sessions[name]
	c.close()
	delete(s.sessions, name)
	for end := time.Now().Add(stuck); time.Now().Before(end); time.Sleep(time.Millisecond) {
		text, err := s.admin.run("select count(*) from pg_stat_activity where pid = " + strconv.Itoa(int(c.pid)))
		if err != nil {
			return err
		}
		if strings.HasPrefix(text, "(0)") {
			return nil
		}
	}
	return fmt.Errorf("the backend of %s stays", name)
}

// settlePolled is settle for sessions that are not told of their waits: a statement waits when the
// server says so twice in a row.
func (s *Server) settlePolled(c *conn) error {
	for end := time.Now().Add(stuck); time.Now().Before(end); {
		seen := 0
		for seen < 2 {
			if _, err := await([]*conn{c}, 3*time.Millisecond); err != nil {
				return err
			}
			if !c.busy {
				return nil
			}
			blockers, err := s.blockers(c)
			if err != nil {
				return err
			}
			if blockers == "" {
				break
			}
			seen++
		}
		if seen == 2 {
			c.waiting = true
			return nil
		}
	}
	return fmt.Errorf("a statement neither ends nor waits after %v", stuck)
}
