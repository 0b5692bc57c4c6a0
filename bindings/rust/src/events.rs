// SPDX-License-Identifier: BSD-2-Clause
use crate::{callbacks, ffi, Error, Event, Tracer};
use std::iter::FusedIterator;
use std::os::raw::c_void;
use std::time::{Duration, Instant};

/// The longest single wait; with processes it is shorter, because their end does not wake anybody.
const SLICE: Duration = Duration::from_secs(1);
const PROCESS_SLICE: Duration = Duration::from_millis(20);

impl Tracer {
    /// Probes fire from here on, and processes that were held run. Waiting for events does this if nobody has.
    pub fn go(&self) -> Result<(), Error> {
        self.check(unsafe { ffi::dtrace_go(self.h) })?;
        self.started.set(true);
        self.resume_processes();
        Ok(())
    }

    /// Ends the trace: END fires, and nothing after it. What is left can still be read.
    pub fn stop(&self) -> Result<(), Error> {
        if !self.started.get() {
            return Err(Error::NotStarted);
        }
        self.check(unsafe { ffi::dtrace_stop(self.h) })
    }

    fn pop(&self) -> Option<Event> {
        unsafe { (*self.state).events.pop_front() }
    }

    /// Whether the trace has ended and all of its events were read.
    pub fn ended(&self) -> bool {
        self.ended.get() && unsafe { (*self.state).events.is_empty() }
    }

    /// Waits for something to do and does it: what was recorded becomes events, and the end is noticed.
    fn turn(&self, until: Option<Instant>) -> Result<(), Error> {
        if !self.started.get() {
            self.go()?;
        }
        let most = if self.has_processes() { PROCESS_SLICE } else { SLICE };
        let left = until.map_or(most, |u| u.saturating_duration_since(Instant::now()).min(most));
        let fd = unsafe { ffi::dtrace_ctlfd(self.h) };
        self.check(fd)?;
        self.wake.wait(fd, left);
        if self.wake.take() || self.processes_gone() {
            self.stop()?;
        }
        let arg = self.state as *mut c_void;
        let status = unsafe { ffi::dtrace_work(self.h, std::ptr::null_mut(), callbacks::on_probe, callbacks::on_rec, arg) };
        self.ended.set(status == ffi::WORKSTATUS_DONE);
        self.check(status)
    }

    /// Events as they come, until the trace ends. The tracer can be used between two of them. If the trace had ended before,
    /// the only item is [`Error::Ended`].
    ///
    /// ```
    /// # use dtrace::{Order, Tracer};
    /// let t = Tracer::open(&[("quiet", ""), ("switchrate", "10ms")])?;
    /// t.enable("tick-10ms { @ = count(); trace(++n); }", &[])?;
    /// for event in t.events() {
    ///     let n: i64 = event?.get(0)?;
    ///     assert!(t.aggregation("", Order::Sorted)?[0].get::<i64>()? >= n);
    ///     if n == 3 {
    ///         break; // the trace goes on
    ///     }
    /// }
    /// assert_eq!(t.events().next().unwrap()?.get::<i64>(0)?, 4);
    /// # Ok::<(), dtrace::Error>(())
    /// ```
    pub fn events(&self) -> Events<'_> {
        Events { tracer: self, until: None, over: false, late: self.ended() }
    }

    /// The same for a while; after it the trace goes on, and this can be called again.
    pub fn events_for(&self, time: Duration) -> Events<'_> {
        Events { until: Some(Instant::now() + time), ..self.events() }
    }

    /// Traces to the end. Events are kept for [`events`](Tracer::events).
    pub fn wait(&self) -> Result<(), Error> {
        while !self.ended.get() {
            self.turn(None)?;
        }
        Ok(())
    }

    /// Traces until the end (`true`) or until the time is over (`false`; call it again to go on). Events are kept for
    /// [`events`](Tracer::events).
    ///
    /// ```
    /// # use dtrace::{Order, Tracer};
    /// # use std::time::Duration;
    /// let t = Tracer::open(&[("quiet", "")])?;
    /// t.enable("tick-10ms { @ = count(); } tick-200ms { exit(0); }", &[])?;
    /// while !t.wait_timeout(Duration::from_millis(50))? {
    ///     println!("{:?}", t.aggregation("", Order::Sorted)?); // a view that refreshes
    /// }
    /// # Ok::<(), dtrace::Error>(())
    /// ```
    pub fn wait_timeout(&self, time: Duration) -> Result<bool, Error> {
        let until = Instant::now() + time;
        while !self.ended.get() && Instant::now() < until {
            self.turn(Some(until))?;
        }
        Ok(self.ended.get())
    }

    /// Traces to the end, which comes after `limit` at the latest, and gives each event to `f`, which may use the tracer.
    pub fn run<F: FnMut(Event)>(&self, limit: Option<Duration>, mut f: F) -> Result<(), Error> {
        let events = match limit {
            Some(time) => self.events_for(time),
            None => self.events(),
        };
        for event in events {
            f(event?);
        }
        if !self.ended() {
            self.stop()?;
            for event in self.events() {
                f(event?);
            }
        }
        Ok(())
    }
}

/// An iterator of events: see [`Tracer::events`]. After an error it ends; the tracer can be asked for another.
#[derive(Debug)]
pub struct Events<'t> {
    tracer: &'t Tracer,
    until: Option<Instant>,
    over: bool,
    late: bool,
}

impl Iterator for Events<'_> {
    type Item = Result<Event, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.over {
            if let Some(event) = self.tracer.pop() {
                return Some(Ok(event));
            }
            let time_over = self.until.map_or(false, |u| Instant::now() >= u);
            if self.late || self.tracer.ended.get() || time_over {
                self.over = true;
                return if self.late { Some(Err(Error::Ended)) } else { None };
            }
            if let Err(e) = self.tracer.turn(self.until) {
                self.over = true;
                return Some(Err(e));
            }
        }
        None
    }
}

impl FusedIterator for Events<'_> {}

impl<'t> IntoIterator for &'t Tracer {
    type Item = Result<Event, Error>;
    type IntoIter = Events<'t>;

    fn into_iter(self) -> Events<'t> {
        self.events()
    }
}
