package draws

type Choices interface {
	Pick(purpose string, n uint64) uint64
	Choose(n int) uint64 // want `Choose has a parameter of type int: draws are uint64 or int64`
	Draw(n uint64) uint  // want `Draw has a result of type uint`
	Len() int
}

type source struct{}

func (source) Uint64n(purpose string, n uint64) uint64 { return 0 }

func (source) Intn(n int) int { return 0 } // want `Intn has a parameter of type int` `Intn has a result of type int`

func Pick(n int64) int { return 0 } // want `Pick has a result of type int`

func use(c Choices, s source, names []string) string {
	_ = int(s.Uint64n("x", 1<<63)) % len(names) // want `a draw is narrowed before the remainder is taken`
	_ = uint(c.Pick("x", 7)) % 3                // want `a draw is narrowed before the remainder is taken`
	_ = s.Uint64n("x", 9) % 3
	return names[s.Uint64n("x", uint64(len(names)))]
}
