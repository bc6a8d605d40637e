package recovers

func handler() {
	defer func() {
		_ = recover() // want `recover is not allowed here: it would keep a killed process running`
	}()
}

//dlsim:trampoline
func impostor() {
	defer func() {
		recover() // want `recover is not allowed here`
	}()
}

type box struct{}

func (box) recover() {}

func call(b box) { b.recover() }
