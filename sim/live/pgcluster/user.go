package pgcluster

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
)

// credential is the user that the server runs as; the zero value is whoever runs this process.
type credential struct {
	Other    bool
	UID, GID int
}

// serverUser is this user, unless that is root, whom PostgreSQL refuses.
func serverUser() (credential, error) {
	if os.Geteuid() != 0 {
		return credential{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil {
			return credential{Other: true, UID: uid, GID: gid}, nil
		}
	}
	return credential{}, fmt.Errorf("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")
}

func (c credential) own(path string) error {
	if !c.Other {
		return nil
	}
	return os.Chown(path, c.UID, c.GID)
}
