// SPDX-License-Identifier: BSD-2-Clause

// Package dtrace runs programs in D and gives their events and aggregations as Go values.
//
//	t, err := dtrace.Open(dtrace.Options{"quiet": ""})
//	if err != nil {
//		return err // errors.Is(err, fs.ErrPermission): see doc/RIGHTS.md
//	}
//	defer t.Close()
//	if err := t.Enable(`syscall:::entry { @[execname] = count(); }`); err != nil {
//		return err
//	}
//	for { // a view that refreshes
//		second, cancel := context.WithTimeout(ctx, time.Second)
//		err := t.Wait(second)
//		cancel()
//		if err == nil || ctx.Err() != nil {
//			return err // the trace has ended, or the caller wants to
//		}
//		elements, err := t.Aggregation("", dtrace.ByValueReversed)
//		…
//	}
//
// A trace begins with Go, which Next, Events, All, Wait and Run call if nobody has. It ends by exit() in the program, by
// Stop, or when all processes of Spawn and Grab have ended; then Next returns io.EOF. When a context is done, only the
// call ends: the trace goes on, no event is lost, and the call can be made again. Only Run ends the trace with its context.
//
// A Tracer may be used by several goroutines. Calls take turns; a goroutine that waits for events does not keep others
// from calling, each event goes to one reader, and Stop and Close end the wait of all. After Close every call returns
// ErrClosed. A Tracer that is not closed is never freed.
//
// The package is found by its module path through a replace directive or a vendor directory (doc/BINDINGS.md), and
// libdtrace through pkg-config. doc/API.md says what the calls beneath do.
package dtrace

/*
#cgo pkg-config: libdtrace
#include <dtrace.h>
#include <stdlib.h>

extern int dtraceGoProbe(dtrace_probedata_t *, uintptr_t);
extern int dtraceGoText(dtrace_bufdata_t *, uintptr_t);
extern int dtraceGoMessage(char *, uintptr_t);
extern int dtraceGoElement(dtrace_aggdata_t *, uintptr_t);
extern int dtraceGoListed(dtrace_probedesc_t *, uintptr_t);

static int on_text(const dtrace_bufdata_t *d, void *arg) { return dtraceGoText((dtrace_bufdata_t *)d, (uintptr_t)arg); }
static int on_drop(const dtrace_dropdata_t *d, void *arg) { return dtraceGoMessage((char *)d->dtdda_msg, (uintptr_t)arg); }
static int on_fault(const dtrace_errdata_t *d, void *arg) { return dtraceGoMessage((char *)d->dteda_msg, (uintptr_t)arg); }
static int on_element(const dtrace_aggdata_t *d, void *arg) { return dtraceGoElement((dtrace_aggdata_t *)d, (uintptr_t)arg); }
static int on_listed(dtrace_hdl_t *h, const dtrace_probedesc_t *d, void *arg)
{
	(void)h;
	return dtraceGoListed((dtrace_probedesc_t *)d, (uintptr_t)arg);
}

static int handlers(dtrace_hdl_t *h, uintptr_t me)
{
	if (dtrace_handle_buffered(h, on_text, (void *)me) != 0 || dtrace_handle_drop(h, on_drop, (void *)me) != 0)
		return -1;
	return dtrace_handle_err(h, on_fault, (void *)me);
}

static int list(dtrace_hdl_t *h, const char *pattern, uintptr_t me)
{
	dtrace_probedesc_t desc;

	if (dtrace_str2desc(h, DTRACE_PROBESPEC_NAME, pattern, &desc) != 0)
		return -1;
	(void)dtrace_probe_iter(h, &desc, on_listed, (void *)me);
	return 0;
}

static int walk(dtrace_hdl_t *h, int order, uintptr_t me)
{
	static dtrace_aggregate_walk_f *const orders[] = { dtrace_aggregate_walk, dtrace_aggregate_walk_sorted,
		dtrace_aggregate_walk_keysorted, dtrace_aggregate_walk_valsorted, dtrace_aggregate_walk_keyrevsorted,
		dtrace_aggregate_walk_valrevsorted, dtrace_aggregate_walk_keyvarsorted, dtrace_aggregate_walk_valvarsorted,
		dtrace_aggregate_walk_keyvarrevsorted, dtrace_aggregate_walk_valvarrevsorted };

	return orders[order](h, on_element, (void *)me);
}
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"sort"
	"sync"
	"unsafe"
)

// Order is how Aggregation sorts elements.
type Order int

// Orders: as they come, by value as the options say, by key, by value, these two in reverse, and the same for all
// aggregations together.
const (
	Any Order = iota
	Sorted
	ByKey
	ByValue
	ByKeyReversed
	ByValueReversed
	ByKeyVar
	ByValueVar
	ByKeyVarReversed
	ByValueVarReversed
)

// Options are those of -x, by name; a value "" sets one that takes none.
type Options map[string]string

// Tracer is a handle of libdtrace.
type Tracer struct {
	// Warn is called with each message of lost data and of faults, by the goroutine that reads events; nil: they are
	// ignored. Set it before Go.
	Warn func(message string)

	mu      sync.Mutex // held around every call of the library, never while waiting
	h       *C.dtrace_hdl_t
	me      cgo.Handle
	closing bool
	started bool
	ended   bool
	err     error         // what ended the channel of Events
	polling chan struct{} // closed when the descriptor was readable; nil: nobody waits for it
	keeper  chan func()   // what the thread of the processes is to do
	procs   []*Process

	// what callbacks fill
	queue    []Event
	messages []string
	listed   []Probe
	want     *string
	elements []Element
	made     Value
}

// Open makes a tracer with these options.
func Open(options Options) (*Tracer, error) {
	var errno C.int
	t := &Tracer{h: C.dtrace_open(C.DTRACE_VERSION, 0, &errno)}
	if t.h == nil {
		return nil, &Error{int(errno), C.GoString(C.dtrace_errmsg(nil, errno))}
	}
	t.me = cgo.NewHandle(t)
	if C.handlers(t.h, C.uintptr_t(t.me)) != 0 {
		defer t.Close()
		return nil, t.failed()
	}
	names := make([]string, 0, len(options))
	for name := range options {
		names = append(names, name)
	}
	sort.Strings(names) // so that of two that are wrong always the same is reported
	for _, name := range names {
		if err := t.Set(name, options[name]); err != nil {
			t.Close()
			return nil, err
		}
	}
	return t, nil
}

// Close ends the trace, if one runs, and removes every probe. Calls that wait return ErrClosed. Closing again does nothing.
func (t *Tracer) Close() error {
	if t.lock() != nil {
		return nil
	}
	t.closing = true
	if t.started {
		C.dtrace_stop(t.h) // makes the descriptor readable
	}
	polling := t.polling
	t.mu.Unlock()
	if polling != nil {
		<-polling
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	C.dtrace_close(t.h)
	t.h = nil
	t.me.Delete()
	if t.keeper != nil {
		close(t.keeper)
	}
	return nil
}

// lock takes the tracer for a call of the library; with an error it is not taken.
func (t *Tracer) lock() error {
	t.mu.Lock()
	if t.h == nil || t.closing {
		t.mu.Unlock()
		return ErrClosed
	}
	return nil
}

// Set sets an option as -x does; "" is no value.
func (t *Tracer) Set(name, value string) error {
	if err := checkText("option", name+value); err != nil {
		return err
	}
	n, v := C.CString(name), (*C.char)(nil)
	defer C.free(unsafe.Pointer(n))
	if value != "" {
		v = C.CString(value)
		defer C.free(unsafe.Pointer(v))
	}
	if err := t.lock(); err != nil {
		return err
	}
	defer t.mu.Unlock()
	if C.dtrace_setopt(t.h, n, v) != 0 {
		return t.optionFailed(name)
	}
	return nil
}

// Option is the value of an option as a number; false: it is not set.
func (t *Tracer) Option(name string) (int64, bool, error) {
	if err := checkText("option", name); err != nil {
		return 0, false, err
	}
	n, v := C.CString(name), C.dtrace_optval_t(0)
	defer C.free(unsafe.Pointer(n))
	if err := t.lock(); err != nil {
		return 0, false, err
	}
	defer t.mu.Unlock()
	if C.dtrace_getopt(t.h, n, &v) != 0 {
		return 0, false, t.optionFailed(name)
	}
	const unset = -2 // DTRACEOPT_UNSET
	return int64(v), v != unset, nil
}

// argv is C's, and what frees it.
func argv(words []string) (**C.char, func(), error) {
	for _, w := range words {
		if err := checkText("argument", w); err != nil {
			return nil, nil, err
		}
	}
	memory := C.calloc(C.size_t(len(words)+1), C.size_t(unsafe.Sizeof((*C.char)(nil))))
	list := unsafe.Slice((**C.char)(memory), len(words)+1)
	for i, w := range words {
		list[i] = C.CString(w)
	}
	return &list[0], func() {
		for i := range words {
			C.free(unsafe.Pointer(list[i]))
		}
		C.free(memory)
	}, nil
}

// Enable compiles a program in D and enables its probes; args are $1 and so on, as fmt.Sprint writes them. A program that
// is wrong is a *CompileError.
func (t *Tracer) Enable(program string, args ...any) error {
	if err := checkText("program", program); err != nil {
		return err
	}
	words := []string{"go"}
	for _, a := range args {
		words = append(words, fmt.Sprint(a))
	}
	list, free, err := argv(words)
	if err != nil {
		return err
	}
	defer free()
	text := C.CString(program)
	defer C.free(unsafe.Pointer(text))
	if err := t.lock(); err != nil {
		return err
	}
	defer t.mu.Unlock()
	p := C.dtrace_program_strcompile(t.h, text, C.DTRACE_PROBESPEC_NAME, 0, C.int(len(words)), list)
	if p == nil || C.dtrace_program_exec(t.h, p, nil) != 0 {
		return t.compileFailed()
	}
	return nil
}

// Probes lists the probes that a description matches.
func (t *Tracer) Probes(pattern string) ([]Probe, error) {
	if err := checkText("description", pattern); err != nil {
		return nil, err
	}
	text := C.CString(pattern)
	defer C.free(unsafe.Pointer(text))
	if err := t.lock(); err != nil {
		return nil, err
	}
	defer t.mu.Unlock()
	t.listed = nil
	if C.list(t.h, text, C.uintptr_t(t.me)) != 0 {
		return nil, t.failed()
	}
	return t.listed, nil
}

// ExitStatus is what the program gave to exit().
func (t *Tracer) ExitStatus() (int, error) {
	if err := t.lock(); err != nil {
		return 0, err
	}
	defer t.mu.Unlock()
	return int(C.dtrace_exitstatus(t.h)), nil
}

// Notice is what could not be enabled although the rest could: lines for the user, "" if there are none.
func (t *Tracer) Notice() (string, error) {
	if err := t.lock(); err != nil {
		return "", err
	}
	defer t.mu.Unlock()
	return C.GoString(C.dtrace_notice(t.h)), nil
}

// Aggregation gives the elements of one aggregation as they are now (without @; "" is the one without a name).
func (t *Tracer) Aggregation(name string, order Order) ([]Element, error) {
	return t.walk(&name, order)
}

// Aggregations gives the elements of all of them.
func (t *Tracer) Aggregations(order Order) ([]Element, error) { return t.walk(nil, order) }

func (t *Tracer) walk(name *string, order Order) ([]Element, error) {
	if order < Any || order > ByValueVarReversed {
		return nil, fmt.Errorf("dtrace: there is no order %d", order)
	}
	if err := t.lock(); err != nil {
		return nil, err
	}
	defer t.mu.Unlock()
	t.want, t.elements = name, nil
	if C.dtrace_aggregate_snap(t.h) != 0 || C.walk(t.h, C.int(order), C.uintptr_t(t.me)) != 0 {
		return nil, t.failed()
	}
	return t.elements, nil
}

// Clear lets all aggregations begin anew; their keys stay, with a value of 0 until something is counted.
func (t *Tracer) Clear() error {
	if err := t.lock(); err != nil {
		return err
	}
	defer t.mu.Unlock()
	C.dtrace_aggregate_clear(t.h)
	return nil
}
