// SPDX-License-Identifier: BSD-2-Clause
//! Real traces: each test knows what its trace must show. L8, L9: a live view, iterators, threads, ends.
use dtrace::{Bucket, Error, Order, StopHandle, Tracer, Value};
use std::io;
use std::sync::mpsc;
use std::time::Duration;

extern "C" {
    fn getppid() -> i32;
    fn syscall(number: i64, ...) -> i64;
}

const CALLS: i64 = 1000;
const TICKS: &str = "tick-10ms { trace(++n); }";

fn open(program: &str) -> Tracer {
    let t = Tracer::open(&[("quiet", ""), ("switchrate", "10ms")]).unwrap();
    t.enable(program, &[]).unwrap();
    t
}

#[test]
fn aggregations() {
    let t = Tracer::open(&[("quiet", "")]).unwrap();
    t.enable(
        "syscall::getppid:entry /pid == $1/ { @[probefunc] = count(); @sum = sum(3); @q = quantize(20); @s[stack(2)] = count();
            @l = lquantize(-7, 0, 10, 5); @p = percentiles(7); @neg[(int)-1, (uint64_t)-1] = count(); }
         syscall::getppid:entry /pid == $1 && ++n == $2/ { exit(7); }",
        &[&std::process::id(), &CALLS],
    )
    .unwrap();
    t.go().unwrap();
    for _ in 0..CALLS {
        unsafe { getppid() };
    }
    t.wait().unwrap();
    assert_eq!(t.exit_status(), 7);
    let one = |name, order| {
        let list = t.aggregation(name, order).unwrap();
        assert_eq!(list.len(), 1);
        list[0].clone()
    };
    let e = one("", Order::Sorted);
    assert_eq!((e.key::<String>(0).unwrap(), e.get::<i64>().unwrap()), ("getppid".to_string(), CALLS));
    assert_eq!(one("sum", Order::Key).value, Value::Int(3 * CALLS));
    assert_eq!(one("q", Order::Value).buckets(), [Bucket { low: Some(16), high: Some(31), count: CALLS }]);
    assert_eq!(one("l", Order::Value).buckets(), [Bucket { low: None, high: Some(-1), count: CALLS }]);
    assert_eq!(one("neg", Order::KeyVar).keys, [Value::Int(-1), Value::Uint(u64::MAX)]);
    match &one("p", Order::ValueVar).value {
        Value::Percentiles(p) => assert_eq!(p["count"], CALLS),
        other => panic!("{other:?}"),
    }
    match &one("s", Order::ValueReversed).keys[0] {
        Value::Stack(frames) => assert!(frames.len() == 2 && !frames[0].symbol.is_empty()),
        other => panic!("{other:?}"),
    }
    assert_eq!(t.aggregations(Order::Any).unwrap().len(), 7);
    assert!(t.warnings().is_empty());
    t.clear();
    assert_eq!(one("sum", Order::Sorted).value, Value::Int(0));
}

#[test]
fn values() {
    let e = one_event("BEGIN { trace(300); trace(\"x\"); exit(0); }");
    assert_eq!((e.get::<i64>(0), e.get::<u16>(0), e.get::<String>(1)), (Ok(300), Ok(300), Ok("x".to_string())));
    assert!(matches!(e.get::<u8>(0), Err(Error::Type { wanted: "u8", .. })));
    assert!(matches!(e.get::<i64>(1), Err(Error::Type { wanted: "i64", .. })));
    assert_eq!(e.get::<i64>(9), Err(Error::Index(9)));
    assert_eq!(format!("[{:>5}] [{:5}]", e.values[0], e.values[1]), "[  300] [x    ]");
}

fn one_event(program: &str) -> dtrace::Event {
    open(program).events().next().unwrap().unwrap()
}

#[test]
fn events() {
    let t = Tracer::open(&[("quiet", "")]).unwrap();
    let child = t.spawn(["/bin/echo", "hello"]).unwrap();
    t.enable("syscall::write:entry /pid == $target/ { printf(\"%s %d\\n\", copyinstr(arg1, 5), arg2); }", &[]).unwrap();
    assert!(child.status().is_none() && child.id() > 0);
    let events = t.events().collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].text.as_str(), events[0].probe.function.as_str()), ("hello 6\n", "write"));
    assert_eq!(events[0].values[0], Value::Text("hello".into()));
    assert!(child.status().unwrap().success());
}

/// A view that refreshes: waiting with a limit leaves the trace running, and aggregations grow from look to look.
#[test]
fn live() {
    let t = open("tick-10ms { @ = count(); }");
    let mut seen: Vec<i64> = Vec::new();
    while seen.len() < 3 {
        assert!(!t.wait_timeout(Duration::from_millis(50)).unwrap());
        for e in t.aggregation("", Order::Sorted).unwrap() {
            let n = e.get().unwrap();
            assert!(seen.last().map_or(true, |last| *last <= n));
            if seen.last() != Some(&n) {
                seen.push(n);
            }
        }
    }
    t.stop().unwrap();
    t.wait().unwrap();
    t.wait().unwrap();
    assert!(t.wait_timeout(Duration::from_secs(100)).unwrap());
}

/// Iterators that end early lose no event, and after the end there is an error, not nothing.
#[test]
fn no_event_is_lost() {
    let t = open(&format!("{TICKS} tick-10ms /n == 30/ {{ exit(0); }}"));
    let mut seen: Vec<i64> = Vec::new();
    while !t.ended() {
        for e in t.events_for(Duration::from_millis(30)) {
            seen.extend(e.unwrap().get::<i64>(0));
            break;
        }
    }
    assert!(seen.len() >= 30 && seen.iter().zip(1..).all(|(v, n)| *v == n), "{seen:?}");
    let mut late = t.events();
    assert_eq!((late.next(), late.next()), (Some(Err(Error::Ended)), None));
    assert_eq!(t.run(None, |_| ()), Err(Error::Ended));
    assert_eq!(t.events_for(Duration::ZERO).next(), Some(Err(Error::Ended)));
}

#[test]
fn aggregations_between_events() {
    let t = open("tick-10ms { @ = count(); trace(++n); } END { trace(-1); }");
    let mut last = 0;
    t.run(None, |e| {
        last = e.get::<i64>(0).unwrap();
        assert!(t.aggregation("", Order::Sorted).unwrap()[0].get::<i64>().unwrap() >= last);
        if last == 5 {
            t.stop().unwrap();
        }
    })
    .unwrap();
    assert_eq!(last, -1);
}

#[test]
fn a_limit_ends_a_run() {
    let t = open("tick-10ms { @ = count(); } END { trace(1); }");
    let mut n = 0;
    t.run(Some(Duration::from_millis(50)), |_| n += 1).unwrap();
    assert!(n == 1 && t.ended());
}

/// Moved to a thread, stopped by this one; before it begins, while it waits, and when it is gone.
#[test]
fn stopped_by_another_thread() {
    fn both<T: Send + Sync>(_: &T) {}
    for early in [true, false] {
        let t = open(TICKS);
        let stop: StopHandle = t.stop_handle();
        let (begun, wait) = mpsc::channel();
        both(&stop);
        if early {
            stop.stop();
        }
        let reader = std::thread::spawn(move || {
            let n = t.events().inspect(|_| begun.send(()).unwrap_or(())).map(Result::unwrap).count();
            (n, t.ended())
        });
        if !early {
            wait.recv().unwrap();
            stop.stop();
        }
        assert!(reader.join().unwrap().1);
        stop.stop();
    }
}

/// The thread that started the process has ended when the process is to run.
#[test]
fn moved_with_a_process() {
    let t = std::thread::spawn(|| {
        let t = Tracer::open(&[("quiet", "")]).unwrap();
        t.spawn(["/bin/sh", "-c", "exit 3"]).unwrap();
        t
    })
    .join()
    .unwrap();
    t.enable("syscall::exit_group:entry /pid == $target/ { trace(arg0); }", &[]).unwrap();
    let codes: Vec<i32> = t.events().map(|e| e.unwrap().get(0).unwrap()).collect();
    assert_eq!(codes, [3]);
}

#[test]
fn errors() {
    let t = Tracer::open(&[]).unwrap();
    let e = t.enable("BEGIN {\n  nonsense }", &[]).unwrap_err();
    assert!(matches!(e, Error::Compile { line: Some(2), column: Some(3), .. }));
    assert!(e.to_string().starts_with("line 2: ") && e.to_string().contains("nonsense") && e.to_string().contains("^~~~~"));
    assert_eq!(t.set("bufsiz", "1").unwrap_err().to_string(), "option bufsiz: Invalid option name (did you mean `bufsize`?)");
    assert!(t.set("bufsize", "much").unwrap_err().to_string().starts_with("option bufsize: Invalid value"));
    assert!(matches!(Tracer::open(&[("nosuch", "")]), Err(Error::Option { name, .. }) if name == "nosuch"));
    assert!(matches!(t.option("nosuch"), Err(Error::Option { .. })));
    assert!(matches!(t.enable("BEGIN { }\0nonsense", &[]), Err(Error::Nul(_))));
    assert!(t.spawn(["/no/such/program"]).unwrap_err().to_string().contains("No such file"));
    assert!(t.spawn([""; 0]).is_err());
    assert!(t.grab(u32::MAX).is_err());
    assert_eq!(t.stop(), Err(Error::NotStarted));
    assert_eq!(io::Error::from(e).kind(), io::ErrorKind::InvalidInput);
    assert_eq!(t.probes("syscall::read:entry").unwrap()[0].function, "read");
    assert_eq!(t.notice(), "");
    t.close();
}

#[test]
fn warnings() {
    let t = open("BEGIN { trace(*(int *)0); } tick-10ms { exit(0); }");
    t.wait().unwrap();
    let told = t.warnings();
    assert!(told.len() == 1 && told[0].contains("invalid address"), "{told:?}");
}

/// Only the thread gives up its rights: the C library would do it for all.
#[test]
fn without_rights() {
    let number = if cfg!(target_arch = "x86_64") { 117 } else { 147 };
    let result = std::thread::spawn(move || {
        assert_eq!(unsafe { syscall(number, 65534i64, 65534i64, 65534i64) }, 0);
        let t = Tracer::open(&[])?;
        t.enable("syscall:::entry { @ = count(); }", &[])?;
        t.go()
    });
    let e = result.join().unwrap().unwrap_err();
    assert!(matches!(e, Error::Access { .. }));
    assert!(e.to_string().contains("privileges"));
    assert_eq!(io::Error::from(e).kind(), io::ErrorKind::PermissionDenied);
}

/// cargo test has built them beside the tests.
fn example(name: &str, args: &[&str]) -> String {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().parent().unwrap().join("examples").join(name);
    let out = std::process::Command::new(program).args(args).output().unwrap();
    assert!(out.status.success(), "{out:?}");
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn examples() {
    assert_eq!(example("top", &["100", "2"]).matches("PROGRAM").count(), 2);
    let out = example("latency", &["/bin/sh", "-c", "cat /etc/passwd >/dev/null; cd /; cd /tmp"]);
    assert!(out.contains("chdir: 2 calls\n") && out.contains(" ns |@@@"), "{out}");
    assert!(example("stream", &["/bin/cat", "/etc/passwd"]).contains("path=\"/etc/passwd\""));
}
