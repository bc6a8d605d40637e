package checker

// names numbers strings from 0 in the order of their first use. It is a hash table of its own
// because ids here are short, differ at their ends and repeat all the time: looking at the last
// eight bytes is enough and three times as fast as a Go map.
type names struct {
	list  []string
	slots []int32 // number+1; 0 is free. Its length is a power of two.
}

func (n *names) reset() {
	n.list = n.list[:0]
	if n.slots == nil {
		n.slots = make([]int32, 64)
	}
	clear(n.slots)
}

// number returns the number of s, a new one where s is new. The empty string has none: -1.
func (n *names) number(s string) int32 {
	if s == "" {
		return -1
	}
	mask := uint32(len(n.slots) - 1)
	for at := hashEnd(s) & mask; ; at = (at + 1) & mask {
		switch have := n.slots[at]; {
		case have == 0:
			n.list = append(n.list, s)
			n.slots[at] = int32(len(n.list))
			if len(n.list)*2 > len(n.slots) {
				n.grow()
			}
			return int32(len(n.list) - 1)
		case n.list[have-1] == s:
			return have - 1
		}
	}
}

// find returns the number of s, or -1.
func (n *names) find(s string) int32 {
	mask := uint32(len(n.slots) - 1)
	for at := hashEnd(s) & mask; s != ""; at = (at + 1) & mask {
		switch have := n.slots[at]; {
		case have == 0:
			return -1
		case n.list[have-1] == s:
			return have - 1
		}
	}
	return -1
}

func (n *names) grow() {
	n.slots = make([]int32, 2*len(n.slots))
	mask := uint32(len(n.slots) - 1)
	for i, s := range n.list {
		at := hashEnd(s) & mask
		for n.slots[at] != 0 {
			at = (at + 1) & mask
		}
		n.slots[at] = int32(i + 1)
	}
}

// hashEnd puts the last byte lowest, so that a product's upper half depends on all of them.
func hashEnd(s string) uint32 {
	var h uint64
	if len(s) >= 8 {
		end := s[len(s)-8:]
		h = uint64(end[7]) | uint64(end[6])<<8 | uint64(end[5])<<16 | uint64(end[4])<<24 |
			uint64(end[3])<<32 | uint64(end[2])<<40 | uint64(end[1])<<48 | uint64(end[0])<<56
	} else {
		for i := range len(s) {
			h = h<<8 | uint64(s[i])
		}
	}
	h = (h ^ uint64(len(s))) * 0x9e3779b97f4a7c15
	return uint32(h >> 32)
}
