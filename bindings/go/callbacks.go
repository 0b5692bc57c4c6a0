// SPDX-License-Identifier: BSD-2-Clause

package dtrace

/*
#include <dtrace.h>

extern int dtraceGoBucket(dtrace_bucket_t *, uintptr_t);
extern int dtraceGoPart(char *, int64_t, uintptr_t);

static int on_bucket(const dtrace_bucket_t *b, void *arg) { return dtraceGoBucket((dtrace_bucket_t *)b, (uintptr_t)arg); }
static int on_part(const char *name, int64_t n, void *arg) { return dtraceGoPart((char *)name, n, (uintptr_t)arg); }
static int buckets_of(const dtrace_aggdata_t *d, uintptr_t me) { return dtrace_aggdata_buckets(d, on_bucket, (void *)me); }
static int parts_of(const dtrace_aggdata_t *d, uintptr_t me) { return dtrace_aggdata_parts(d, on_part, (void *)me); }
*/
import "C"

import (
	"math"
	"runtime/cgo"
	"strings"
	"unsafe"
)

// What the library calls, while t.mu is held by the one who called the library. No code of the user runs here: events and
// messages are kept until the library has returned.

func tracer(me C.uintptr_t) *Tracer { return cgo.Handle(me).Value().(*Tracer) }

func probeOf(p *C.dtrace_probedesc_t) Probe {
	return Probe{uint32(p.dtpd_id), C.GoString(&p.dtpd_provider[0]), C.GoString(&p.dtpd_mod[0]), C.GoString(&p.dtpd_func[0]),
		C.GoString(&p.dtpd_name[0])}
}

//export dtraceGoListed
func dtraceGoListed(p *C.dtrace_probedesc_t, me C.uintptr_t) C.int {
	t := tracer(me)
	t.listed = append(t.listed, probeOf(p))
	return 0
}

//export dtraceGoProbe
func dtraceGoProbe(d *C.dtrace_probedata_t, me C.uintptr_t) C.int {
	t := tracer(me)
	e := Event{Probe: probeOf(d.dtpda_pdesc), CPU: int(d.dtpda_cpu), Time: uint64(d.dtpda_timestamp)}
	var v C.dtrace_val_t
	for n := C.int(0); C.dtrace_probedata_value(d, n, &v) == 0; n++ {
		e.Values = append(e.Values, t.value(&v))
	}
	t.queue = append(t.queue, e)
	return C.DTRACE_CONSUME_THIS
}

//export dtraceGoText
func dtraceGoText(d *C.dtrace_bufdata_t, me C.uintptr_t) C.int {
	if t := tracer(me); d.dtbda_buffered != nil && len(t.queue) > 0 {
		t.queue[len(t.queue)-1].Text += C.GoString(d.dtbda_buffered)
	}
	return C.DTRACE_HANDLE_OK
}

//export dtraceGoMessage
func dtraceGoMessage(msg *C.char, me C.uintptr_t) C.int {
	t := tracer(me)
	t.messages = append(t.messages, strings.TrimSpace(C.GoString(msg)))
	return C.DTRACE_HANDLE_OK
}

//export dtraceGoElement
func dtraceGoElement(d *C.dtrace_aggdata_t, me C.uintptr_t) C.int {
	t := tracer(me)
	e := Element{Name: C.GoString(d.dtada_desc.dtagd_name)}
	if e.Name == "_" {
		e.Name = ""
	}
	if t.want != nil && *t.want != e.Name {
		return C.DTRACE_AGGWALK_NEXT
	}
	var v C.dtrace_val_t
	for k := C.int(0); k < C.dtrace_aggdata_nkeys(d); k++ {
		C.dtrace_aggdata_key(d, k, &v)
		e.Keys = append(e.Keys, t.value(&v))
	}
	t.made = Value{}
	if C.parts_of(d, me) == 0 {
		t.made.kind = KindPercentiles
	} else if C.dtrace_aggdata_value(d, &v); v.dtv_kind == C.DTRACE_VAL_BUCKETS {
		t.made.kind = KindBuckets
		C.buckets_of(d, me)
	} else {
		t.made = t.value(&v)
	}
	e.Value = t.made
	t.elements = append(t.elements, e)
	return C.DTRACE_AGGWALK_NEXT
}

//export dtraceGoBucket
func dtraceGoBucket(b *C.dtrace_bucket_t, me C.uintptr_t) C.int {
	t := tracer(me)
	one := Bucket{int64(b.dtbk_low), int64(b.dtbk_high), int64(b.dtbk_count)}
	if b.dtbk_has_low == 0 {
		one.Low = math.MinInt64
	}
	if b.dtbk_has_high == 0 {
		one.High = math.MaxInt64
	}
	t.made.parts = append(t.made.parts, one)
	return 0
}

//export dtraceGoPart
func dtraceGoPart(name *C.char, n C.int64_t, me C.uintptr_t) C.int {
	t := tracer(me)
	if t.made.named == nil {
		t.made.named = make(map[string]int64)
	}
	t.made.named[C.GoString(name)] = int64(n)
	return 0
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

func (t *Tracer) value(v *C.dtrace_val_t) Value {
	switch v.dtv_kind {
	case C.DTRACE_VAL_UINT:
		return Value{kind: KindUint, num: int64(v.dtv_int)}
	case C.DTRACE_VAL_STRING:
		return Value{kind: KindString, text: C.GoStringN(v.dtv_bytes, C.int(v.dtv_len))}
	case C.DTRACE_VAL_BYTES:
		return Value{kind: KindBytes, text: C.GoStringN(v.dtv_bytes, C.int(v.dtv_len))}
	case C.DTRACE_VAL_ADDRESS:
		return Value{kind: KindAddress, frames: []Frame{t.frame(uint64(v.dtv_int), v.dtv_pid)}}
	case C.DTRACE_VAL_STACK:
		frames := make([]Frame, 0, v.dtv_nframes)
		for _, pc := range unsafe.Slice((*uint64)(unsafe.Pointer(v.dtv_frames)), int(v.dtv_nframes)) {
			frames = append(frames, t.frame(pc, v.dtv_pid))
		}
		return Value{kind: KindStack, frames: frames}
	}
	return Value{num: int64(v.dtv_int)}
}
