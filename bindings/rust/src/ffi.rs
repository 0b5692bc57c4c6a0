// SPDX-License-Identifier: BSD-2-Clause
//! What `<dtrace.h>` declares, as far as this crate uses it, in the header's order.
#![allow(non_camel_case_types)]
use std::os::raw::{c_char, c_int, c_short, c_uint, c_ulong, c_void};

pub const DTRACE_VERSION: c_int = 3;
pub const PROBESPEC_NAME: c_int = 3;
pub const CONSUME_THIS: c_int = 0;
pub const WORKSTATUS_DONE: c_int = 1;
pub const EDT_ACCESS: c_int = 1062;
pub const VAL_UINT: c_int = 1;
pub const VAL_STRING: c_int = 2;
pub const VAL_BYTES: c_int = 3;
pub const VAL_ADDRESS: c_int = 4;
pub const VAL_STACK: c_int = 5;
pub const VAL_BUCKETS: c_int = 6;

pub enum dtrace_hdl {}
pub enum dtrace_prog {}
pub enum ps_prochandle {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct probedesc {
    pub id: u32,
    pub provider: [c_char; 64],
    pub module: [c_char; 64],
    pub func: [c_char; 256],
    pub name: [c_char; 64],
}

#[repr(C)]
pub struct recdesc {
    pub action: u16,
    pub size: u32,
    pub offset: u32,
    pub alignment: u16,
    pub format: u16,
    pub arg: u64,
    pub uarg: u64,
}

#[repr(C)]
pub struct eprobedesc {
    pub epid: u32,
    pub probeid: u32,
    pub uarg: u64,
    pub size: u32,
    pub nrecs: c_int,
    pub rec: [recdesc; 1],
}

#[repr(C)]
pub struct probedata {
    pub handle: *mut dtrace_hdl,
    pub edesc: *mut eprobedesc,
    pub pdesc: *mut probedesc,
    pub cpu: c_int,
    pub data: *mut c_char,
    pub flow: c_int,
    pub prefix: *const c_char,
    pub indent: c_int,
    pub timestamp: u64,
}

#[repr(C)]
pub struct aggdesc {
    pub name: *mut c_char,
    pub varid: i64,
    pub flags: c_int,
    pub id: u32,
    pub epid: u32,
    pub size: u32,
    pub nrecs: c_int,
    pub pad: u32,
    pub rec: [recdesc; 1],
}

/// The first members: the rest is asked for by functions.
#[repr(C)]
pub struct aggdata {
    pub handle: *mut dtrace_hdl,
    pub desc: *mut aggdesc,
}

#[repr(C)]
pub struct val {
    pub kind: c_int,
    pub pid: c_int,
    pub int: i64,
    pub bytes: *const c_char,
    pub len: usize,
    pub frames: *const u64,
    pub nframes: usize,
}

#[repr(C)]
pub struct bucket {
    pub low: i64,
    pub high: i64,
    pub count: i64,
    pub has_low: c_int,
    pub has_high: c_int,
}

/// The first members.
#[repr(C)]
pub struct bufdata {
    pub handle: *mut dtrace_hdl,
    pub buffered: *const c_char,
}

#[repr(C)]
pub struct errdata {
    pub handle: *mut dtrace_hdl,
    pub edesc: *mut eprobedesc,
    pub pdesc: *mut probedesc,
    pub cpu: c_int,
    pub action: c_int,
    pub offset: c_int,
    pub fault: c_int,
    pub addr: u64,
    pub msg: *const c_char,
}

#[repr(C)]
pub struct dropdata {
    pub handle: *mut dtrace_hdl,
    pub cpu: c_int,
    pub kind: c_int,
    pub drops: u64,
    pub total: u64,
    pub msg: *const c_char,
}

pub type probe_f = extern "C" fn(*const probedata, *mut c_void) -> c_int;
pub type rec_f = extern "C" fn(*const probedata, *const recdesc, *mut c_void) -> c_int;
pub type buffered_f = extern "C" fn(*const bufdata, *mut c_void) -> c_int;
pub type drop_f = extern "C" fn(*const dropdata, *mut c_void) -> c_int;
pub type err_f = extern "C" fn(*const errdata, *mut c_void) -> c_int;
pub type aggregate_f = extern "C" fn(*const aggdata, *mut c_void) -> c_int;
pub type walk_f = unsafe extern "C" fn(*mut dtrace_hdl, aggregate_f, *mut c_void) -> c_int;
pub type probe_iter_f = extern "C" fn(*mut dtrace_hdl, *const probedesc, *mut c_void) -> c_int;
pub type part_f = extern "C" fn(*const c_char, i64, *mut c_void) -> c_int;
pub type bucket_f = extern "C" fn(*const bucket, *mut c_void) -> c_int;

// build.rs links the library
extern "C" {
    pub fn dtrace_open(version: c_int, flags: c_int, errp: *mut c_int) -> *mut dtrace_hdl;
    pub fn dtrace_close(h: *mut dtrace_hdl);
    pub fn dtrace_errno(h: *mut dtrace_hdl) -> c_int;
    pub fn dtrace_errmsg(h: *mut dtrace_hdl, err: c_int) -> *const c_char;
    pub fn dtrace_errexcerpt(h: *mut dtrace_hdl) -> *const c_char;
    pub fn dtrace_notice(h: *mut dtrace_hdl) -> *const c_char;
    pub fn dtrace_setopt(h: *mut dtrace_hdl, name: *const c_char, value: *const c_char) -> c_int;
    pub fn dtrace_getopt(h: *mut dtrace_hdl, name: *const c_char, value: *mut i64) -> c_int;
    pub fn dtrace_str2desc(h: *mut dtrace_hdl, spec: c_int, text: *const c_char, desc: *mut probedesc) -> c_int;
    pub fn dtrace_probe_iter(h: *mut dtrace_hdl, desc: *const probedesc, f: probe_iter_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_program_strcompile(
        h: *mut dtrace_hdl, text: *const c_char, spec: c_int, cflags: c_uint, argc: c_int, argv: *const *mut c_char,
    ) -> *mut dtrace_prog;
    pub fn dtrace_program_exec(h: *mut dtrace_hdl, p: *mut dtrace_prog, info: *mut c_void) -> c_int;
    pub fn dtrace_proc_create(h: *mut dtrace_hdl, file: *const c_char, argv: *const *mut c_char) -> *mut ps_prochandle;
    pub fn dtrace_proc_grab(h: *mut dtrace_hdl, pid: c_int, flags: c_int) -> *mut ps_prochandle;
    pub fn dtrace_proc_continue(h: *mut dtrace_hdl, p: *mut ps_prochandle);
    pub fn dtrace_proc_getpid(h: *mut dtrace_hdl, p: *mut ps_prochandle) -> c_int;
    pub fn dtrace_proc_gone(h: *mut dtrace_hdl, p: *mut ps_prochandle, status: *mut c_int) -> c_int;
    pub fn dtrace_go(h: *mut dtrace_hdl) -> c_int;
    pub fn dtrace_stop(h: *mut dtrace_hdl) -> c_int;
    pub fn dtrace_ctlfd(h: *mut dtrace_hdl) -> c_int;
    pub fn dtrace_work(h: *mut dtrace_hdl, fp: *mut c_void, pf: probe_f, rf: rec_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_exitstatus(h: *mut dtrace_hdl) -> c_int;
    pub fn dtrace_handle_buffered(h: *mut dtrace_hdl, f: buffered_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_handle_drop(h: *mut dtrace_hdl, f: drop_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_handle_err(h: *mut dtrace_hdl, f: err_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_aggregate_snap(h: *mut dtrace_hdl) -> c_int;
    pub fn dtrace_aggregate_clear(h: *mut dtrace_hdl);
    pub fn dtrace_aggregate_walk(h: *mut dtrace_hdl, f: aggregate_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_aggregate_walk_sorted(h: *mut dtrace_hdl, f: aggregate_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_aggregate_walk_keysorted(h: *mut dtrace_hdl, f: aggregate_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_aggregate_walk_valsorted(h: *mut dtrace_hdl, f: aggregate_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_aggregate_walk_keyrevsorted(h: *mut dtrace_hdl, f: aggregate_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_aggregate_walk_valrevsorted(h: *mut dtrace_hdl, f: aggregate_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_aggregate_walk_keyvarsorted(h: *mut dtrace_hdl, f: aggregate_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_aggregate_walk_valvarsorted(h: *mut dtrace_hdl, f: aggregate_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_aggregate_walk_keyvarrevsorted(h: *mut dtrace_hdl, f: aggregate_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_aggregate_walk_valvarrevsorted(h: *mut dtrace_hdl, f: aggregate_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_probedata_value(d: *const probedata, n: c_int, v: *mut val) -> c_int;
    pub fn dtrace_aggdata_nkeys(d: *const aggdata) -> c_int;
    pub fn dtrace_aggdata_key(d: *const aggdata, n: c_int, v: *mut val) -> c_int;
    pub fn dtrace_aggdata_value(d: *const aggdata, v: *mut val) -> c_int;
    pub fn dtrace_aggdata_buckets(d: *const aggdata, f: bucket_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_aggdata_parts(d: *const aggdata, f: part_f, arg: *mut c_void) -> c_int;
    pub fn dtrace_addr2str(h: *mut dtrace_hdl, addr: u64, buf: *mut c_char, n: c_int) -> c_int;
    pub fn dtrace_uaddr2str(h: *mut dtrace_hdl, pid: c_int, addr: u64, buf: *mut c_char, n: c_int) -> c_int;
}

// ---- of the C library ----

#[repr(C)]
pub struct pollfd {
    pub fd: c_int,
    pub events: c_short,
    pub revents: c_short,
}

pub const POLLIN: c_short = 1;
pub const EFD_CLOEXEC: c_int = 0o2000000;
pub const EFD_NONBLOCK: c_int = 0o4000;

extern "C" {
    pub fn poll(fds: *mut pollfd, n: c_ulong, ms: c_int) -> c_int;
    pub fn eventfd(value: c_uint, flags: c_int) -> c_int;
    pub fn read(fd: c_int, to: *mut c_void, n: usize) -> isize;
    pub fn write(fd: c_int, from: *const c_void, n: usize) -> isize;
    pub fn close(fd: c_int) -> c_int;
}
