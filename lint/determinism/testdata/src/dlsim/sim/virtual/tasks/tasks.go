package tasks

type ctx struct {
	//dlsim:done-channel library code selects on it
	done chan struct{}
	bad  chan struct{} // want `channel type is not allowed here`
}

func (c *ctx) Done() <-chan struct{} {
	if c.done == nil {
		c.done = make(chan struct{}) //dlsim:done-channel made when first asked for
	}
	return c.done
}

func (c *ctx) cancel() {
	//dlsim:done-channel nobody of ours receives from it
	close(c.done)
	close(c.bad) // want `closing a channel is not allowed here`

	//dlsim:done-channel does not excuse a receive // want `dlsim:done-channel excuses nothing here`
	<-c.done // want `channel receive is not allowed here`

	//dlsim:done-channel does not excuse others // want `dlsim:done-channel excuses nothing here`
	_ = make(chan int) // want `channel type is not allowed here`
}

func (c *ctx) Wait() <-chan struct{} { // want `channel type is not allowed here`
	return nil
}
