package machine

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

func machine() {
	_, _ = os.ReadFile("x")     // want `os\.ReadFile is not allowed here: the virtual world never touches the machine`
	_ = os.Getenv("x")          // want `os\.Getenv is not allowed here`
	_, _ = net.Dial("tcp", "x") // want `net\.Dial is not allowed here`
	_, _ = net.LookupHost("x")  // want `net\.LookupHost is not allowed here`
	_ = syscall.Getpid()        // want `syscall\.Getpid is not allowed here`
	_ = time.Now()              // want `time\.Now is not allowed here`
}

// Real errors are answered as the real ones.
func refused(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return &net.OpError{Op: "dial", Net: net.JoinHostPort("tcp", "1"), Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}
