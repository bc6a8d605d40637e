package directives

func directives(m map[int]int) {
	//dlsim:unorderd a slip // want `unknown directive dlsim:unorderd`
	_ = m
	//dlsim:unordered // want `dlsim:unordered needs a reason`
	_ = m
	//dlsim:trampoline // want `dlsim:trampoline is for sim/virtual only`
	_ = m
	//dlsim:unordered the loop below only fills a set
	_ = m
	// dlsim:unordered is prose when it follows a space.
	_ = m
}
