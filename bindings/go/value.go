// SPDX-License-Identifier: BSD-2-Clause

package dtrace

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Kind is what a Value holds.
type Kind int

// Kinds of values. Only values of aggregations are distributions and percentiles.
const (
	KindInt Kind = iota
	KindUint
	KindString
	KindBytes
	KindAddress
	KindStack
	KindBuckets
	KindPercentiles
)

func (k Kind) String() string {
	names := [...]string{"a number", "an unsigned number", "a string", "bytes", "an address", "a stack", "a distribution", "percentiles"}
	if k < 0 || int(k) >= len(names) {
		return "Kind(" + strconv.Itoa(int(k)) + ")"
	}
	return names[k]
}

// Probe is a probe's name in four parts, and its number.
type Probe struct {
	ID                               uint32
	Provider, Module, Function, Name string
}

func (p Probe) String() string {
	return strings.Join([]string{p.Provider, p.Module, p.Function, p.Name}, ":")
}

// Frame is a place in code.
type Frame struct {
	Address uint64
	Symbol  string // as DTrace prints it
}

func (f Frame) String() string { return f.Symbol }

// Bucket is part of a distribution: how many numbers from Low to High, both included, were counted.
// Without a lower end Low is math.MinInt64, without an upper end High is math.MaxInt64.
type Bucket struct {
	Low, High, Count int64
}

func (b Bucket) String() string {
	low, high := strconv.FormatInt(b.Low, 10), strconv.FormatInt(b.High, 10)
	if b.Low == math.MinInt64 {
		low = "-∞"
	}
	if b.High == math.MaxInt64 {
		high = "∞"
	}
	return fmt.Sprintf("%s…%s: %d", low, high, b.Count)
}

// Value is what a probe recorded, a key of an aggregation, or its value. It is a copy, and valid after Close.
type Value struct {
	kind   Kind
	num    int64
	text   string
	frames []Frame
	parts  []Bucket
	named  map[string]int64
}

// Kind says what the value is.
func (v Value) Kind() Kind { return v.kind }

// Int is a number of either kind; 0 if the value is none.
func (v Value) Int() int64 { return v.num }

// Uint is the same as an unsigned number.
func (v Value) Uint() uint64 { return uint64(v.num) }

// Bytes are those of a string or of bytes; nil if the value is neither.
func (v Value) Bytes() []byte {
	if v.kind != KindString && v.kind != KindBytes {
		return nil
	}
	return []byte(v.text)
}

// Frames are those of a stack, or the one of an address; nil if the value is neither.
func (v Value) Frames() []Frame { return v.frames }

// Buckets are those of a distribution, in ascending order; nil if the value is none.
func (v Value) Buckets() []Bucket { return v.parts }

// Percentiles are the numbers of percentiles() by name ("count", "p50", …); nil if the value is of another function.
func (v Value) Percentiles() map[string]int64 { return v.named }

// Any is the value as int64, uint64, string, []byte, Frame, []Frame, []Bucket or map[string]int64.
func (v Value) Any() any {
	switch v.kind {
	case KindUint:
		return uint64(v.num)
	case KindString:
		return v.text
	case KindBytes:
		return []byte(v.text)
	case KindAddress:
		return v.frames[0]
	case KindStack:
		return v.frames
	case KindBuckets:
		return v.parts
	case KindPercentiles:
		return v.named
	}
	return v.num
}

// String is the value as text; a stack has a frame on each line.
func (v Value) String() string {
	switch v.kind {
	case KindUint:
		return strconv.FormatUint(uint64(v.num), 10)
	case KindString:
		return v.text
	case KindBytes:
		return fmt.Sprintf("% x", v.text)
	case KindAddress:
		return v.frames[0].Symbol
	case KindStack:
		lines := make([]string, len(v.frames))
		for i, f := range v.frames {
			lines[i] = f.Symbol
		}
		return strings.Join(lines, "\n")
	case KindBuckets:
		return fmt.Sprint(v.parts)
	case KindPercentiles:
		return fmt.Sprint(v.named)
	}
	return strconv.FormatInt(v.num, 10)
}

// Event is a firing of a probe.
type Event struct {
	Probe  Probe
	CPU    int
	Time   uint64  // ns, monotonic
	Values []Value // what the clause recorded
	Text   string  // what dtrace would have printed
}

// Scan copies the values of the event to the variables that dest point to, as sql.Rows.Scan does: to integers of any
// size, *string (any value, as text), *[]byte, *Frame, *[]Frame, *Value, or *any.
func (e Event) Scan(dest ...any) error { return scan(e.Values, dest) }

// Element is an element of an aggregation.
type Element struct {
	Name  string // without @; "" is the one without a name
	Keys  []Value
	Value Value
}

// Scan copies the keys and then the value, as Event.Scan does; *[]Bucket and *map[string]int64 take distributions and
// percentiles.
func (e Element) Scan(dest ...any) error {
	return scan(append(append([]Value(nil), e.Keys...), e.Value), dest)
}

func scan(values []Value, dest []any) error {
	if len(values) != len(dest) {
		return fmt.Errorf("dtrace: Scan of %d values into %d variables", len(values), len(dest))
	}
	for i, v := range values {
		if err := assign(dest[i], v); err != nil {
			return fmt.Errorf("dtrace: Scan of value %d: %w", i, err)
		}
	}
	return nil
}

func assign(dest any, v Value) error {
	if d, ok := dest.(*string); ok {
		*d = v.String()
		return nil
	}
	if d, ok := dest.(*Value); ok {
		*d = v
		return nil
	}
	p := reflect.ValueOf(dest)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("%T is not a pointer to a variable", dest)
	}
	if to := p.Elem(); v.kind == KindInt || v.kind == KindUint {
		if fits, number := assignNumber(to, v); number {
			if !fits {
				return fmt.Errorf("%v does not fit %s", v, to.Type())
			}
			return nil
		}
	}
	got := reflect.ValueOf(v.Any())
	if !got.Type().AssignableTo(p.Elem().Type()) {
		return fmt.Errorf("%v does not go into %s", v.kind, p.Elem().Type())
	}
	p.Elem().Set(got)
	return nil
}

// assignNumber sets an integer variable. number: it is one; fits: the value is in its range.
func assignNumber(to reflect.Value, v Value) (fits, number bool) {
	switch to.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if v.kind == KindUint && v.num < 0 || to.OverflowInt(v.num) {
			return false, true
		}
		to.SetInt(v.num)
		return true, true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if v.kind == KindInt && v.num < 0 || to.OverflowUint(uint64(v.num)) {
			return false, true
		}
		to.SetUint(uint64(v.num))
		return true, true
	}
	return false, false
}
