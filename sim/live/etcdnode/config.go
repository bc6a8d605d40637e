package etcdnode

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Config describes one node. Zero values are a cluster of one on ports that the kernel picks.
type Config struct {
	// Name is the member's name; "etcd-1" by default.
	Name string
	// Dir is the data directory. It is created, mode 0700, and removed by Stop unless Keep is set.
	Dir string
	// Keep leaves the data in place, so that a node can be started on it again.
	Keep bool

	// ListenPeer and ListenClient are loopback addresses, host:port.
	ListenPeer, ListenClient string
	// AdvertisePeer and AdvertiseClient are what others dial, host:port: a proxy's address or a
	// name that Hosts resolves. They default to the addresses listened on.
	AdvertisePeer, AdvertiseClient string
	// Peers maps the name of every member, this one included, to its AdvertisePeer. Empty is a
	// cluster of one.
	Peers map[string]string
	// Hosts maps host names to IP addresses for this node alone. Only a node in a process of its
	// own may set it: the resolver is the process's.
	Hosts map[string]string

	// Tick is the heartbeat interval, 100 ms by default, in whole milliseconds.
	Tick time.Duration
	// Election is the election time-out, ten ticks by default.
	Election time.Duration
	// NoFsync leaves out the waits for the disk. Kills of the process lose nothing by it.
	NoFsync bool
	// Log is a file for the server's warnings; by default only its last words are told, to stderr.
	Log string
}

func (c Config) withDefaults() Config {
	def := func(s *string, v string) {
		if *s == "" {
			*s = v
		}
	}
	def(&c.Name, "etcd-1")
	def(&c.ListenPeer, "127.0.0.1:0")
	def(&c.ListenClient, "127.0.0.1:0")
	def(&c.AdvertisePeer, c.ListenPeer)
	def(&c.AdvertiseClient, c.ListenClient)
	if c.Tick == 0 {
		c.Tick = 100 * time.Millisecond
	}
	if c.Election == 0 {
		c.Election = 10 * c.Tick
	}
	if len(c.Peers) == 0 {
		c.Peers = map[string]string{c.Name: c.AdvertisePeer}
	}
	return c
}

func (c *Config) check() error {
	if c.Dir == "" {
		return errors.New("etcdnode: no data directory given")
	}
	for _, addr := range []string{c.ListenPeer, c.ListenClient} {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return fmt.Errorf("etcdnode: listen address: %w", err)
		}
		if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
			return fmt.Errorf("etcdnode: %s is not a loopback address", addr)
		}
	}
	if c.Peers[c.Name] != c.AdvertisePeer {
		return fmt.Errorf("etcdnode: Peers says %q of %s, AdvertisePeer %q", c.Peers[c.Name], c.Name, c.AdvertisePeer)
	}
	if c.Tick%time.Millisecond != 0 || c.Election%time.Millisecond != 0 {
		return errors.New("etcdnode: tick and election time-out are whole milliseconds")
	}
	return nil
}

// server translates to the server's own configuration.
func (c *Config) server() *embed.Config {
	e := embed.NewConfig()
	e.Name, e.Dir = c.Name, c.Dir
	at := func(addr string) []url.URL { return []url.URL{{Scheme: "http", Host: addr}} }
	e.ListenPeerUrls, e.ListenClientUrls = at(c.ListenPeer), at(c.ListenClient)
	e.AdvertisePeerUrls, e.AdvertiseClientUrls = at(c.AdvertisePeer), at(c.AdvertiseClient)
	e.InitialCluster = initialCluster(c.Peers)
	e.TickMs, e.ElectionMs = uint(c.Tick/time.Millisecond), uint(c.Election/time.Millisecond)
	e.UnsafeNoFsync = c.NoFsync
	e.EnableGRPCGateway = false
	e.LogLevel = "warn"
	if c.Log != "" {
		e.LogOutputs = []string{c.Log}
	} else {
		e.ZapLoggerBuilder = embed.NewZapLoggerBuilder(lastWords())
	}
	return e
}

// lastWords is a logger for what a server says before it takes the process down.
func lastWords() *zap.Logger {
	return zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(zap.NewProductionEncoderConfig()), zapcore.Lock(os.Stderr), zapcore.DPanicLevel))
}

func initialCluster(peers map[string]string) string {
	var members []string
	for name, addr := range peers {
		members = append(members, name+"=http://"+addr)
	}
	slices.Sort(members)
	return strings.Join(members, ",")
}
