package link_test

import (
	"io"
	"net"
	"strconv"
	"testing"

	"dlsim/sim"
	"dlsim/sim/live/link"
)

// benchmarkTrips sends a message there and back.
func benchmarkTrips(b *testing.B, addr string, size int) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	message, answer := make([]byte, size), make([]byte, size)
	b.SetBytes(int64(2 * size))
	for b.Loop() {
		if _, err := c.Write(message); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(c, answer); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	upstream, wait := echo(b)
	defer wait()
	m := link.NewMesh(link.Options{})
	defer m.Close()
	addr, err := m.Pair("a", "b", upstream)
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{200, 64 << 10} {
		b.Run("direct/"+strconv.Itoa(size), func(b *testing.B) { benchmarkTrips(b, upstream, size) })
		b.Run("linked/"+strconv.Itoa(size), func(b *testing.B) { benchmarkTrips(b, addr, size) })
	}
}

func BenchmarkNewConnection(b *testing.B) {
	upstream, wait := echo(b)
	defer wait()
	m := link.NewMesh(link.Options{})
	defer m.Close()
	addr, err := m.Pair("a", "b", upstream)
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range [][2]string{{"direct", upstream}, {"linked", addr}} {
		to := way[1]
		b.Run(way[0], func(b *testing.B) {
			for b.Loop() {
				c, err := net.Dial("tcp", to)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = c.Write([]byte{1})
				if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
					b.Fatal(err)
				}
				c.Close()
			}
		})
	}
}

// BenchmarkSwitch applies a condition to a link and heals it, with connections on it.
func BenchmarkSwitch(b *testing.B) {
	for _, conns := range []int{0, 10, 100} {
		b.Run(strconv.Itoa(conns), func(b *testing.B) {
			upstream, wait := echo(b)
			defer wait()
			m := link.NewMesh(link.Options{})
			defer m.Close()
			addr, err := m.Pair("a", "b", upstream)
			if err != nil {
				b.Fatal(err)
			}
			for range conns {
				c, err := net.Dial("tcp", addr)
				if err != nil {
					b.Fatal(err)
				}
				defer c.Close()
				_, _ = c.Write([]byte{1})
				if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				e, err := m.Apply(sim.Link{From: "a", To: "b"}, sim.LinkCondition{Mode: sim.Hold})
				if err != nil {
					b.Fatal(err)
				}
				e.Heal()
			}
		})
	}
}
