package directives

//dlsim:trampoline
func resume() {}

func directives(m map[int]int) {
	//dlsim:unordered // want `dlsim:unordered needs a reason`
	_ = m
	//dlsim:unordered the loop below only fills a set
	_ = m
}
