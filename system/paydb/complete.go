package paydb

import (
	"dlsim/history"
	"dlsim/system/dberr"
)

// Complete makes e the completion of a write that came to fate, with err as the write returned it:
// OK, Info where nobody knows, or Fail with the code NOT_TAKEN for a refusal of ours and the
// database's own code for anything else.
func Complete(e *history.Event, fate Fate, err error) {
	switch {
	case fate == Done:
		e.Kind = history.OK
	case fate == Unknown:
		e.Kind, e.Error = history.Info, dberr.Code(err)
	case Refused(err):
		e.Kind, e.Error = history.Fail, "NOT_TAKEN"
	default:
		e.Kind, e.Error = history.Fail, dberr.Code(err)
	}
}
