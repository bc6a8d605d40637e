package twice

//dlsim:trampoline
func first() { recover() }

//dlsim:trampoline
func second() { recover() } // want `a second trampoline: first has the directive already`

//dlsim:trampoline
func third() {} // want `a second trampoline` `dlsim:trampoline excuses nothing here`
