// SPDX-License-Identifier: BSD-2-Clause
use crate::callbacks::{self, text, State, Walk};
use crate::process::{Keeper, Raw};
use crate::wake::{StopHandle, Wake};
use crate::{error, ffi, Element, Error, Order, Probe, Process};
use std::cell::{Cell, RefCell};
use std::ffi::{CString, OsStr};
use std::fmt::Display;
use std::os::raw::{c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

/// A handle of libdtrace: one program or several, and their trace.
///
/// It is [`Send`] and not `Sync`: it may be moved to another thread, and one thread at a time uses it. A [`StopHandle`] ends
/// its trace from any thread. Dropping it ends the trace, kills the processes it started, and removes every probe.
///
/// ```compile_fail,E0382
/// let t = dtrace::Tracer::open(&[]).unwrap();
/// t.close();
/// t.go(); // the compiler refuses to use a tracer that was closed
/// ```
///
/// ```compile_fail,E0277
/// let t = dtrace::Tracer::open(&[]).unwrap();
/// std::thread::scope(|s| {
///     s.spawn(|| t.go()); // nor may two threads share one
/// });
/// ```
pub struct Tracer {
    pub(crate) h: *mut ffi::dtrace_hdl,
    pub(crate) state: *mut State,
    pub(crate) wake: Arc<Wake>,
    pub(crate) started: Cell<bool>,
    pub(crate) ended: Cell<bool>,
    processes: RefCell<Vec<*mut ffi::ps_prochandle>>,
    keeper: RefCell<Option<Keeper>>,
}

// The library's rule is that one thread at a time uses a handle, and that calls for processes come from one: see Keeper.
unsafe impl Send for Tracer {}

fn cstring(bytes: &[u8]) -> Result<CString, Error> {
    CString::new(bytes).map_err(|_| Error::Nul(String::from_utf8_lossy(bytes).into_owned()))
}

/// C's argv of some words: the pointers are good as long as the strings.
fn argv(strings: &[CString]) -> Vec<*mut c_char> {
    strings.iter().map(|s| s.as_ptr() as *mut c_char).chain([std::ptr::null_mut()]).collect()
}

fn library_error(errno: c_int, message: String) -> Error {
    match errno {
        ffi::EDT_ACCESS => Error::Access { message },
        _ => Error::Library { errno, message },
    }
}

impl Tracer {
    /// A tracer with options as `-x` has them; a value "" sets one that takes none.
    ///
    /// ```
    /// let t = dtrace::Tracer::open(&[("quiet", ""), ("bufsize", "4m")])?;
    /// assert_eq!(t.option("bufsize")?, Some(4 << 20));
    /// # Ok::<(), dtrace::Error>(())
    /// ```
    pub fn open(options: &[(&str, &str)]) -> Result<Tracer, Error> {
        let wake = Wake::new().map_err(|e| library_error(e.raw_os_error().unwrap_or(0), format!("eventfd: {e}")))?;
        let mut errno = 0;
        let h = unsafe { ffi::dtrace_open(ffi::DTRACE_VERSION, 0, &mut errno) };
        if h.is_null() {
            return Err(library_error(errno, text(unsafe { ffi::dtrace_errmsg(std::ptr::null_mut(), errno) })));
        }
        let t = Tracer {
            h,
            state: Box::into_raw(Box::default()),
            wake: Arc::new(wake),
            started: Cell::new(false),
            ended: Cell::new(false),
            processes: RefCell::default(),
            keeper: RefCell::default(),
        };
        let arg = t.state as *mut c_void;
        t.check(unsafe { ffi::dtrace_handle_buffered(h, callbacks::on_text, arg) })?;
        t.check(unsafe { ffi::dtrace_handle_drop(h, callbacks::on_drop, arg) })?;
        t.check(unsafe { ffi::dtrace_handle_err(h, callbacks::on_fault, arg) })?;
        for (name, value) in options {
            t.set(name, value)?;
        }
        Ok(t)
    }

    /// Ends the trace and removes every probe, as dropping the tracer does.
    pub fn close(self) {}

    fn error(&self) -> Error {
        let errno = unsafe { ffi::dtrace_errno(self.h) };
        library_error(errno, text(unsafe { ffi::dtrace_errmsg(self.h, errno) }))
    }

    pub(crate) fn check(&self, status: c_int) -> Result<(), Error> {
        if status == -1 {
            return Err(self.error());
        }
        Ok(())
    }

    fn excerpt(&self) -> String {
        text(unsafe { ffi::dtrace_errexcerpt(self.h) })
    }

    fn option_error(&self, name: &str) -> Error {
        Error::Option { name: name.to_string(), message: self.error().to_string(), hint: self.excerpt().trim().to_string() }
    }

    /// Sets an option as `-x` does; "" is no value.
    pub fn set(&self, name: &str, value: &str) -> Result<(), Error> {
        let (option, text) = (cstring(name.as_bytes())?, cstring(value.as_bytes())?);
        let given = if value.is_empty() { std::ptr::null() } else { text.as_ptr() };
        match unsafe { ffi::dtrace_setopt(self.h, option.as_ptr(), given) } {
            0 => Ok(()),
            _ => Err(self.option_error(name)),
        }
    }

    /// The value of an option as a number; `None`: it is not set.
    pub fn option(&self, name: &str) -> Result<Option<i64>, Error> {
        const UNSET: i64 = -2;
        let mut value = 0;
        let option = cstring(name.as_bytes())?;
        match unsafe { ffi::dtrace_getopt(self.h, option.as_ptr(), &mut value) } {
            0 if value == UNSET => Ok(None),
            0 => Ok(Some(value)),
            _ => Err(self.option_error(name)),
        }
    }

    /// Compiles a program in D and enables its probes; `args` are `$1` and so on. A program that is wrong is
    /// [`Error::Compile`].
    ///
    /// ```
    /// let t = dtrace::Tracer::open(&[("quiet", "")])?;
    /// t.enable("BEGIN { trace($$1); trace($2); exit(0); }", &[&"answer", &42])?;
    /// let event = t.events().next().unwrap()?;
    /// assert_eq!((event.get::<String>(0)?, event.get::<i32>(1)?), ("answer".to_string(), 42));
    /// # Ok::<(), dtrace::Error>(())
    /// ```
    pub fn enable(&self, program: &str, args: &[&dyn Display]) -> Result<(), Error> {
        let mut strings = vec![cstring(b"rust")?];
        for a in args {
            strings.push(cstring(a.to_string().as_bytes())?);
        }
        let (list, source) = (argv(&strings), cstring(program.as_bytes())?);
        let ok = unsafe {
            let p = ffi::dtrace_program_strcompile(
                self.h, source.as_ptr(), ffi::PROBESPEC_NAME, 0, strings.len() as c_int, list.as_ptr());
            !p.is_null() && ffi::dtrace_program_exec(self.h, p, std::ptr::null_mut()) == 0
        };
        if ok {
            return Ok(());
        }
        let (message, excerpt) = (self.error().to_string(), self.excerpt().trim_end().to_string());
        let (line, column) = error::place(&excerpt).map_or((None, None), |(l, c)| (Some(l), Some(c)));
        Err(Error::Compile { message, line, column, excerpt })
    }

    /// The probes that a description matches.
    pub fn probes(&self, pattern: &str) -> Result<Vec<Probe>, Error> {
        let text = cstring(pattern.as_bytes())?;
        let mut desc = std::mem::MaybeUninit::<ffi::probedesc>::zeroed();
        let mut found: Vec<Probe> = Vec::new();
        self.check(unsafe { ffi::dtrace_str2desc(self.h, ffi::PROBESPEC_NAME, text.as_ptr(), desc.as_mut_ptr()) })?;
        unsafe { ffi::dtrace_probe_iter(self.h, desc.as_ptr(), callbacks::on_listed, &mut found as *mut _ as *mut c_void) };
        Ok(found)
    }

    /// What the program gave to `exit()`.
    pub fn exit_status(&self) -> i32 {
        unsafe { ffi::dtrace_exitstatus(self.h) }
    }

    /// What could not be enabled although the rest could: lines for the user, or an empty string.
    pub fn notice(&self) -> String {
        text(unsafe { ffi::dtrace_notice(self.h) })
    }

    /// Messages of lost data and of faults since the last call.
    pub fn warnings(&self) -> Vec<String> {
        std::mem::take(unsafe { &mut (*self.state).warnings })
    }

    /// For other threads, to end the trace. A request before [`go`](Tracer::go) ends the trace when it has begun.
    ///
    /// ```
    /// let t = dtrace::Tracer::open(&[("quiet", "")])?;
    /// t.enable("tick-10ms { trace(++n); }", &[])?;
    /// let stop = t.stop_handle();
    /// let reader = std::thread::spawn(move || t.events().count());
    /// stop.stop();
    /// reader.join().unwrap();
    /// stop.stop(); // the tracer has gone: nothing happens
    /// # Ok::<(), dtrace::Error>(())
    /// ```
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(&self.wake))
    }

    // ---- processes ----

    /// Starts a command and holds it before it runs. It is killed with the tracer.
    ///
    /// ```
    /// let t = dtrace::Tracer::open(&[("quiet", "")])?;
    /// let child = t.spawn(["/bin/sh", "-c", "exit 3"])?;
    /// t.enable("syscall::exit_group:entry /pid == $target/ { trace(arg0); }", &[])?;
    /// let codes = t.events().map(|e| e?.get(0)).collect::<Result<Vec<i32>, _>>()?;
    /// assert_eq!((codes, child.status().unwrap().code()), (vec![3], Some(3)));
    /// # Ok::<(), dtrace::Error>(())
    /// ```
    pub fn spawn<I, S>(&self, command: I) -> Result<Process<'_>, Error>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let strings = command.into_iter().map(|w| cstring(w.as_ref().as_bytes())).collect::<Result<Vec<_>, _>>()?;
        let mut list = argv(&strings);
        let (h, words) = (Raw(self.h), Raw(list.as_mut_ptr()));
        // with no words the library says EINVAL
        self.take(move || unsafe { ffi::dtrace_proc_create(h.get(), *words.get(), words.get()) })
    }

    /// Takes a process that runs already.
    pub fn grab(&self, pid: u32) -> Result<Process<'_>, Error> {
        let h = Raw(self.h);
        self.take(move || unsafe { ffi::dtrace_proc_grab(h.get(), c_int::try_from(pid).unwrap_or(-1), 0) })
    }

    fn take(&self, get: impl FnOnce() -> *mut ffi::ps_prochandle + Send + 'static) -> Result<Process<'_>, Error> {
        let handle = self.keeper.borrow_mut().get_or_insert_with(Keeper::new).call(move || Raw(get())).get();
        if handle.is_null() {
            return Err(self.error());
        }
        self.processes.borrow_mut().push(handle);
        Ok(Process { tracer: self, handle })
    }

    pub(crate) fn has_processes(&self) -> bool {
        !self.processes.borrow().is_empty()
    }

    pub(crate) fn processes_gone(&self) -> bool {
        let gone = |p: &*mut ffi::ps_prochandle| unsafe { ffi::dtrace_proc_gone(self.h, *p, std::ptr::null_mut()) } == 1;
        self.has_processes() && self.processes.borrow().iter().all(gone)
    }

    pub(crate) fn resume_processes(&self) {
        if let Some(keeper) = &*self.keeper.borrow() {
            for p in &*self.processes.borrow() {
                let (h, p) = (Raw(self.h), Raw(*p));
                keeper.call(move || unsafe { ffi::dtrace_proc_continue(h.get(), p.get()) });
            }
        }
    }

    // ---- aggregations ----

    /// The elements of one aggregation as they are now, without @; "" is the one without a name. It may be called at any time,
    /// also between two events.
    ///
    /// ```
    /// use dtrace::{Order, Tracer};
    /// let t = Tracer::open(&[("quiet", "")])?;
    /// t.enable("BEGIN { @calls[\"a\"] = sum(1); @calls[\"b\"] = sum(2); exit(0); }", &[])?;
    /// t.wait()?;
    /// for e in t.aggregation("calls", Order::ValueReversed)? {
    ///     println!("{} {}", e.key::<String>(0)?, e.get::<u64>()?);
    /// }
    /// assert_eq!(t.aggregation("calls", Order::ValueReversed)?[0].key::<String>(0)?, "b");
    /// # Ok::<(), dtrace::Error>(())
    /// ```
    pub fn aggregation(&self, name: &str, order: Order) -> Result<Vec<Element>, Error> {
        self.walk(Some(name), order)
    }

    /// The elements of all aggregations.
    pub fn aggregations(&self, order: Order) -> Result<Vec<Element>, Error> {
        self.walk(None, order)
    }

    fn walk(&self, name: Option<&str>, order: Order) -> Result<Vec<Element>, Error> {
        let walk: ffi::walk_f = match order {
            Order::Any => ffi::dtrace_aggregate_walk,
            Order::Sorted => ffi::dtrace_aggregate_walk_sorted,
            Order::Key => ffi::dtrace_aggregate_walk_keysorted,
            Order::Value => ffi::dtrace_aggregate_walk_valsorted,
            Order::KeyReversed => ffi::dtrace_aggregate_walk_keyrevsorted,
            Order::ValueReversed => ffi::dtrace_aggregate_walk_valrevsorted,
            Order::KeyVar => ffi::dtrace_aggregate_walk_keyvarsorted,
            Order::ValueVar => ffi::dtrace_aggregate_walk_valvarsorted,
            Order::KeyVarReversed => ffi::dtrace_aggregate_walk_keyvarrevsorted,
            Order::ValueVarReversed => ffi::dtrace_aggregate_walk_valvarrevsorted,
        };
        let mut w = Walk { name, found: Vec::new() };
        self.check(unsafe { ffi::dtrace_aggregate_snap(self.h) })?;
        self.check(unsafe { walk(self.h, callbacks::on_element, &mut w as *mut Walk as *mut c_void) })?;
        Ok(w.found)
    }

    /// All aggregations begin anew; their keys stay, with a value of 0 until something is counted.
    pub fn clear(&self) {
        unsafe { ffi::dtrace_aggregate_clear(self.h) };
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        unsafe {
            ffi::dtrace_close(self.h);
            drop(Box::from_raw(self.state));
        }
    }
}

impl std::fmt::Debug for Tracer {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Tracer").field("started", &self.started.get()).field("ended", &self.ended.get()).finish()
    }
}
