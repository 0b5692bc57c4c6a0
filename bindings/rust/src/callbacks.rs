// SPDX-License-Identifier: BSD-2-Clause
//! What the library calls. Everything is copied into [`State`] or a list; no code of the user runs here.
use crate::{ffi, Bucket, Element, Event, Frame, Probe, Value};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_void};

/// What callbacks of dtrace_work() write to. It is reached through a raw pointer, which stays good when the tracer is moved;
/// nobody else looks at it while the library is called.
#[derive(Default)]
pub struct State {
    pub events: VecDeque<Event>,
    pub warnings: Vec<String>,
}

pub fn text(p: *const c_char) -> String {
    if p.is_null() {
        return String::new();
    }
    unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned()
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

fn probe(p: &ffi::probedesc) -> Probe {
    Probe {
        id: p.id,
        provider: text(p.provider.as_ptr()),
        module: text(p.module.as_ptr()),
        function: text(p.func.as_ptr()),
        name: text(p.name.as_ptr()),
    }
}

// ---- firings ----

pub extern "C" fn on_probe(d: *const ffi::probedata, arg: *mut c_void) -> c_int {
    let (state, d) = unsafe { (&mut *(arg as *mut State), &*d) };
    let mut values = Vec::new();
    let mut v = none();
    while unsafe { ffi::dtrace_probedata_value(d, values.len() as c_int, &mut v) } == 0 {
        values.push(value(d.handle, &v));
    }
    let probe = probe(unsafe { &*d.pdesc });
    state.events.push_back(Event { probe, cpu: d.cpu, timestamp: d.timestamp, values, text: String::new() });
    ffi::CONSUME_THIS
}

pub extern "C" fn on_rec(_: *const ffi::probedata, _: *const ffi::recdesc, _: *mut c_void) -> c_int {
    ffi::CONSUME_THIS
}

pub extern "C" fn on_text(d: *const ffi::bufdata, arg: *mut c_void) -> c_int {
    let state = unsafe { &mut *(arg as *mut State) };
    if let Some(e) = state.events.back_mut() {
        e.text.push_str(&text(unsafe { (*d).buffered }));
    }
    0
}

pub extern "C" fn on_drop(d: *const ffi::dropdata, arg: *mut c_void) -> c_int {
    let state = unsafe { &mut *(arg as *mut State) };
    state.warnings.push(text(unsafe { (*d).msg }).trim().to_string());
    0
}

pub extern "C" fn on_fault(d: *const ffi::errdata, arg: *mut c_void) -> c_int {
    let state = unsafe { &mut *(arg as *mut State) };
    state.warnings.push(text(unsafe { (*d).msg }).trim().to_string());
    0
}

pub extern "C" fn on_listed(_: *mut ffi::dtrace_hdl, d: *const ffi::probedesc, arg: *mut c_void) -> c_int {
    let list = unsafe { &mut *(arg as *mut Vec<Probe>) };
    list.push(probe(unsafe { &*d }));
    0
}

// ---- aggregations ----

/// What a walk looks for (`None`: all aggregations), and what it has found.
pub struct Walk<'a> {
    pub name: Option<&'a str>,
    pub found: Vec<Element>,
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

extern "C" fn on_part(name: *const c_char, number: i64, arg: *mut c_void) -> c_int {
    let parts = unsafe { &mut *(arg as *mut BTreeMap<String, i64>) };
    parts.insert(text(name), number);
    0
}

fn element_value(d: *const ffi::aggdata, h: *mut ffi::dtrace_hdl) -> Value {
    let mut parts: BTreeMap<String, i64> = BTreeMap::new();
    let mut list: Vec<Bucket> = Vec::new();
    let mut v = none();
    if unsafe { ffi::dtrace_aggdata_parts(d, on_part, &mut parts as *mut _ as *mut c_void) } == 0 {
        return Value::Percentiles(parts);
    }
    unsafe { ffi::dtrace_aggdata_value(d, &mut v) };
    if v.kind != ffi::VAL_BUCKETS {
        return value(h, &v);
    }
    unsafe { ffi::dtrace_aggdata_buckets(d, on_bucket, &mut list as *mut _ as *mut c_void) };
    Value::Buckets(list)
}

pub extern "C" fn on_element(d: *const ffi::aggdata, arg: *mut c_void) -> c_int {
    let (walk, h) = unsafe { (&mut *(arg as *mut Walk), (*d).handle) };
    let called = text(unsafe { (*(*d).desc).name });
    let name = if called == "_" { String::new() } else { called };
    let mut v = none();

    if walk.name.map_or(false, |n| n != name) {
        return 0;
    }
    let keys = (0..unsafe { ffi::dtrace_aggdata_nkeys(d) })
        .map(|k| {
            unsafe { ffi::dtrace_aggdata_key(d, k, &mut v) };
            value(h, &v)
        })
        .collect();
    walk.found.push(Element { name, keys, value: element_value(d, h) });
    0
}
