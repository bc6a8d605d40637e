package etcd

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc/status"
)

// A script is a cluster's life, one step a line. Each step shows the answer, or that it waits;
// indented lines under it show what really changed, and answers that came late.
//
//	cluster nodes=3        a new one
//	run                    steps, each "[@node] verb …" (see step)
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var s *script
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "cluster":
				nodes := 1
				d.MaybeScanArgs(t, "nodes", &nodes)
				s = &script{t: t, env: newBench(), ids: map[string]int64{}, names: map[int64]string{}, snaps: map[string]*Snapshot{}}
				s.c = NewCluster(s.env, nodes)
				return fmt.Sprintf("leader=%d rev=%d term=%d\n", s.c.Leader(), s.c.Revision(), s.c.Term())
			case "run":
				s.t = t
				for _, line := range strings.Split(d.Input, "\n") {
					s.line(line)
				}
				out := s.out.String()
				s.out.Reset()
				return out
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		})
	})
}

type script struct {
	t     *testing.T
	env   *bench
	c     *Cluster
	out   strings.Builder
	ids   map[string]int64 // leases by name
	names map[int64]string
	snaps map[string]*Snapshot
	calls int
	late  []string
}

func (s *script) line(line string) {
	s.out.WriteString(line)
	fields := strings.Fields(line)
	node := 0
	if rest, ok := strings.CutPrefix(fields[0], "@"); ok {
		node = int(s.number(rest))
		fields = fields[1:]
	}
	s.env.changes, s.late = s.env.changes[:0], nil
	result := s.step(node, fields[0], fields[1:])
	if result != "" {
		s.out.WriteString(" -> " + result)
	}
	s.out.WriteByte('\n')
	for _, l := range s.late {
		s.out.WriteString("    " + l + "\n")
	}
}

func (s *script) step(node int, verb string, args []string) string {
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	s.env.onChange = func(c Change) { s.late = append(s.late, "* "+s.change(c)) }
	switch verb {
	case "put", "get", "del":
		return s.send(node, s.op(append([]string{verb}, args...)))
	case "txn":
		return s.send(node, s.txn(strings.Join(args, " ")))
	case "compact":
		return s.send(node, &pb.CompactionRequest{Revision: s.number(arg(0))})
	case "grant": // NAME TTL [ID]
		r := &pb.LeaseGrantRequest{TTL: s.number(arg(1))}
		if arg(2) != "" {
			r.ID = s.number(arg(2))
		}
		return s.sendNamed(node, r, arg(0))
	case "revoke":
		return s.send(node, &pb.LeaseRevokeRequest{ID: s.lease(arg(0))})
	case "keepalive":
		return s.send(node, &pb.LeaseKeepAliveRequest{ID: s.lease(arg(0))})
	case "ttl":
		return s.send(node, &pb.LeaseTimeToLiveRequest{ID: s.lease(arg(0)), Keys: arg(1) == "keys"})
	case "leases":
		return s.send(node, &pb.LeaseLeasesRequest{})
	case "advance":
		s.env.advance(s.duration(arg(0)))
		return fmt.Sprintf("at %v", time.Duration(s.env.now))
	case "lag":
		s.env.lags[int(s.number(arg(0)))] = s.duration(arg(1))
		return ""
	case "lose-leader":
		s.c.LoseLeader()
	case "stop":
		s.c.StopNode(int(s.number(arg(0))))
	case "start":
		s.c.StartNode(int(s.number(arg(0))))
	case "cut":
		s.c.SetReachable(int(s.number(arg(0))), false)
	case "join":
		s.c.SetReachable(int(s.number(arg(0))), true)
	case "snapshot":
		s.snaps[arg(0)] = s.c.Snapshot()
		return fmt.Sprintf("rev=%d", s.snaps[arg(0)].Revision())
	case "restore":
		s.c.Restore(s.snaps[arg(0)])
	case "restore-from": // how long ago
		s.c.Restore(s.c.SnapshotAt(s.env.Now() - int64(s.duration(arg(0)))))
	default:
		s.t.Fatalf("unknown step %q", verb)
	}
	return fmt.Sprintf("leader=%d rev=%d term=%d", s.c.Leader(), s.c.Revision(), s.c.Term())
}

func (s *script) send(node int, req any) string { return s.sendNamed(node, req, "") }

// sendNamed shows an answer that comes at once on the step's line, a later one where it comes.
func (s *script) sendNamed(node int, req any, name string) (now string) {
	s.calls++
	id, inTime := s.calls, true
	s.c.Handle(node, req, func(resp any, err error) {
		if g, ok := resp.(*pb.LeaseGrantResponse); ok && name != "" {
			s.ids[name], s.names[g.ID] = g.ID, name
		}
		text := s.response(resp)
		if err != nil {
			st, _ := status.FromError(err)
			text = fmt.Sprintf("%v: %s", st.Code(), st.Message())
		}
		if inTime {
			now = text
			return
		}
		s.late = append(s.late, fmt.Sprintf("answer to #%d at %v: %s", id, time.Duration(s.env.now), text))
	})
	inTime = false
	if now == "" {
		now = fmt.Sprintf("#%d waits", id)
	}
	return now
}

func (s *script) number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *script) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func (s *script) lease(name string) int64 {
	if id, ok := s.ids[name]; ok {
		return id
	}
	return s.number(name)
}

// op parses one operation: its positional words, then settings.
func (s *script) op(words []string) any {
	var at []string
	set := map[string]string{}
	for _, w := range words[1:] {
		if k, v, ok := strings.Cut(w, "="); ok || map[string]bool{
			"prev": true, "keys": true, "count": true, "serializable": true, "ignore-value": true, "ignore-lease": true,
		}[w] {
			set[k] = v
		} else {
			at = append(at, strings.ReplaceAll(w, `\0`, "\x00"))
		}
	}
	has := func(k string) bool { _, ok := set[k]; return ok }
	num := func(k string) int64 {
		if !has(k) {
			return 0
		}
		return s.number(set[k])
	}
	pos := func(i int) []byte {
		if i < len(at) {
			return []byte(at[i])
		}
		return nil
	}
	switch words[0] {
	case "put":
		r := &pb.PutRequest{Key: pos(0), Value: pos(1), PrevKv: has("prev"), IgnoreValue: has("ignore-value"), IgnoreLease: has("ignore-lease")}
		if has("lease") {
			r.Lease = s.lease(set["lease"])
		}
		return r
	case "del":
		return &pb.DeleteRangeRequest{Key: pos(0), RangeEnd: pos(1), PrevKv: has("prev")}
	case "get":
		target, order, _ := strings.Cut(strings.ToUpper(set["sort"]), "/")
		return &pb.RangeRequest{
			Key: pos(0), RangeEnd: pos(1), Revision: num("rev"), Limit: num("limit"),
			CountOnly: has("count"), KeysOnly: has("keys"), Serializable: has("serializable"),
			MinModRevision: num("min-mod"), MaxModRevision: num("max-mod"),
			MinCreateRevision: num("min-create"), MaxCreateRevision: num("max-create"),
			SortTarget: pb.RangeRequest_SortTarget(pb.RangeRequest_SortTarget_value[target]),
			SortOrder:  pb.RangeRequest_SortOrder(pb.RangeRequest_SortOrder_value[order]),
		}
	}
	s.t.Fatalf("unknown operation %q", words[0])
	return nil
}

// txn parses "if target key op value and …  then op ; op  else op ; op".
func (s *script) txn(text string) *pb.TxnRequest {
	r := &pb.TxnRequest{}
	text, failure, _ := strings.Cut(text, "else")
	cond, success, _ := strings.Cut(text, "then")
	cond = strings.TrimSpace(strings.TrimPrefix(cond, "if"))
	for _, one := range strings.Split(cond, " and ") {
		w := strings.Fields(one)
		if len(w) != 4 {
			continue
		}
		c := &pb.Compare{Key: []byte(w[1])}
		if k, end, ok := strings.Cut(w[1], ".."); ok {
			c.Key, c.RangeEnd = []byte(k), []byte(end)
		}
		c.Target = pb.Compare_CompareTarget(pb.Compare_CompareTarget_value[strings.ToUpper(w[0])])
		c.Result = map[string]pb.Compare_CompareResult{"=": pb.Compare_EQUAL, "!=": pb.Compare_NOT_EQUAL, ">": pb.Compare_GREATER, "<": pb.Compare_LESS}[w[2]]
		switch w[0] {
		case "value":
			c.TargetUnion = &pb.Compare_Value{Value: []byte(w[3])}
		case "create":
			c.TargetUnion = &pb.Compare_CreateRevision{CreateRevision: s.number(w[3])}
		case "mod":
			c.TargetUnion = &pb.Compare_ModRevision{ModRevision: s.number(w[3])}
		case "version":
			c.TargetUnion = &pb.Compare_Version{Version: s.number(w[3])}
		case "lease":
			c.TargetUnion = &pb.Compare_Lease{Lease: s.lease(w[3])}
		default:
			s.t.Fatalf("unknown target %q", w[0])
		}
		r.Compare = append(r.Compare, c)
	}
	r.Success, r.Failure = s.ops(success), s.ops(failure)
	return r
}

func (s *script) ops(text string) (ops []*pb.RequestOp) {
	for _, one := range strings.Split(text, ";") {
		w := strings.Fields(one)
		if len(w) == 0 {
			continue
		}
		op := &pb.RequestOp{}
		switch r := s.op(w).(type) {
		case *pb.PutRequest:
			op.Request = &pb.RequestOp_RequestPut{RequestPut: r}
		case *pb.RangeRequest:
			op.Request = &pb.RequestOp_RequestRange{RequestRange: r}
		case *pb.DeleteRangeRequest:
			op.Request = &pb.RequestOp_RequestDeleteRange{RequestDeleteRange: r}
		}
		ops = append(ops, op)
	}
	return ops
}

func (s *script) name(id int64) string {
	if n, ok := s.names[id]; ok {
		return n
	}
	return fmt.Sprint(id)
}

func (s *script) kv(key, value string, create, mod, version, lease int64) string {
	out := fmt.Sprintf("%s=%s(create %d mod %d v%d", key, value, create, mod, version)
	if lease != 0 {
		out += " lease " + s.name(lease)
	}
	return out + ")"
}

func (s *script) kvs(kvs ...*mvccpb.KeyValue) (out string) {
	for _, kv := range kvs {
		if kv != nil {
			out += " " + s.kv(string(kv.Key), string(kv.Value), kv.CreateRevision, kv.ModRevision, kv.Version, kv.Lease)
		}
	}
	return out
}

func (s *script) response(resp any) string {
	switch r := resp.(type) {
	case *pb.RangeResponse:
		out := fmt.Sprintf("rev=%d count=%d", r.Header.Revision, r.Count)
		if r.More {
			out += " more"
		}
		return out + s.kvs(r.Kvs...)
	case *pb.PutResponse:
		return fmt.Sprintf("rev=%d", r.Header.Revision) + s.kvs(r.PrevKv)
	case *pb.DeleteRangeResponse:
		return fmt.Sprintf("rev=%d deleted=%d", r.Header.Revision, r.Deleted) + s.kvs(r.PrevKvs...)
	case *pb.TxnResponse:
		out := fmt.Sprintf("rev=%d succeeded=%v", r.Header.Revision, r.Succeeded)
		for _, o := range r.Responses {
			var in any
			switch o := o.Response.(type) {
			case *pb.ResponseOp_ResponseRange:
				in = o.ResponseRange
			case *pb.ResponseOp_ResponsePut:
				in = o.ResponsePut
			case *pb.ResponseOp_ResponseDeleteRange:
				in = o.ResponseDeleteRange
			}
			out += " [" + s.response(in) + "]"
		}
		return out
	case *pb.CompactionResponse:
		return fmt.Sprintf("rev=%d", r.Header.Revision)
	case *pb.LeaseGrantResponse:
		return fmt.Sprintf("rev=%d ttl=%d", r.Header.Revision, r.TTL)
	case *pb.LeaseRevokeResponse:
		return fmt.Sprintf("rev=%d", r.Header.Revision)
	case *pb.LeaseKeepAliveResponse:
		return fmt.Sprintf("rev=%d ttl=%d", r.Header.Revision, r.TTL)
	case *pb.LeaseTimeToLiveResponse:
		out := fmt.Sprintf("rev=%d ttl=%d granted=%d", r.Header.Revision, r.TTL, r.GrantedTTL)
		for _, k := range r.Keys {
			out += " " + string(k)
		}
		return out
	case *pb.LeaseLeasesResponse:
		out := fmt.Sprintf("rev=%d", r.Header.Revision)
		for _, l := range r.Leases {
			out += " " + s.name(l.ID)
		}
		return out
	}
	return fmt.Sprintf("%T", resp)
}

func (s *script) change(c Change) string {
	out := fmt.Sprintf("%v @%d.%d", c.Why, c.Revision, c.Sub)
	if c.Why.OfKey() {
		if c.Deleted {
			return out + " " + c.Key.Key + " gone, lease " + s.name(c.Lease)
		}
		k := c.Key
		return out + " " + s.kv(k.Key, string(k.Value), k.CreateRevision, k.ModRevision, k.Version, k.Lease)
	}
	if c.Why.OfLease() {
		if c.Why != LeaseGranted { // the name is known only once the grant is answered
			out += " " + s.name(c.Lease)
		}
		out += fmt.Sprintf(" ttl %d", c.TTL)
		if c.Expires != 0 {
			out += fmt.Sprintf(", due at %v", time.Duration(c.Expires-epoch))
		}
	}
	return out
}
