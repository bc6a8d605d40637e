// Package determinism holds the analyzers that keep everything outside a seed out of the system
// under test and the virtual world: the machine's clocks, scheduler, randomness, memory addresses
// and processor. They apply to non-test files below system and sim/virtual.
package determinism

import (
	"go/ast"
	"go/types"
	"strings"

	"dlsim/lint/place"

	"golang.org/x/tools/go/analysis"
)

// Seam reports uses of what the machine offers past system/host. A use counts, not only a call:
// a function value smuggled out is the same clock.
var Seam = &analysis.Analyzer{
	Name: "dlsimseam",
	Doc:  "report clocks, locks, contexts, HTTP globals and randomness taken past the host",
	Run:  runSeam,
}

// advice is what to do instead, by name; "*" stands for every name of the package.
type advice map[string]string

const (
	askClock   = "ask the host for Now or Monotonic"
	askSleep   = "use the host's Sleep"
	askZone    = "the machine's time zone is not part of the seed"
	askLock    = "use the host's NewMutex"
	askContext = "use the host's WithTimeout, WithCancel or Detach"
	askHTTP    = "use a client over the host's Transport"
	askServe   = "use the host's Serve"
	askDraw    = "draw with the host's Uint64n or the world's Choices"
	askNoGC    = "nothing may depend on the collector or the Go scheduler"
	askTasks   = "use the host's Go"
	askOrder   = "reflect hands out map entries in no order"
)

var seamTable = map[string]advice{
	"time": {
		"Now": askClock, "Since": askClock, "Until": askClock,
		"After": askSleep, "AfterFunc": askSleep, "NewTimer": askSleep, "NewTicker": askSleep,
		"Tick": askSleep, "Sleep": askSleep, "Timer": askSleep, "Ticker": askSleep,
		"Local": askZone, "LoadLocation": askZone, "Time.Local": askZone,
	},
	"sync":        {"*": askLock},
	"sync/atomic": {"*": askLock},
	"context": {
		"WithCancel": askContext, "WithCancelCause": askContext, "WithDeadline": askContext,
		"WithDeadlineCause": askContext, "WithTimeout": askContext, "WithTimeoutCause": askContext,
		"WithoutCancel": askContext, "WithValue": askContext, "AfterFunc": askContext,
	},
	"net/http": {
		"DefaultClient": askHTTP, "DefaultTransport": askHTTP, "Transport": askHTTP,
		"Get": askHTTP, "Head": askHTTP, "Post": askHTTP, "PostForm": askHTTP,
		"Server": askServe, "ListenAndServe": askServe, "ListenAndServeTLS": askServe,
		"Serve": askServe, "ServeTLS": askServe, "TimeoutHandler": askServe,
		"DefaultServeMux": askServe, "Handle": askServe, "HandleFunc": askServe,
	},
	"runtime": {
		"Goexit": askNoGC, "Gosched": askNoGC, "SetFinalizer": askNoGC, "AddCleanup": askNoGC,
		"GC": askNoGC, "NumGoroutine": askNoGC, "GOMAXPROCS": askNoGC, "NumCPU": askNoGC,
		"ReadMemStats": askNoGC, "LockOSThread": askNoGC,
	},
	"runtime/debug": {"*": askNoGC},
	"weak":          {"*": askNoGC},
	"math/rand":     {"*": askDraw},
	"math/rand/v2":  {"*": askDraw},
	"crypto/rand":   {"*": askDraw},
	"hash/maphash":  {"*": askDraw},
	"reflect": {
		"Value.MapRange": askOrder, "Value.MapKeys": askOrder, "Value.Seq": askOrder, "Value.Seq2": askOrder,
		"Select": askTasks, "MakeChan": askTasks, "ChanOf": askTasks, "Value.Send": askTasks,
		"Value.Recv": askTasks, "Value.TrySend": askTasks, "Value.TryRecv": askTasks,
	},
	"golang.org/x/sync/errgroup":     {"*": askTasks},
	"golang.org/x/sync/semaphore":    {"*": askLock},
	"golang.org/x/sync/singleflight": {"*": askLock},
}

// machinePackages reach the machine by their functions. The virtual world may still use their
// errors and types, since it answers as the real ones do (syscall.ECONNREFUSED, net.OpError).
// The system may not import them at all; that is layout.Imports' business.
var machinePackages = map[string]func(name string) bool{
	"os": func(name string) bool {
		return name != "NewSyscallError" && !strings.HasPrefix(name, "Is") // these only make and tell errors
	},
	"os/exec":   everyFunction,
	"os/signal": everyFunction,
	"syscall":   everyFunction,
	"log":       everyFunction,
	"log/slog":  everyFunction,
	"net": func(name string) bool {
		return strings.HasPrefix(name, "Dial") || strings.HasPrefix(name, "Listen") ||
			strings.HasPrefix(name, "Lookup") || strings.HasPrefix(name, "Interface") ||
			strings.HasPrefix(name, "Resolve") || strings.HasPrefix(name, "File")
	},
}

func everyFunction(string) bool { return true }

func runSeam(pass *analysis.Pass) (any, error) {
	at := place.Of(pass)
	if !at.Deterministic() {
		return nil, nil
	}
	for _, file := range place.Sources(pass) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				checkUse(pass, at, n)
			case *ast.SelectorExpr:
				checkTimeoutAssigned(pass, n)
			case *ast.CompositeLit:
				checkTimeoutInLiteral(pass, n)
			}
			return true
		})
		checkZones(pass, file)
	}
	return nil, nil
}

func checkUse(pass *analysis.Pass, at place.Place, id *ast.Ident) {
	obj := pass.TypesInfo.Uses[id]
	if obj == nil || obj.Pkg() == nil {
		return
	}
	if _, isPackage := obj.(*types.PkgName); isPackage {
		return
	}
	path, name := obj.Pkg().Path(), objectName(obj)
	if name == "" {
		return
	}
	if table, ok := seamTable[path]; ok {
		instead, ok := table[name]
		if all, whole := table["*"]; whole && !strings.Contains(name, ".") && path+"."+name != "sync.Locker" {
			instead, ok = all, true
		}
		if ok {
			pass.Reportf(id.Pos(), "%s.%s is not allowed here: %s", path, name, instead)
		}
		return
	}
	if banned, ok := machinePackages[path]; ok && at.Virtual() && !strings.Contains(name, ".") {
		if _, isFunc := obj.(*types.Func); isFunc && banned(name) {
			pass.Reportf(id.Pos(), "%s.%s is not allowed here: the virtual world never touches the machine", path, name)
		}
	}
}

// objectName is an object's name in its package: "Now", "Time.Local"; "" for what has none there,
// such as a field or a local variable.
func objectName(obj types.Object) string {
	fn, ok := obj.(*types.Func)
	if !ok {
		if obj.Parent() != obj.Pkg().Scope() {
			return ""
		}
		return obj.Name()
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.Name()
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name() + "." + fn.Name()
	}
	return "?." + fn.Name()
}

const timeoutMessage = "http.Client.Timeout is not allowed here: it runs on a timer of the machine; give the request a context of the host's WithTimeout"

// checkTimeoutInLiteral reports http.Client{Timeout: …}.
func checkTimeoutInLiteral(pass *analysis.Pass, lit *ast.CompositeLit) {
	if !isHTTPClient(pass.TypesInfo.TypeOf(lit)) {
		return
	}
	for i, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			// Unkeyed: Timeout is the fourth and last field.
			if i == 3 {
				pass.Reportf(elt.Pos(), timeoutMessage)
			}
			continue
		}
		if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Timeout" {
			pass.Reportf(kv.Pos(), timeoutMessage)
		}
	}
}

// checkTimeoutAssigned reports c.Timeout for an http.Client c, read or written: reading it is
// the first half of obeying it.
func checkTimeoutAssigned(pass *analysis.Pass, sel *ast.SelectorExpr) {
	s, ok := pass.TypesInfo.Selections[sel]
	if ok && s.Kind() == types.FieldVal && sel.Sel.Name == "Timeout" && s.Obj().Pkg() != nil &&
		s.Obj().Pkg().Path() == "net/http" && isHTTPClient(fieldOwner(s)) {
		pass.Reportf(sel.Sel.Pos(), timeoutMessage)
	}
}

// fieldOwner is the struct type that a selected field belongs to, embedded ones followed.
func fieldOwner(s *types.Selection) types.Type {
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		t = deref(t).Underlying().(*types.Struct).Field(i).Type()
	}
	return t
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func isHTTPClient(t types.Type) bool {
	if t == nil {
		return false
	}
	named, ok := types.Unalias(deref(t)).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "net/http" && named.Obj().Name() == "Client"
}

// checkZones reports time.Unix and its kin unless their result is turned to UTC at once: they
// answer in the machine's zone, which shows as soon as the time is written anywhere.
func checkZones(pass *analysis.Pass, file *ast.File) {
	inUTC := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if n.Sel.Name == "UTC" || n.Sel.Name == "In" {
				inUTC[ast.Unparen(n.X)] = true
			}
		case *ast.CallExpr:
			fn, ok := calleeOf(pass, n).(*types.Func)
			if ok && fn.Pkg() != nil && fn.Pkg().Path() == "time" && fn.Signature().Recv() == nil &&
				strings.HasPrefix(fn.Name(), "Unix") && !inUTC[n] {
				pass.Reportf(n.Pos(), "time.%s answers in the machine's time zone: add .UTC()", fn.Name())
			}
		}
		return true
	})
}

// calleeOf is the function, method or builtin that a call names, or nil.
func calleeOf(pass *analysis.Pass, call *ast.CallExpr) types.Object {
	fun := ast.Unparen(call.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	switch f := fun.(type) {
	case *ast.Ident:
		return pass.TypesInfo.Uses[f]
	case *ast.SelectorExpr:
		return pass.TypesInfo.Uses[f.Sel]
	}
	return nil
}
