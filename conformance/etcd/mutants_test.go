package etcd

import (
	"testing"

	"dlsim/conformance/mutants"
)

const modelDir = "sim/virtual/etcd/"

// TestMutants has every error below found by the suite. It takes minutes: see make
// conformance-mutants. In an ordinary run only the list is checked.
func TestMutants(t *testing.T) {
	mutants.Kill(t, "./conformance/etcd", []mutants.Mutant{
		{
			Name: "a transaction does not advance the revision", Run: "Sequences", Count: 1000,
			File: modelDir + "txn.go",
			Old:  "	w.end()\n	resp.Header.Revision = w.rev()\n	return resp, nil\n}\n\n// decide",
			New:  "	resp.Header.Revision = w.rev()\n	return resp, nil\n}\n\n// decide",
		},
		{
			Name: "a delete does not advance the revision", Run: "Sequences", Count: 1000,
			File: modelDir + "txn.go",
			Old:  "	resp := w.deleteRequest(r)\n	w.end()\n",
			New:  "	resp := w.deleteRequest(r)\n",
		},
		{
			Name: "a put begins the key anew", Run: "Sequences", Count: 1000,
			File: modelDir + "store.go",
			Old:  "v.created, v.count = prior.created, prior.count+1",
			New:  "v.count = prior.count + 1",
		},
		{
			Name: "a missing key does not compare as zero", Run: "Sequences", Count: 1000,
			File: modelDir + "txn.go",
			Old:  "	if c.Target == pb.Compare_VALUE {\n		return false\n	}\n",
			New:  "	if c.Target != pb.Compare_VERSION {\n		return false\n	}\n",
		},
		{
			Name: "a put with an unknown lease names the wrong error", Run: "Sequences", Count: 1000,
			File: modelDir + "txn.go",
			Old:  "		return rpctypes.ErrGRPCLeaseNotFound\n",
			New:  "		return rpctypes.ErrGRPCKeyNotFound\n",
		},
		{
			Name: "a revoked lease leaves its keys", Run: "Sequences", Count: 1000,
			File: modelDir + "lease.go",
			Old:  "	for _, k := range slices.Clone(l.keys) {",
			New:  "	for _, k := range l.keys[:0] {",
		},
		{
			Name: "a key stays with the lease of its last put", Run: "Sequences", Count: 1000,
			File: modelDir + "store.go",
			Old:  "		w.c.leases.detach(attached, h.key)\n",
			New:  "",
		},
		{
			Name: "a granted id is taken twice", Run: "Sequences", Count: 1000,
			File: modelDir + "lease.go",
			Old:  "	if found {\n		return nil, rpctypes.ErrGRPCLeaseExist\n	}\n",
			New:  "	if found {\n		c.leases.live = slices.Delete(c.leases.live, i, i+1)\n	}\n",
		},
		{
			Name: "an expired lease is revived by a keepalive", Run: "LeasesExpire", Count: 40,
			File: modelDir + "lease.go",
			Old:  "	if l.expired(now) {\n		k.early = resp\n		l.waiting = append(l.waiting, k)\n		return false\n	}\n",
			New:  "",
		},
		{
			Name: "a keepalive of a lease that is gone succeeds", Run: "LeasesExpire", Count: 40,
			File: modelDir + "lease.go",
			Old:  "	if l == nil {\n		c.answer(k, resp, nil)\n",
			New:  "	if l == nil {\n		resp.TTL = c.minTTL\n		c.answer(k, resp, nil)\n",
		},
		{
			Name: "a keepalive does not renew", Run: "LeasesExpire", Count: 40,
			File: modelDir + "lease.go",
			Old:  "	l.expires = due(now, l.ttl, 0)\n	c.leaseChanged(LeaseRenewed",
			New:  "	c.leaseChanged(LeaseRenewed",
		},
		{
			Name: "leases end the moment they expire", Run: "LeasesExpire", Count: 40,
			File: modelDir + "lease.go",
			Old:  "	expiryCheck    = 500 * time.Millisecond\n",
			New:  "	expiryCheck    = time.Millisecond\n",
		},
		{
			Name: "a lease ends without a revision", Run: "LeasesExpire", Count: 40,
			File: modelDir + "lease.go",
			Old:  "		w.deleteRange([]byte(k), nil, key)\n	}\n	w.end()\n",
			New:  "		w.deleteRange([]byte(k), nil, key)\n	}\n",
		},
		{
			Name: "a new leader does not extend leases", Run: "ANewLeader", Count: 16,
			File: modelDir + "lease.go",
			Old:  "l.expires = due(now, l.ttl, c.election)",
			New:  "l.expires = due(now, l.ttl, 0)",
		},
		{
			Name: "a new leader counts leases from their grant", Run: "ANewLeader", Count: 16,
			File: modelDir + "lease.go",
			Old:  "l.expires = due(now, l.ttl, c.election)",
			New:  "l.expires = due(l.granted, l.ttl, c.election)",
		},
	}, "SEED=1")
}
