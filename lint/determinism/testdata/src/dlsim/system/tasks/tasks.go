package tasks

type stop struct {
	c chan struct{} // want `channel type is not allowed here`
}

func tasks(c chan int, s stop, ctx interface{ Done() <-chan struct{} }) { // want `channel type is not allowed here` `channel type is not allowed here`
	go func() {}() // want `go statement is not allowed here: start tasks with the host's Go`
	c <- 1         // want `channel send is not allowed here`
	<-c            // want `channel receive is not allowed here`
	select {       // want `select is not allowed here`
	case <-ctx.Done(): // want `channel receive is not allowed here`
	default:
	}
	for range c { // want `range over a channel is not allowed here`
	}
	close(s.c)         // want `closing a channel is not allowed here`
	_ = make(chan int) // want `channel type is not allowed here`
}

// The exemption for contexts is the virtual world's, not the system's.
func (s stop) Done() <-chan struct{} { // want `channel type is not allowed here`
	close(s.c) // want `closing a channel is not allowed here`
	return s.c
}

type file struct{}

func (file) close() {}

func calls(f file, h interface{ Go(func()) }) {
	f.close()
	h.Go(func() {})
}
