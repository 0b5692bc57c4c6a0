// SPDX-License-Identifier: BSD-2-Clause

// Real traces: each test knows what its trace must show. L8, L9: a live view, contexts, goroutines, ends.
package dtrace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	calls = 1000
	ticks = "tick-10ms { trace(++n); }"
)

var background = context.Background()

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, program string, args ...any) *Tracer {
	t.Helper()
	d, err := Open(Options{"quiet": "", "switchrate": "10ms"})
	must(t, err)
	t.Cleanup(func() { d.Close() })
	must(t, d.Enable(program, args...))
	return d
}

func TestAggregations(t *testing.T) {
	d := open(t, `syscall::getppid:entry /pid == $1/ { @[execname, probefunc] = count(); @sum = sum(3); @q = quantize(20);
		@s[stack(2)] = count(); @l = lquantize(7, 0, 10, 5); @low = lquantize(-7, 0, 10, 5); @p = percentiles(7);
		@neg[(int)-1, (uint64_t)-1] = count(); }
		syscall::getppid:entry /pid == $1 && ++n == $2/ { exit(7); }`, os.Getpid(), calls)
	must(t, d.Go())
	for i := 0; i < calls; i++ {
		syscall.Getppid()
	}
	must(t, d.Run(background, nil))
	if status, err := d.ExitStatus(); status != 7 || err != nil {
		t.Errorf("exit status %d, %v", status, err)
	}
	check := func(name string, order Order) Element {
		t.Helper()
		list, err := d.Aggregation(name, order)
		if err != nil || len(list) != 1 {
			t.Fatalf("@%s: %v, %d elements", name, err, len(list))
		}
		return list[0]
	}
	var program, function string
	var n int32
	if err := check("", Sorted).Scan(&program, &function, &n); err != nil || n != calls || function != "getppid" {
		t.Errorf("%v %s %d", err, function, n)
	}
	if e := check("sum", ByKey); e.Value.Int() != 3*calls || e.Value.Any() != int64(3*calls) {
		t.Errorf("%+v", e)
	}
	for name, want := range map[string]string{"q": "[16…31: 1000]", "l": "[5…9: 1000]", "low": "[-∞…-1: 1000]"} {
		if got := fmt.Sprint(check(name, ByValue).Value.Buckets()); got != want {
			t.Errorf("@%s: %s, not %s", name, got, want)
		}
	}
	if f := check("s", ByValueReversed).Keys[0].Frames(); len(f) != 2 || f[0].Symbol == "" {
		t.Errorf("%+v", f)
	}
	if p := check("p", Any).Value.Percentiles(); p["count"] != calls {
		t.Errorf("%+v", p)
	}
	if k := check("neg", ByKeyReversed).Keys; k[0].Any() != int64(-1) || k[1].Any() != ^uint64(0) {
		t.Errorf("%+v", k)
	}
	if all, err := d.Aggregations(ByValueVarReversed); err != nil || len(all) != 8 {
		t.Errorf("%v %v", err, all)
	}
	if _, err := d.Aggregations(Order(99)); err == nil {
		t.Error("an order that does not exist")
	}
	must(t, d.Clear())
	if n := check("sum", Sorted).Value.Int(); n != 0 {
		t.Errorf("%d after Clear", n)
	}
}

func TestEvents(t *testing.T) {
	d, err := Open(Options{"quiet": ""})
	must(t, err)
	defer d.Close()
	p, err := d.Spawn("/bin/echo", "hello")
	must(t, err)
	must(t, d.Enable(`syscall::write:entry /pid == $target/ { printf("%s %d\n", copyinstr(arg1, 5), arg2); }`))
	var events []Event
	must(t, d.Run(background, func(e Event) { events = append(events, e) }))
	if len(events) != 1 || events[0].Text != "hello 6\n" || events[0].Probe.Function != "write" {
		t.Fatalf("%+v", events)
	}
	var word string
	var n uint8
	if err := events[0].Scan(&word, &n); err != nil || word != "hello" || n != 6 {
		t.Errorf("%v %s %d", err, word, n)
	}
	if status, ended, err := p.Status(); !ended || err != nil || status.ExitStatus() != 0 || p.Pid() <= 0 {
		t.Errorf("%v %v %v %d", status, ended, err, p.Pid())
	}
}

func TestScan(t *testing.T) {
	var i8 int8
	var u uint64
	var s string
	var all any
	var raw []byte
	for _, c := range []struct {
		v    Value
		dest any
		want string
	}{
		{Value{num: 300}, &i8, "300 does not fit int8"},
		{Value{num: -1}, &u, "-1 does not fit uint64"},
		{Value{kind: KindUint, num: -1}, &u, ""},
		{Value{kind: KindString, text: "x"}, &u, "a string does not go into uint64"},
		{Value{num: 5}, &s, ""},
		{Value{kind: KindBytes, text: "\x01"}, &raw, ""},
		{Value{kind: KindStack}, &all, ""},
		{Value{num: 5}, 7, "int is not a pointer"},
		{Value{num: 5}, (*int)(nil), "not a pointer to a variable"},
	} {
		err := Event{Values: []Value{c.v}}.Scan(c.dest)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v into %T: %v", c.v, c.dest, err)
		}
	}
	if u != ^uint64(0) || s != "5" || string(raw) != "\x01" || all == nil {
		t.Error(u, s, raw, all)
	}
	if err := (Event{}).Scan(&s); err == nil {
		t.Error("a value that is not there")
	}
}

// A view that refreshes: waiting with a limit leaves the trace running.
func TestLive(t *testing.T) {
	d := open(t, "tick-10ms { @ = count(); }")
	seen := map[int64]bool{}
	last := int64(0)
	for len(seen) < 3 {
		ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
		if err := d.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		cancel()
		list, err := d.Aggregation("", Sorted)
		must(t, err)
		for _, e := range list {
			if e.Value.Int() < last {
				t.Errorf("%d after %d", e.Value.Int(), last)
			}
			last = e.Value.Int()
			seen[last] = true
		}
	}
	must(t, d.Stop())
	must(t, d.Wait(background))
	must(t, d.Wait(background))
	if _, err := d.Next(background); err != io.EOF {
		t.Error(err)
	}
}

// Contexts end calls, not the trace, and lose no event, whichever way they are read.
func TestContexts(t *testing.T) {
	d := open(t, ticks+"tick-10ms /n == 60/ { exit(0); }")
	var seen []int64
	add := func(e Event) {
		if len(e.Values) > 0 {
			seen = append(seen, e.Values[0].Int())
		}
	}
	for n, ended := 0, false; !ended; n++ {
		ctx, cancel := context.WithTimeout(background, 15*time.Millisecond)
		switch n % 3 {
		case 0:
			e, err := d.Next(ctx)
			if err == nil {
				add(e)
			}
			ended = err == io.EOF
		case 1:
			for e := range d.Events(ctx) {
				add(e)
			}
			if err := d.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
		case 2:
			d.All(ctx)(func(e Event, err error) bool {
				if err == nil {
					add(e)
				}
				return len(seen)%5 != 0
			})
		}
		cancel()
	}
	for i, v := range seen {
		if v != int64(i)+1 {
			t.Fatalf("%d. is %d: %v", i, v, seen)
		}
	}
	if len(seen) < 60 {
		t.Error(seen)
	}
	if _, err := d.Next(background); err != io.EOF {
		t.Error(err)
	}
	done, cancel := context.WithCancel(background)
	cancel()
	if err := open(t, ticks).Run(done, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAggregationsBetweenEvents(t *testing.T) {
	d := open(t, "tick-10ms { @ = count(); trace(++n); }")
	last := int64(0)
	must(t, d.Run(background, func(e Event) {
		if len(e.Values) == 0 {
			return
		}
		last = e.Values[0].Int()
		list, err := d.Aggregation("", Sorted)
		if err != nil || list[0].Value.Int() < last {
			t.Errorf("%v: %v is less than %d", err, list, last)
		}
		if last == 5 {
			must(t, d.Stop())
		}
	}))
	if last < 5 {
		t.Error(last)
	}
}

// What ends the wait of another goroutine, and with which error.
func TestEndedByAnother(t *testing.T) {
	for want, end := range map[error]func(*Tracer) error{io.EOF: (*Tracer).Stop, ErrClosed: (*Tracer).Close} {
		d := open(t, ticks)
		begun, result := make(chan struct{}), make(chan error)
		go func() {
			_, err := d.Next(background)
			close(begun)
			for err == nil {
				_, err = d.Next(background)
			}
			result <- err
		}()
		<-begun
		must(t, end(d))
		if err := <-result; err != want {
			t.Errorf("%v, not %v", err, want)
		}
	}
}

func TestSeveralReaders(t *testing.T) {
	d := open(t, ticks+"tick-10ms /n == 30/ { exit(0); }")
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[int64]int{}
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for e, err := d.Next(background); err == nil; e, err = d.Next(background) {
				mu.Lock()
				if len(e.Values) > 0 {
					seen[e.Values[0].Int()]++
				}
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	for n := int64(1); n <= 30; n++ {
		if seen[n] != 1 {
			t.Errorf("event %d was read %d times", n, seen[n])
		}
	}
}

// A process is started and let run by goroutines on other threads than those that end meanwhile.
func TestSpawnInAnotherThread(t *testing.T) {
	d, err := Open(Options{"quiet": ""})
	must(t, err)
	defer d.Close()
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // not unlocked: the thread ends here
		_, err := d.Spawn("/bin/sh", "-c", "exit 3")
		started <- err
	}()
	must(t, <-started)
	must(t, d.Enable("syscall::exit_group:entry /pid == $target/ { trace(arg0); }"))
	var codes []string
	must(t, d.Run(background, func(e Event) { codes = append(codes, e.Values[0].String()) }))
	if !reflect.DeepEqual(codes, []string{"3"}) {
		t.Error(codes)
	}
}

func TestErrors(t *testing.T) {
	d, err := Open(nil)
	must(t, err)
	defer d.Close()
	var library *Error
	var wrong *CompileError
	err = d.Enable("BEGIN {\n  nonsense }")
	if !errors.As(err, &wrong) || wrong.Line != 2 || wrong.Column != 3 || !errors.As(err, &library) ||
		!regexp.MustCompile(`(?s)^dtrace: line 2: .*nonsense.*\^~~~`).MatchString(err.Error()) {
		t.Errorf("%v", err)
	}
	var option *OptionError
	err = d.Set("bufsiz", "1")
	if !errors.As(err, &option) || option.Option != "bufsiz" || !strings.Contains(err.Error(), "option bufsiz: ") ||
		!strings.Contains(option.Hint, "bufsize") {
		t.Errorf("%v", err)
	}
	if err = d.Set("bufsize", "much"); err == nil || !strings.Contains(err.Error(), "option bufsize: Invalid value") {
		t.Errorf("%v", err)
	}
	if _, err = Open(Options{"nosuch": "", "quiet": ""}); err == nil || !strings.Contains(err.Error(), "option nosuch: ") {
		t.Errorf("%v", err)
	}
	if err = d.Enable("BEGIN { }\x00nonsense"); err == nil || !strings.Contains(err.Error(), "NUL") {
		t.Errorf("%v", err)
	}
	if _, err = d.Spawn("/no/such/program"); err == nil || !strings.Contains(err.Error(), "No such file") {
		t.Errorf("%v", err)
	}
	if _, err = d.Spawn(); err == nil {
		t.Error("no command")
	}
	if err = d.Stop(); err != ErrNotStarted {
		t.Errorf("%v", err)
	}
	must(t, d.Set("bufsize", "64k"))
	if n, set, err := d.Option("bufsize"); n != 65536 || !set || err != nil {
		t.Error(n, set, err)
	}
	if list, err := d.Probes("syscall::read:entry"); err != nil || len(list) != 1 || !strings.HasPrefix(list[0].String(), "syscall:") {
		t.Error(list, err)
	}
}

func TestUsedAfterClose(t *testing.T) {
	d, err := Open(nil)
	must(t, err)
	p, err := d.Spawn("/bin/true")
	must(t, err)
	must(t, d.Close())
	must(t, d.Close())
	for name, call := range map[string]func() error{
		"Set": func() error { return d.Set("quiet", "") }, "Enable": func() error { return d.Enable("BEGIN { }") },
		"Option": func() error { _, _, err := d.Option("bufsize"); return err },
		"Probes": func() error { _, err := d.Probes("BEGIN"); return err },
		"Spawn":  func() error { _, err := d.Spawn("true"); return err },
		"Grab":   func() error { _, err := d.Grab(1); return err },
		"Status": func() error { _, _, err := p.Status(); return err },
		"Go":     d.Go, "Stop": d.Stop, "Clear": d.Clear,
		"Next":         func() error { _, err := d.Next(background); return err },
		"Wait":         func() error { return d.Wait(background) },
		"Run":          func() error { return d.Run(background, nil) },
		"ExitStatus":   func() error { _, err := d.ExitStatus(); return err },
		"Notice":       func() error { _, err := d.Notice(); return err },
		"Aggregation":  func() error { _, err := d.Aggregation("", Sorted); return err },
		"Aggregations": func() error { _, err := d.Aggregations(Sorted); return err },
		"Events": func() error {
			for range d.Events(background) {
				t.Error("an event")
			}
			return d.Err()
		},
		"All": func() (err error) {
			d.All(background)(func(_ Event, e error) bool { err = e; return true })
			return err
		},
	} {
		if err := call(); !errors.Is(err, ErrClosed) || !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWarnings(t *testing.T) {
	d := open(t, "BEGIN { trace(*(int *)0); } tick-10ms { exit(0); }")
	var told []string
	d.Warn = func(m string) { told = append(told, m) }
	must(t, d.Run(background, nil))
	if len(told) != 1 || !strings.Contains(told[0], "invalid address") {
		t.Error(told)
	}
}

func TestWithoutRights(t *testing.T) {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // not unlocked: the thread, which alone gives up its rights, ends here
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, 65534, 65534, 65534); errno != 0 {
			result <- errno
			return
		}
		d, err := Open(nil)
		if err == nil {
			err = d.Enable("syscall:::entry { @ = count(); }")
		}
		if err == nil {
			err = d.Go()
		}
		result <- err
	}()
	if err := <-result; !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "privileges") {
		t.Error(err)
	}
}

func TestExamples(t *testing.T) {
	run := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.Command("go", append([]string{"run", "./example/" + name}, args...)...).Output()
		if err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				t.Fatalf("%s: %v: %s", name, err, exit.Stderr)
			}
			t.Fatal(err)
		}
		return string(out)
	}
	if out := run("top", "100ms", "2"); strings.Count(out, "PROGRAM") != 2 {
		t.Error(out)
	}
	out := run("latency", "/bin/sh", "-c", "cat /etc/passwd >/dev/null; cd /; cd /tmp")
	if !regexp.MustCompile(`(?m)^chdir: 2 calls\n +\d+ ns \|@+ *\| [12]$`).MatchString(out) {
		t.Error(out)
	}
	found := false
	for _, line := range strings.Split(run("stream", "/bin/cat", "/etc/passwd"), "\n") {
		var o struct{ Path string }
		found = found || json.Unmarshal([]byte(line), &o) == nil && o.Path == "/etc/passwd"
	}
	if !found {
		t.Error("the file is not in the stream")
	}
}

func Example() {
	t, err := Open(Options{"quiet": ""})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close()
	if err := t.Enable(`BEGIN { printf("%s %d", $$1, $2); exit(0); }`, "hello", 6); err != nil {
		fmt.Println(err)
		return
	}
	for e := range t.Events(context.Background()) {
		var word string
		var n int
		if e.Scan(&word, &n) == nil {
			fmt.Println(e.Probe, e.Text, word, n)
		}
	}
	fmt.Println(t.Err())
	// Output:
	// dtrace:::BEGIN hello 6 hello 6
	// <nil>
}
