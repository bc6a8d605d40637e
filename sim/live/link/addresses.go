package link

import (
	"fmt"
	"net"
	"os"
)

// Ports below 32768 are not given to outgoing connections, by Linux's default.
const (
	claimPort = 19999 // UDP
	firstPort = 20000
	endPort   = 32768
)

// addresses gives out loopback addresses to clients and ports to servers. An address is claimed by
// a UDP socket that nobody talks to, so that no other harness takes it.
type addresses struct {
	hosts  map[string]string
	ports  map[string]int
	tried  int // ports
	claims []net.PacketConn
}

// host is the address of a client, claimed when first asked for. Linux serves the whole of
// 127.0.0.0/8 without being told so; processes start looking in different places.
func (a *addresses) host(client string) (string, error) {
	if h := a.hosts[client]; h != "" {
		return h, nil
	}
	const size = 1 << 22
	start := os.Getpid() * 64
	var last error
	for try := range 1024 {
		n := (start + len(a.claims) + try) % size
		ip := fmt.Sprintf("127.%d.%d.%d", 64+n>>16, n>>8&255, n&255)
		claim, err := net.ListenPacket("udp4", fmt.Sprintf("%s:%d", ip, claimPort))
		if err != nil {
			last = err
			continue
		}
		a.claims = append(a.claims, claim)
		if a.hosts == nil {
			a.hosts = map[string]string{}
		}
		a.hosts[client] = ip
		return ip, nil
	}
	return "", fmt.Errorf("no loopback address for %s: %w", client, last)
}

// port is the port of a server, the same at each client's address. A port at which some process
// listens on all addresses is passed over.
func (a *addresses) port(server string) (int, error) {
	if p, known := a.ports[server]; known {
		return p, nil
	}
	host, err := a.host("") // an address to try ports at
	if err != nil {
		return 0, err
	}
	for p := firstPort + a.tried; p < endPort; p++ {
		a.tried++
		l, err := net.Listen("tcp4", fmt.Sprintf("%s:%d", host, p))
		if err != nil {
			continue
		}
		l.Close()
		if a.ports == nil {
			a.ports = map[string]int{}
		}
		a.ports[server] = p
		return p, nil
	}
	return 0, fmt.Errorf("no port for %s below %d", server, endPort)
}

func (a *addresses) release() {
	for _, c := range a.claims {
		c.Close()
	}
	a.claims = nil
}
