// SPDX-License-Identifier: BSD-2-Clause

// Package dtrace runs programs in D and gives their events and aggregations as Go values.
//
//	t, err := dtrace.Open(map[string]string{"quiet": ""})
//	defer t.Close()
//	err = t.Enable(`syscall:::entry { @[execname] = count(); }`)
//	err = t.Run(time.Second, nil)
//	elements, err := t.Aggregation("", dtrace.Sorted)
//
// A Tracer belongs to one goroutine at a time. doc/API.md says what the calls beneath do.
package dtrace

/*
#cgo LDFLAGS: -ldtrace
#include <dtrace.h>
#include <stdlib.h>

extern int dtraceGoProbe(dtrace_probedata_t *, uintptr_t);
extern int dtraceGoText(dtrace_bufdata_t *, uintptr_t);
extern int dtraceGoDrop(char *, uintptr_t);
extern int dtraceGoElement(dtrace_aggdata_t *, uintptr_t);

static int on_probe(const dtrace_probedata_t *d, void *arg) { return dtraceGoProbe((dtrace_probedata_t *)d, (uintptr_t)arg); }
static int on_rec(const dtrace_probedata_t *d, const dtrace_recdesc_t *r, void *arg)
{
	(void)d, (void)r, (void)arg;
	return DTRACE_CONSUME_THIS;
}
static int on_text(const dtrace_bufdata_t *d, void *arg) { return dtraceGoText((dtrace_bufdata_t *)d, (uintptr_t)arg); }
static int on_drop(const dtrace_dropdata_t *d, void *arg) { return dtraceGoDrop((char *)d->dtdda_msg, (uintptr_t)arg); }
static int on_fault(const dtrace_errdata_t *d, void *arg) { return dtraceGoDrop((char *)d->dteda_msg, (uintptr_t)arg); }
static int on_element(const dtrace_aggdata_t *d, void *arg) { return dtraceGoElement((dtrace_aggdata_t *)d, (uintptr_t)arg); }

static int handlers(dtrace_hdl_t *h, uintptr_t me)
{
	if (dtrace_handle_buffered(h, on_text, (void *)me) != 0 || dtrace_handle_drop(h, on_drop, (void *)me) != 0)
		return -1;
	return dtrace_handle_err(h, on_fault, (void *)me);
}
static dtrace_workstatus_t work(dtrace_hdl_t *h, uintptr_t me) { return dtrace_work(h, NULL, on_probe, on_rec, (void *)me); }

static int walk(dtrace_hdl_t *h, int order, uintptr_t me)
{
	static dtrace_aggregate_walk_f *const orders[] = { dtrace_aggregate_walk, dtrace_aggregate_walk_sorted,
		dtrace_aggregate_walk_keysorted, dtrace_aggregate_walk_valsorted, dtrace_aggregate_walk_keyrevsorted,
		dtrace_aggregate_walk_valrevsorted };

	return orders[order](h, on_element, (void *)me);
}
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"strings"
	"time"
	"unsafe"
)

// Order is how Aggregation sorts elements.
type Order int

// Orders: as they come, by value as the options say, by key, by value, and these two in reverse.
const (
	Any Order = iota
	Sorted
	ByKey
	ByValue
	ByKeyReversed
	ByValueReversed
)

// Error is what the library refused, in its own words.
type Error struct {
	Errno   int
	Message string
}

func (e *Error) Error() string { return e.Message }

// Probe is a probe's name in four parts, and its number.
type Probe struct {
	ID                               uint32
	Provider, Module, Function, Name string
}

// Frame is a place in code.
type Frame struct {
	Address uint64
	Symbol  string
}

// Bucket is part of a distribution: numbers from Low to High, both included; nil: there is no such end.
type Bucket struct {
	Low, High *int64
	Count     int64
}

// Event is a firing: what it recorded, and what dtrace would have printed.
// Values are int64, uint64, string, []byte, Frame or []Frame.
type Event struct {
	Probe  Probe
	CPU    int
	Time   uint64
	Values []interface{}
	Text   string
}

// Element is an element of an aggregation. Value is int64, uint64 or []Bucket; keys are as the values of an Event.
type Element struct {
	Name  string
	Keys  []interface{}
	Value interface{}
}

// Tracer is a handle of libdtrace.
type Tracer struct {
	h        *C.dtrace_hdl_t
	me       cgo.Handle
	procs    []*C.struct_ps_prochandle
	event    *Event
	text     strings.Builder
	f        func(Event)
	elements []Element
	buckets  []Bucket
	want     *string
	running  bool
	// Warn is called with each message of lost data and of faults; nil: they are passed over.
	Warn func(message string)
}

// Open makes a tracer with these options, as -x has them; a value "" sets one that takes none.
func Open(options map[string]string) (*Tracer, error) {
	var errno C.int
	t := &Tracer{h: C.dtrace_open(C.DTRACE_VERSION, 0, &errno)}
	if t.h == nil {
		return nil, &Error{int(errno), C.GoString(C.dtrace_errmsg(nil, errno))}
	}
	t.me = cgo.NewHandle(t)
	if C.handlers(t.h, C.uintptr_t(t.me)) != 0 {
		defer t.Close()
		return nil, t.err()
	}
	for name, value := range options {
		if err := t.Set(name, value); err != nil {
			t.Close()
			return nil, err
		}
	}
	return t, nil
}

// Close ends the trace, if one runs, and takes every probe away.
func (t *Tracer) Close() {
	if t.h != nil {
		C.dtrace_close(t.h)
		t.h = nil
		t.me.Delete()
	}
}

func (t *Tracer) err() error {
	n := C.dtrace_errno(t.h)
	return &Error{int(n), C.GoString(C.dtrace_errmsg(t.h, n))}
}

// Set sets an option as -x does.
func (t *Tracer) Set(name, value string) error {
	n, v := C.CString(name), (*C.char)(nil)
	defer C.free(unsafe.Pointer(n))
	if value != "" {
		v = C.CString(value)
		defer C.free(unsafe.Pointer(v))
	}
	if C.dtrace_setopt(t.h, n, v) != 0 {
		return t.err()
	}
	return nil
}

func argv(words []string) (**C.char, func()) {
	list := (*[1 << 20]*C.char)(C.calloc(C.size_t(len(words)+1), C.size_t(unsafe.Sizeof((*C.char)(nil)))))
	for i, w := range words {
		list[i] = C.CString(w)
	}
	return &list[0], func() {
		for i := range words {
			C.free(unsafe.Pointer(list[i]))
		}
		C.free(unsafe.Pointer(list))
	}
}

// Enable compiles a program in D and enables its probes; args are $1 and so on.
func (t *Tracer) Enable(program string, args ...string) error {
	text := C.CString(program)
	defer C.free(unsafe.Pointer(text))
	list, free := argv(append([]string{"go"}, args...))
	defer free()
	p := C.dtrace_program_strcompile(t.h, text, C.DTRACE_PROBESPEC_NAME, 0, C.int(len(args)+1), list)
	if p == nil || C.dtrace_program_exec(t.h, p, nil) != 0 {
		return t.err()
	}
	return nil
}

// Spawn starts a command and holds it before it runs; the first process is $target.
func (t *Tracer) Spawn(command ...string) error {
	list, free := argv(command)
	defer free()
	return t.take(C.dtrace_proc_create(t.h, *list, list))
}

// Grab takes a process that is there already; the first process is $target.
func (t *Tracer) Grab(pid int) error { return t.take(C.dtrace_proc_grab(t.h, C.pid_t(pid), 0)) }

func (t *Tracer) take(p *C.struct_ps_prochandle) error {
	if p == nil {
		return t.err()
	}
	t.procs = append(t.procs, p)
	return nil
}

// Go lets probes fire, and processes that were held go on.
func (t *Tracer) Go() error {
	if C.dtrace_go(t.h) != 0 {
		return t.err()
	}
	t.running = true
	for _, p := range t.procs {
		C.dtrace_proc_continue(t.h, p)
	}
	return nil
}

func (t *Tracer) processesGone() bool {
	for _, p := range t.procs {
		var status C.int
		if C.dtrace_proc_gone(t.h, p, &status) != 1 {
			return false
		}
	}
	return len(t.procs) > 0
}

// Run gives each Event to f (nil: to nobody) until the program says exit(), the processes end, or the time is over (0: it never is).
func (t *Tracer) Run(limit time.Duration, f func(Event)) error {
	end := time.Now().Add(limit)
	if !t.running {
		if err := t.Go(); err != nil {
			return err
		}
	}
	for done := false; !done; {
		C.dtrace_sleep(t.h)
		if limit > 0 && !time.Now().Before(end) || t.processesGone() {
			if C.dtrace_stop(t.h) != 0 {
				return t.err()
			}
			done = true
		}
		t.f = f
		status := C.work(t.h, C.uintptr_t(t.me))
		t.finish()
		if status == C.DTRACE_WORKSTATUS_ERROR {
			return t.err()
		}
		done = done || status == C.DTRACE_WORKSTATUS_DONE
	}
	return nil
}

// ExitStatus is what the program gave to exit().
func (t *Tracer) ExitStatus() int { return int(C.dtrace_exitstatus(t.h)) }

// Aggregation gives the elements of one aggregation (without @; "" is the one without a name).
func (t *Tracer) Aggregation(name string, order Order) ([]Element, error) {
	return t.walk(&name, order)
}

// Aggregations gives the elements of all of them.
func (t *Tracer) Aggregations(order Order) ([]Element, error) { return t.walk(nil, order) }

func (t *Tracer) walk(name *string, order Order) ([]Element, error) {
	if order < Any || order > ByValueReversed {
		return nil, fmt.Errorf("dtrace: there is no order %d", order)
	}
	t.want, t.elements = name, nil
	if C.dtrace_aggregate_snap(t.h) != 0 || C.walk(t.h, C.int(order), C.uintptr_t(t.me)) != 0 {
		return nil, t.err()
	}
	return t.elements, nil
}

// ---- values ----

func (t *Tracer) frame(address uint64, pid C.pid_t) Frame {
	var buf [4096]C.char
	if pid != 0 {
		C.dtrace_uaddr2str(t.h, pid, C.uint64_t(address), &buf[0], C.int(len(buf)))
	} else {
		C.dtrace_addr2str(t.h, C.uint64_t(address), &buf[0], C.int(len(buf)))
	}
	return Frame{address, C.GoString(&buf[0])}
}

func (t *Tracer) value(v *C.dtrace_val_t) interface{} {
	switch v.dtv_kind {
	case C.DTRACE_VAL_UINT:
		return uint64(v.dtv_int)
	case C.DTRACE_VAL_STRING:
		return C.GoStringN(v.dtv_bytes, C.int(v.dtv_len))
	case C.DTRACE_VAL_BYTES:
		return C.GoBytes(unsafe.Pointer(v.dtv_bytes), C.int(v.dtv_len))
	case C.DTRACE_VAL_ADDRESS:
		return t.frame(uint64(v.dtv_int), v.dtv_pid)
	case C.DTRACE_VAL_STACK:
		frames := make([]Frame, 0, v.dtv_nframes)
		for i := uintptr(0); i < uintptr(v.dtv_nframes); i++ {
			pc := *(*uint64)(unsafe.Pointer(uintptr(unsafe.Pointer(v.dtv_frames)) + 8*i))
			frames = append(frames, t.frame(pc, v.dtv_pid))
		}
		return frames
	}
	return int64(v.dtv_int)
}

// finish hands out the firing in hand: its text is whole once the next one begins.
func (t *Tracer) finish() {
	if t.event != nil && t.f != nil {
		t.event.Text = t.text.String()
		t.f(*t.event)
	}
	t.event = nil
	t.text.Reset()
}
