// SPDX-License-Identifier: BSD-2-Clause

package dtrace

/*
#include <dtrace.h>
#include <poll.h>

extern int dtraceGoProbe(dtrace_probedata_t *, uintptr_t);

static int on_probe(const dtrace_probedata_t *d, void *arg) { return dtraceGoProbe((dtrace_probedata_t *)d, (uintptr_t)arg); }
static int on_rec(const dtrace_probedata_t *d, const dtrace_recdesc_t *r, void *arg)
{
	(void)d, (void)r, (void)arg;
	return DTRACE_CONSUME_THIS;
}
static dtrace_workstatus_t work(dtrace_hdl_t *h, uintptr_t me) { return dtrace_work(h, NULL, on_probe, on_rec, (void *)me); }
static void wait_readable(int fd, int ms) { (void)poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, ms); }
*/
import "C"

import (
	"context"
	"errors"
	"io"
)

// How long one wait for the descriptor takes at most, in ms. The end of a process does not wake anybody.
const (
	slice        = 1000
	processSlice = 20
)

// Go lets probes fire, and processes that were held run.
func (t *Tracer) Go() error {
	if err := t.lock(); err != nil {
		return err
	}
	defer t.mu.Unlock()
	return t.begin()
}

func (t *Tracer) begin() error {
	if C.dtrace_go(t.h) != 0 || C.dtrace_ctlfd(t.h) < 0 {
		return t.failed()
	}
	t.started = true
	for _, p := range t.procs {
		t.keep(func() { C.dtrace_proc_continue(t.h, p.p) })
	}
	return nil
}

// Stop ends the trace: END fires, and nothing after it. What is left can still be read.
func (t *Tracer) Stop() error {
	if err := t.lock(); err != nil {
		return err
	}
	defer t.mu.Unlock()
	if !t.started {
		return ErrNotStarted
	}
	if C.dtrace_stop(t.h) != 0 {
		return t.failed()
	}
	return nil
}

// readable starts a wait for the descriptor, or joins the one that goes on already. t.mu is held.
func (t *Tracer) readable() <-chan struct{} {
	if t.polling == nil {
		ready, fd, ms := make(chan struct{}), C.dtrace_ctlfd(t.h), C.int(slice)
		if len(t.procs) > 0 {
			ms = processSlice
		}
		t.polling = ready
		go func() {
			C.wait_readable(fd, ms)
			t.mu.Lock()
			t.polling = nil
			t.mu.Unlock()
			close(ready)
		}()
	}
	return t.polling
}

// turn waits for something to do and does it: what was recorded goes to the queue, and the end is noticed.
func (t *Tracer) turn(ctx context.Context) error {
	if err := t.lock(); err != nil {
		return err
	}
	if !t.started {
		if err := t.begin(); err != nil {
			t.mu.Unlock()
			return err
		}
	}
	if t.ended {
		t.mu.Unlock()
		return nil
	}
	ready := t.readable()
	t.mu.Unlock()
	select {
	case <-ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	return t.work()
}

func (t *Tracer) work() error {
	if err := t.lock(); err != nil {
		return err
	}
	var err error
	if !t.ended {
		if t.processesGone() {
			C.dtrace_stop(t.h)
		}
		status := C.work(t.h, C.uintptr_t(t.me))
		t.ended = status == C.DTRACE_WORKSTATUS_DONE
		if status == C.DTRACE_WORKSTATUS_ERROR {
			err = t.failed()
		}
	}
	messages, warn := t.messages, t.Warn
	t.messages = nil
	t.mu.Unlock()
	for _, m := range messages {
		if warn != nil {
			warn(m)
		}
	}
	return err
}

// pop takes an event from the queue; over: there is none and none will come.
func (t *Tracer) pop() (e Event, found, over bool, err error) {
	if err := t.lock(); err != nil {
		return Event{}, false, false, err
	}
	defer t.mu.Unlock()
	if len(t.queue) == 0 {
		return Event{}, false, t.ended, nil
	}
	e = t.queue[0]
	t.queue[0] = Event{}
	t.queue = t.queue[1:]
	return e, true, false, nil
}

// Next waits for the next event. io.EOF: the trace has ended, and all events were read. An error of ctx: it can be called
// again, and no event is lost.
func (t *Tracer) Next(ctx context.Context) (Event, error) {
	for {
		e, found, over, err := t.pop()
		switch {
		case found || err != nil:
			return e, err
		case over:
			return Event{}, io.EOF
		case ctx.Err() != nil:
			return Event{}, ctx.Err()
		}
		if err := t.turn(ctx); err != nil {
			return Event{}, err
		}
	}
}

// All is an iterator for range of Go 1.23 and later, and in older ones a function to call:
//
//	for e, err := range t.All(ctx) { … }
//
// It ends with the trace, or after the first error, which may be that of ctx.
func (t *Tracer) All(ctx context.Context) func(yield func(Event, error) bool) {
	return func(yield func(Event, error) bool) {
		for {
			e, err := t.Next(ctx)
			if err == io.EOF || !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Events gives events through a channel until the trace ends, ctx is done, or something fails; Err says what. Whoever
// stops receiving before the end has to end ctx; the event that was on its way is then the first of the next call.
func (t *Tracer) Events(ctx context.Context) <-chan Event {
	events := make(chan Event)
	go func() {
		defer close(events)
		var err error
		for err == nil {
			var e Event
			if e, err = t.Next(ctx); err == nil {
				select {
				case events <- e:
				case <-ctx.Done():
					t.unread(e)
					err = ctx.Err()
				}
			}
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.err = err; err == io.EOF {
			t.err = nil
		}
	}()
	return events
}

func (t *Tracer) unread(e Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = append([]Event{e}, t.queue...)
}

// Err is why the channel of Events was closed: nil at the end of the trace.
func (t *Tracer) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Wait traces until the end (nil) or until ctx is done (its error; it can be called again). Events that come meanwhile are
// kept for Next.
func (t *Tracer) Wait(ctx context.Context) error {
	for {
		if err := t.lock(); err != nil {
			return err
		}
		ended := t.ended
		t.mu.Unlock()
		if ended {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.turn(ctx); err != nil {
			return err
		}
	}
}

// Run traces to the end, which comes at the latest when ctx is done, and gives each Event to f, which may use the tracer
// (nil: events are discarded). The end by ctx is no error, unless it was done before the trace began.
func (t *Tracer) Run(ctx context.Context, f func(Event)) error {
	stopped := false
	for {
		e, err := t.Next(ctx)
		switch {
		case err == nil && f != nil:
			f(e)
		case err == io.EOF:
			return nil
		case err != nil && !stopped && errors.Is(err, ctx.Err()):
			if stop := t.Stop(); stop == ErrNotStarted {
				return err
			} else if stop != nil {
				return stop
			}
			ctx, stopped = context.Background(), true
		case err != nil:
			return err
		}
	}
}
