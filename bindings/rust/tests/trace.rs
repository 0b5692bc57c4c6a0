// SPDX-License-Identifier: BSD-2-Clause
use dtrace::{Order, Tracer, Value};

extern "C" {
    fn getppid() -> i32;
}

const CALLS: i64 = 1000;

#[test]
fn aggregations() {
    let mut t = Tracer::open(&[("quiet", "")]).unwrap();
    let pid = std::process::id().to_string();
    t.enable(
        "syscall::getppid:entry /pid == $1/ { @[probefunc] = count(); @sum = sum(3); @q = quantize(20); @s[stack(2)] = count(); }
         syscall::getppid:entry /pid == $1 && ++n == $2/ { exit(7); }",
        &[&pid, &CALLS.to_string()],
    )
    .unwrap();
    t.go().unwrap();
    for _ in 0..CALLS {
        unsafe { getppid() };
    }
    t.run(None, |_| ()).unwrap();
    assert_eq!(t.exit_status(), 7);
    let one = |t: &mut Tracer, name, order| {
        let list = t.aggregation(Some(name), order).unwrap();
        assert_eq!(list.len(), 1);
        list[0].clone()
    };
    let e = one(&mut t, "", Order::Sorted);
    assert_eq!((&e.keys[0], &e.value), (&Value::Text("getppid".into()), &Value::Int(CALLS)));
    assert_eq!(one(&mut t, "sum", Order::Key).value, Value::Int(3 * CALLS));
    match one(&mut t, "q", Order::Value).value {
        Value::Buckets(b) => assert_eq!((b.len(), b[0].low, b[0].high, b[0].count), (1, Some(16), Some(31), CALLS)),
        other => panic!("{:?}", other),
    }
    match &one(&mut t, "s", Order::ValueReversed).keys[0] {
        Value::Stack(frames) => assert!(frames.len() == 2 && !frames[0].symbol.is_empty()),
        other => panic!("{:?}", other),
    }
    assert_eq!(t.aggregation(None, Order::Any).unwrap().len(), 4);
    assert!(t.warnings().is_empty());
}

#[test]
fn events() {
    let mut t = Tracer::open(&[("quiet", "")]).unwrap();
    let mut events = Vec::new();
    t.spawn(&["/bin/echo", "hello"]).unwrap();
    t.enable("syscall::write:entry /pid == $target/ { printf(\"%s %d\\n\", copyinstr(arg1, 5), arg2); }", &[]).unwrap();
    t.run(None, |e| events.push(e)).unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].text.as_str(), events[0].probe.function.as_str()), ("hello 6\n", "write"));
    assert_eq!(events[0].values[0], Value::Text("hello".into()));
}

#[test]
fn errors() {
    let mut t = Tracer::open(&[]).unwrap();
    assert!(t.enable("BEGIN { nonsense }", &[]).unwrap_err().message.contains("nonsense"));
    assert!(t.set("nosuch", "1").is_err());
}
