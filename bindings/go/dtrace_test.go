// SPDX-License-Identifier: BSD-2-Clause

package dtrace

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

const calls = 1000

func TestAggregations(t *testing.T) {
	d, err := Open(map[string]string{"quiet": ""})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	err = d.Enable(`syscall::getppid:entry /pid == $1/ { @[execname, probefunc] = count(); @sum = sum(3); @q = quantize(20);
		@s[stack(2)] = count(); @l = lquantize(7, 0, 10, 5); }
		syscall::getppid:entry /pid == $1 && ++n == $2/ { exit(7); }`, strconv.Itoa(os.Getpid()), strconv.Itoa(calls))
	if err != nil {
		t.Fatal(err)
	}
	if err = d.Go(); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < calls; i++ {
		syscall.Getppid()
	}
	if err = d.Run(0, nil); err != nil {
		t.Fatal(err)
	}
	if d.ExitStatus() != 7 {
		t.Errorf("exit status %d", d.ExitStatus())
	}
	check := func(name string, order Order) Element {
		list, err := d.Aggregation(name, order)
		if err != nil || len(list) != 1 {
			t.Fatalf("@%s: %v, %d elements", name, err, len(list))
		}
		return list[0]
	}
	e := check("", Sorted)
	if e.Value != int64(calls) || e.Keys[1] != "getppid" || !strings.HasPrefix(e.Keys[0].(string), "dtrace") {
		t.Errorf("%+v", e)
	}
	if e = check("sum", ByKey); e.Value != int64(3*calls) {
		t.Errorf("%+v", e)
	}
	if b := check("q", ByValue).Value.([]Bucket); len(b) != 1 || *b[0].Low != 16 || *b[0].High != 31 || b[0].Count != calls {
		t.Errorf("%+v", b)
	}
	if b := check("l", ByKeyReversed).Value.([]Bucket); len(b) != 1 || *b[0].Low != 5 || *b[0].High != 9 {
		t.Errorf("%+v", b)
	}
	if f := check("s", ByValueReversed).Keys[0].([]Frame); len(f) != 2 || f[0].Symbol == "" {
		t.Errorf("%+v", f)
	}
	if all, err := d.Aggregations(Any); err != nil || len(all) != 5 {
		t.Errorf("%v %v", err, all)
	}
}

func TestEvents(t *testing.T) {
	d, err := Open(map[string]string{"quiet": ""})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err = d.Spawn("/bin/echo", "hello"); err != nil {
		t.Fatal(err)
	}
	if err = d.Enable(`syscall::write:entry /pid == $target/ { printf("%s %d\n", copyinstr(arg1, 5), arg2); }`); err != nil {
		t.Fatal(err)
	}
	var events []Event
	if err = d.Run(0, func(e Event) { events = append(events, e) }); err != nil {
		t.Fatal(err)
	}
	if len(events) != 1 || events[0].Text != "hello 6\n" || events[0].Probe.Function != "write" || events[0].Values[0] != "hello" {
		t.Errorf("%+v", events)
	}
}

func TestErrors(t *testing.T) {
	d, err := Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err = d.Enable("BEGIN { nonsense }"); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("%v", err)
	}
	if err = d.Set("nosuch", "1"); err == nil {
		t.Error("an option that is not there")
	}
}
