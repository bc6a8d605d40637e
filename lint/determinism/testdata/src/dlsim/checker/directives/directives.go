package directives

//dlsim:unordered nobody asked // want `dlsim:unordered means nothing outside system and sim/virtual`
var m map[int]int
