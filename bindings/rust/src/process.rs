// SPDX-License-Identifier: BSD-2-Clause
use crate::{ffi, Tracer};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::mpsc;
use std::thread;

/// A pointer that goes to another thread, whose owner waits for that thread.
#[derive(Clone, Copy)]
pub(crate) struct Raw<T>(pub *mut T);
unsafe impl<T> Send for Raw<T> {}

impl<T> Raw<T> {
    pub fn get(self) -> *mut T {
        self.0
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// The thread of a tracer's processes: only the thread that started a process can let it run, and the process ends with that
/// thread, while a tracer may be moved to others. It ends when the tracer is dropped.
pub(crate) struct Keeper {
    jobs: mpsc::Sender<Job>,
}

impl Keeper {
    pub fn new() -> Keeper {
        let (jobs, work) = mpsc::channel::<Job>();
        thread::spawn(move || work.into_iter().for_each(|job| job()));
        Keeper { jobs }
    }

    /// Calls `f` in the thread and waits for it.
    pub fn call<T: Send + 'static>(&self, f: impl FnOnce() -> T + Send + 'static) -> T {
        let (done, result) = mpsc::sync_channel(1);
        let job = move || {
            let _ = done.send(f());
        };
        self.jobs.send(Box::new(job)).expect("the thread runs as long as the tracer");
        result.recv().expect("the thread runs as long as the tracer")
    }
}

/// A process that the tracer started and holds until [`Tracer::go`], or one that it grabbed. The first one is `$target`.
#[derive(Clone, Copy)]
pub struct Process<'t> {
    pub(crate) tracer: &'t Tracer,
    pub(crate) handle: *mut ffi::ps_prochandle,
}

impl Process<'_> {
    /// The number of the process.
    pub fn id(&self) -> u32 {
        unsafe { ffi::dtrace_proc_getpid(self.tracer.h, self.handle) as u32 }
    }

    /// How it ended, `None` while it runs; success for a process that was grabbed.
    pub fn status(&self) -> Option<ExitStatus> {
        let mut status = 0;
        let gone = unsafe { ffi::dtrace_proc_gone(self.tracer.h, self.handle, &mut status) } == 1;
        if gone { Some(ExitStatus::from_raw(status)) } else { None }
    }
}

impl std::fmt::Debug for Process<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "Process({})", self.id())
    }
}
