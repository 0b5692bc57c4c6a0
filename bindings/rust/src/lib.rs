// SPDX-License-Identifier: BSD-2-Clause
//! DTrace from Rust: programs in D, their events and aggregations as values.
//!
//! ```no_run
//! # fn main() -> Result<(), dtrace::Error> {
//! let mut t = dtrace::Tracer::open(&[("quiet", "")])?;
//! t.enable("syscall:::entry { @[execname] = count(); }", &[])?;
//! t.run(Some(std::time::Duration::from_secs(1)), |_| ())?;
//! for e in t.aggregation(Some(""), dtrace::Order::Sorted)? {
//!     println!("{:?} {:?}", e.keys, e.value);
//! }
//! # Ok(()) }
//! ```
//! The crate uses nothing but libdtrace; doc/API.md says what the calls beneath do.
mod ffi;

use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::{c_char, c_int, c_void};
use std::time::{Duration, Instant};

/// What the library refused, in its own words.
#[derive(Debug, Clone)]
pub struct Error {
    pub errno: i32,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}
impl std::error::Error for Error {}

/// A probe's name in four parts, and its number.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    pub id: u32,
    pub provider: String,
    pub module: String,
    pub function: String,
    pub name: String,
}

/// A place in code.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    pub address: u64,
    pub symbol: String,
}

/// Part of a distribution: numbers from `low` to `high`, both included; `None`: there is no such end.
#[derive(Debug, Clone, PartialEq)]
pub struct Bucket {
    pub low: Option<i64>,
    pub high: Option<i64>,
    pub count: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Int(i64),
    Uint(u64),
    Text(String),
    Bytes(Vec<u8>),
    Address(Frame),
    Stack(Vec<Frame>),
    Buckets(Vec<Bucket>),
}

/// A firing: what it recorded, and what dtrace would have printed.
#[derive(Debug, Clone)]
pub struct Event {
    pub probe: Probe,
    pub cpu: i32,
    pub timestamp: u64,
    pub values: Vec<Value>,
    pub text: String,
}

/// An element of an aggregation; `name` is without @, and empty for the one without a name.
#[derive(Debug, Clone)]
pub struct Element {
    pub name: String,
    pub keys: Vec<Value>,
    pub value: Value,
}

/// How elements are sorted: as they come, by value as the options say, by key, by value, and these two in reverse.
#[derive(Debug, Clone, Copy)]
pub enum Order {
    Any,
    Sorted,
    Key,
    Value,
    KeyReversed,
    ValueReversed,
}

/// What callbacks write to. It lies in a box, so the library's pointer to it stays good when the tracer is moved.
#[derive(Default)]
struct State {
    events: Vec<Event>,
    warnings: Vec<String>,
}

/// A handle of libdtrace. It stays in the thread that made it.
pub struct Tracer {
    h: *mut ffi::dtrace_hdl,
    state: Box<State>,
    processes: Vec<*mut ffi::ps_prochandle>,
    running: bool,
}

fn text(p: *const c_char) -> String {
    if p.is_null() {
        return String::new();
    }
    unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned()
}

fn cstring(s: &str) -> Result<CString, Error> {
    CString::new(s).map_err(|_| Error { errno: 22, message: format!("{:?} holds a NUL", s) })
}

/// C's argv of some words: the strings, and the pointers to them.
fn argv(words: &[&str]) -> Result<(Vec<CString>, Vec<*mut c_char>), Error> {
    let strings = words.iter().map(|w| cstring(w)).collect::<Result<Vec<_>, _>>()?;
    let mut list: Vec<_> = strings.iter().map(|s| s.as_ptr() as *mut c_char).collect();
    list.push(std::ptr::null_mut());
    Ok((strings, list))
}

fn frame(h: *mut ffi::dtrace_hdl, address: u64, pid: c_int) -> Frame {
    let mut buf = vec![0 as c_char; 4096];
    unsafe {
        if pid != 0 {
            ffi::dtrace_uaddr2str(h, pid, address, buf.as_mut_ptr(), buf.len() as c_int);
        } else {
            ffi::dtrace_addr2str(h, address, buf.as_mut_ptr(), buf.len() as c_int);
        }
    }
    Frame { address, symbol: text(buf.as_ptr()) }
}

fn none() -> ffi::val {
    ffi::val { kind: 0, pid: 0, int: 0, bytes: std::ptr::null(), len: 0, frames: std::ptr::null(), nframes: 0 }
}

fn value(h: *mut ffi::dtrace_hdl, v: &ffi::val) -> Value {
    let bytes = || match v.len {
        0 => &[][..],
        n => unsafe { std::slice::from_raw_parts(v.bytes as *const u8, n) },
    };
    match v.kind {
        ffi::VAL_UINT => Value::Uint(v.int as u64),
        ffi::VAL_STRING => Value::Text(String::from_utf8_lossy(bytes()).into_owned()),
        ffi::VAL_BYTES => Value::Bytes(bytes().to_vec()),
        ffi::VAL_ADDRESS => Value::Address(frame(h, v.int as u64, v.pid)),
        ffi::VAL_STACK => Value::Stack((0..v.nframes).map(|i| frame(h, unsafe { *v.frames.add(i) }, v.pid)).collect()),
        _ => Value::Int(v.int),
    }
}

// ---- what the library calls ----

extern "C" fn on_probe(d: *const ffi::probedata, arg: *mut c_void) -> c_int {
    let (state, d) = unsafe { (&mut *(arg as *mut State), &*d) };
    let p = unsafe { &*d.pdesc };
    let mut values = Vec::new();
    let mut v = none();
    while unsafe { ffi::dtrace_probedata_value(d, values.len() as c_int, &mut v) } == 0 {
        values.push(value(d.handle, &v));
    }
    let probe = Probe {
        id: p.id,
        provider: text(p.provider.as_ptr()),
        module: text(p.module.as_ptr()),
        function: text(p.func.as_ptr()),
        name: text(p.name.as_ptr()),
    };
    state.events.push(Event { probe, cpu: d.cpu, timestamp: d.timestamp, values, text: String::new() });
    ffi::CONSUME_THIS
}

extern "C" fn on_rec(_: *const ffi::probedata, _: *const ffi::recdesc, _: *mut c_void) -> c_int {
    ffi::CONSUME_THIS
}

extern "C" fn on_text(d: *const ffi::bufdata, arg: *mut c_void) -> c_int {
    let state = unsafe { &mut *(arg as *mut State) };
    if let Some(e) = state.events.last_mut() {
        e.text.push_str(&text(unsafe { (*d).buffered }));
    }
    0
}

extern "C" fn on_drop(d: *const ffi::dropdata, arg: *mut c_void) -> c_int {
    let state = unsafe { &mut *(arg as *mut State) };
    state.warnings.push(text(unsafe { (*d).msg }).trim().to_string());
    0
}

extern "C" fn on_fault(d: *const ffi::errdata, arg: *mut c_void) -> c_int {
    let state = unsafe { &mut *(arg as *mut State) };
    state.warnings.push(text(unsafe { (*d).msg }).trim().to_string());
    0
}

struct Walk<'a> {
    name: Option<&'a str>,
    found: Vec<Element>,
}

extern "C" fn on_bucket(b: *const ffi::bucket, arg: *mut c_void) -> c_int {
    let (list, b) = unsafe { (&mut *(arg as *mut Vec<Bucket>), &*b) };
    list.push(Bucket {
        low: if b.has_low != 0 { Some(b.low) } else { None },
        high: if b.has_high != 0 { Some(b.high) } else { None },
        count: b.count,
    });
    0
}

extern "C" fn on_element(d: *const ffi::aggdata, arg: *mut c_void) -> c_int {
    let (walk, handle) = unsafe { (&mut *(arg as *mut Walk), (*d).handle) };
    let called = text(unsafe { (*(*d).desc).name });
    let name = if called == "_" { String::new() } else { called };
    let mut v = none();

    if walk.name.map_or(false, |n| n != name) {
        return 0;
    }
    let keys = (0..unsafe { ffi::dtrace_aggdata_nkeys(d) })
        .map(|k| {
            unsafe { ffi::dtrace_aggdata_key(d, k, &mut v) };
            value(handle, &v)
        })
        .collect();
    unsafe { ffi::dtrace_aggdata_value(d, &mut v) };
    let value = if v.kind == ffi::VAL_BUCKETS {
        let mut list: Vec<Bucket> = Vec::new();
        unsafe { ffi::dtrace_aggdata_buckets(d, on_bucket, &mut list as *mut _ as *mut c_void) };
        Value::Buckets(list)
    } else {
        value(handle, &v)
    };
    walk.found.push(Element { name, keys, value });
    0
}

impl Tracer {
    /// A tracer with these options, as -x has them; a value "" sets one that takes none.
    pub fn open(options: &[(&str, &str)]) -> Result<Tracer, Error> {
        let mut errno = 0;
        let h = unsafe { ffi::dtrace_open(ffi::DTRACE_VERSION, 0, &mut errno) };
        if h.is_null() {
            return Err(Error { errno, message: text(unsafe { ffi::dtrace_errmsg(std::ptr::null_mut(), errno) }) });
        }
        let mut t = Tracer { h, state: Box::default(), processes: Vec::new(), running: false };
        let arg = t.arg();
        t.check(unsafe { ffi::dtrace_handle_buffered(h, on_text, arg) })?;
        t.check(unsafe { ffi::dtrace_handle_drop(h, on_drop, arg) })?;
        t.check(unsafe { ffi::dtrace_handle_err(h, on_fault, arg) })?;
        for (name, value) in options {
            t.set(name, value)?;
        }
        Ok(t)
    }

    fn arg(&mut self) -> *mut c_void {
        &mut *self.state as *mut State as *mut c_void
    }

    fn error(&self) -> Error {
        let errno = unsafe { ffi::dtrace_errno(self.h) };
        Error { errno, message: text(unsafe { ffi::dtrace_errmsg(self.h, errno) }) }
    }

    fn check(&self, status: c_int) -> Result<(), Error> {
        if status == -1 {
            return Err(self.error());
        }
        Ok(())
    }

    /// Sets an option as -x does.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let (name, text) = (cstring(name)?, cstring(value)?);
        let given = if value.is_empty() { std::ptr::null() } else { text.as_ptr() };
        self.check(unsafe { ffi::dtrace_setopt(self.h, name.as_ptr(), given) })
    }

    /// Compiles a program in D and enables its probes; `args` are $1 and so on.
    pub fn enable(&mut self, program: &str, args: &[&str]) -> Result<(), Error> {
        let words: Vec<&str> = std::iter::once("rust").chain(args.iter().copied()).collect();
        let (_strings, list) = argv(&words)?;
        let source = cstring(program)?;
        let p = unsafe {
            ffi::dtrace_program_strcompile(self.h, source.as_ptr(), ffi::PROBESPEC_NAME, 0, words.len() as c_int, list.as_ptr())
        };
        if p.is_null() {
            return Err(self.error());
        }
        self.check(unsafe { ffi::dtrace_program_exec(self.h, p, std::ptr::null_mut()) })
    }

    /// Starts a command and holds it before it runs; the first process is $target.
    pub fn spawn(&mut self, command: &[&str]) -> Result<(), Error> {
        let (_strings, list) = argv(command)?;
        let p = unsafe { ffi::dtrace_proc_create(self.h, list[0], list.as_ptr()) };
        self.take(p)
    }

    /// Takes a process that is there already; the first process is $target.
    pub fn grab(&mut self, pid: i32) -> Result<(), Error> {
        let p = unsafe { ffi::dtrace_proc_grab(self.h, pid, 0) };
        self.take(p)
    }

    fn take(&mut self, p: *mut ffi::ps_prochandle) -> Result<(), Error> {
        if p.is_null() {
            return Err(self.error());
        }
        self.processes.push(p);
        Ok(())
    }

    /// Lets probes fire, and processes that were held go on.
    pub fn go(&mut self) -> Result<(), Error> {
        self.check(unsafe { ffi::dtrace_go(self.h) })?;
        self.running = true;
        for p in &self.processes {
            unsafe { ffi::dtrace_proc_continue(self.h, *p) };
        }
        Ok(())
    }

    fn processes_gone(&self) -> bool {
        let mut status = 0;
        !self.processes.is_empty() && self.processes.iter().all(|p| unsafe { ffi::dtrace_proc_gone(self.h, *p, &mut status) } == 1)
    }

    /// Gives each event to `f` until the program says exit(), the processes end, or the time is over.
    pub fn run<F: FnMut(Event)>(&mut self, limit: Option<Duration>, mut f: F) -> Result<(), Error> {
        let begin = Instant::now();
        if !self.running {
            self.go()?;
        }
        loop {
            unsafe { ffi::dtrace_sleep(self.h) };
            let over = limit.map_or(false, |l| begin.elapsed() >= l) || self.processes_gone();
            if over {
                self.check(unsafe { ffi::dtrace_stop(self.h) })?;
            }
            let arg = self.arg();
            let status = unsafe { ffi::dtrace_work(self.h, std::ptr::null_mut(), on_probe, on_rec, arg) };
            for e in self.state.events.drain(..) {
                f(e);
            }
            match status {
                ffi::WORKSTATUS_ERROR => return Err(self.error()),
                ffi::WORKSTATUS_DONE => return Ok(()),
                _ if over => return Ok(()),
                _ => (),
            }
        }
    }

    /// What the program gave to exit().
    pub fn exit_status(&self) -> i32 {
        unsafe { ffi::dtrace_exitstatus(self.h) }
    }

    /// Messages of lost data and of faults since the last call.
    pub fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.state.warnings)
    }

    /// The elements of one aggregation ("": the one without a name), or of all of them.
    pub fn aggregation(&mut self, name: Option<&str>, order: Order) -> Result<Vec<Element>, Error> {
        let walk: ffi::walk_f = match order {
            Order::Any => ffi::dtrace_aggregate_walk,
            Order::Sorted => ffi::dtrace_aggregate_walk_sorted,
            Order::Key => ffi::dtrace_aggregate_walk_keysorted,
            Order::Value => ffi::dtrace_aggregate_walk_valsorted,
            Order::KeyReversed => ffi::dtrace_aggregate_walk_keyrevsorted,
            Order::ValueReversed => ffi::dtrace_aggregate_walk_valrevsorted,
        };
        let mut w = Walk { name, found: Vec::new() };
        self.check(unsafe { ffi::dtrace_aggregate_snap(self.h) })?;
        self.check(unsafe { walk(self.h, on_element, &mut w as *mut Walk as *mut c_void) })?;
        Ok(w.found)
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        unsafe { ffi::dtrace_close(self.h) };
    }
}
