// SPDX-License-Identifier: BSD-2-Clause
//! Waiting for the library's descriptor, and ending that wait from another thread.
use crate::ffi;
use std::io;
use std::os::raw::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

/// The part of a tracer that other threads may touch: a wish to stop, and the event counter that wakes the one who waits.
#[derive(Debug)]
pub(crate) struct Wake {
    fd: c_int,
    stop: AtomicBool,
}

impl Wake {
    pub fn new() -> io::Result<Wake> {
        let fd = unsafe { ffi::eventfd(0, ffi::EFD_CLOEXEC | ffi::EFD_NONBLOCK) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Wake { fd, stop: AtomicBool::new(false) })
    }

    /// Waits until `fd` can be read, somebody wants to stop, or the time is over.
    pub fn wait(&self, fd: c_int, time: Duration) {
        let mut fds = [fd, self.fd].map(|fd| ffi::pollfd { fd, events: ffi::POLLIN, revents: 0 });
        let ms = (time.as_nanos() + 999_999) / 1_000_000;
        let mut count = 0u64;
        unsafe {
            ffi::poll(fds.as_mut_ptr(), 2, ms.min(60_000) as c_int);
            if fds[1].revents != 0 {
                ffi::read(self.fd, &mut count as *mut u64 as *mut c_void, 8);
            }
        }
    }

    /// Whether somebody wanted to stop since the last call.
    pub fn take(&self) -> bool {
        self.stop.swap(false, Ordering::SeqCst)
    }
}

impl Drop for Wake {
    fn drop(&mut self) {
        unsafe { ffi::close(self.fd) };
    }
}

/// Ends a trace from another thread: see [`Tracer::stop_handle`](crate::Tracer::stop_handle). It does not keep the tracer
/// alive, and does nothing once the trace has ended or the tracer was dropped.
#[derive(Debug, Clone)]
pub struct StopHandle(pub(crate) Arc<Wake>);

impl StopHandle {
    /// The thread that waits for events, or the next that does, stops the trace and reads what is left.
    pub fn stop(&self) {
        let one = 1u64;
        self.0.stop.store(true, Ordering::SeqCst);
        unsafe { ffi::write(self.0.fd, &one as *const u64 as *const c_void, 8) };
    }
}
