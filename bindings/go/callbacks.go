// SPDX-License-Identifier: BSD-2-Clause

package dtrace

/*
#include <dtrace.h>

extern int dtraceGoBucket(dtrace_bucket_t *, uintptr_t);
static int on_bucket(const dtrace_bucket_t *b, void *arg) { return dtraceGoBucket((dtrace_bucket_t *)b, (uintptr_t)arg); }
static int buckets_of(const dtrace_aggdata_t *d, uintptr_t me) { return dtrace_aggdata_buckets(d, on_bucket, (void *)me); }
*/
import "C"

import (
	"runtime/cgo"
	"strings"
)

// What the library calls; each finds its Tracer by the handle it was given.

func tracer(me C.uintptr_t) *Tracer { return cgo.Handle(me).Value().(*Tracer) }

//export dtraceGoProbe
func dtraceGoProbe(d *C.dtrace_probedata_t, me C.uintptr_t) C.int {
	t := tracer(me)
	t.finish()
	p := d.dtpda_pdesc
	e := &Event{CPU: int(d.dtpda_cpu), Time: uint64(d.dtpda_timestamp), Probe: Probe{uint32(p.dtpd_id), C.GoString(&p.dtpd_provider[0]),
		C.GoString(&p.dtpd_mod[0]), C.GoString(&p.dtpd_func[0]), C.GoString(&p.dtpd_name[0])}}
	for n := C.int(0); n < d.dtpda_edesc.dtepd_nrecs; n++ {
		var v C.dtrace_val_t
		if C.dtrace_probedata_value(d, n, &v) != 0 {
			break
		}
		e.Values = append(e.Values, t.value(&v))
	}
	t.event = e
	return C.DTRACE_CONSUME_THIS
}

//export dtraceGoText
func dtraceGoText(d *C.dtrace_bufdata_t, me C.uintptr_t) C.int {
	if d.dtbda_buffered != nil {
		tracer(me).text.WriteString(C.GoString(d.dtbda_buffered))
	}
	return C.DTRACE_HANDLE_OK
}

//export dtraceGoDrop
func dtraceGoDrop(msg *C.char, me C.uintptr_t) C.int {
	if t := tracer(me); t.Warn != nil {
		t.Warn(strings.TrimSpace(C.GoString(msg)))
	}
	return C.DTRACE_HANDLE_OK
}

//export dtraceGoElement
func dtraceGoElement(d *C.dtrace_aggdata_t, me C.uintptr_t) C.int {
	t := tracer(me)
	name := C.GoString(d.dtada_desc.dtagd_name)
	if name == "_" {
		name = ""
	}
	if t.want != nil && *t.want != name {
		return C.DTRACE_AGGWALK_NEXT
	}
	e := Element{Name: name}
	var v C.dtrace_val_t
	for k := C.int(0); k < C.dtrace_aggdata_nkeys(d); k++ {
		C.dtrace_aggdata_key(d, k, &v)
		e.Keys = append(e.Keys, t.value(&v))
	}
	C.dtrace_aggdata_value(d, &v)
	if v.dtv_kind == C.DTRACE_VAL_BUCKETS {
		t.buckets = nil
		C.buckets_of(d, me)
		e.Value = t.buckets
	} else {
		e.Value = t.value(&v)
	}
	t.elements = append(t.elements, e)
	return C.DTRACE_AGGWALK_NEXT
}

//export dtraceGoBucket
func dtraceGoBucket(b *C.dtrace_bucket_t, me C.uintptr_t) C.int {
	t := tracer(me)
	one := Bucket{Count: int64(b.dtbk_count)}
	if b.dtbk_has_low != 0 {
		low := int64(b.dtbk_low)
		one.Low = &low
	}
	if b.dtbk_has_high != 0 {
		high := int64(b.dtbk_high)
		one.High = &high
	}
	t.buckets = append(t.buckets, one)
	return 0
}
