package directives

//dlsim:trampoline
func resume() {}

func directives(m map[int]int) {
	//dlsim:done-channel // want `dlsim:done-channel needs a reason`
	_ = m
	//dlsim:done-channel made once
	_ = m
}
