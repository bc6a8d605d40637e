package tasks

type ctx struct {
	done chan struct{} // want `channel type is not allowed here`
}

func (c *ctx) Done() <-chan struct{} { return nil }

// A library's interface may ask for any element.
func (c *ctx) KeepAlive(id int64) (<-chan *int, error) {
	_ = make(<-chan *int) // want `channel type is not allowed here`
	return nil, nil
}

func (c *ctx) Both() chan struct{} { // want `channel type is not allowed here`
	return nil
}

func (c *ctx) Take(from <-chan int) {} // want `channel type is not allowed here`

func (c *ctx) cancel() {
	close(c.done) // want `closing a channel is not allowed here`
	<-c.Done()    // want `channel receive is not allowed here`
}

// A function is not a method: it implements no context.
func Done() <-chan struct{} { // want `channel type is not allowed here`
	return nil
}
