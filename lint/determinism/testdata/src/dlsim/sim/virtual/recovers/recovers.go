package recovers

// resume is the coroutine's outermost frame.
//
//dlsim:trampoline
func resume(f func()) {
	defer func() {
		if r := recover(); r != nil {
			panic(r)
		}
	}()
	f()
}

func other() {
	defer func() {
		recover() // want `recover is not allowed here`
	}()
}
