package results

import (
	"errors"
	"syscall"
)

// diskFull says whether err means that there is no room: a full disk or a spent quota.
func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
