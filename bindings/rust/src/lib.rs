// SPDX-License-Identifier: BSD-2-Clause
//! DTrace from Rust: programs in D, their events and aggregations as values.
//!
//! ```
//! use dtrace::{Order, Tracer};
//! use std::time::Duration;
//!
//! let t = Tracer::open(&[("quiet", "")])?;
//! t.enable("syscall:::entry { @[execname] = count(); }", &[])?;
//! # let mut rounds = 0;
//! while !t.wait_timeout(Duration::from_millis(100))? {
//!     for e in t.aggregation("", Order::ValueReversed)?.iter().take(10) {
//!         println!("{:20} {:10}", e.keys[0], e.value);
//!     }
//!     t.clear();
//! #   rounds += 1;
//! #   if rounds == 2 { break; }
//! }
//! # Ok::<(), dtrace::Error>(())
//! ```
//!
//! # Traces
//!
//! A [`Tracer`] is opened with options, is given one program or several ([`Tracer::enable`]), and runs one trace. The trace
//! begins with [`Tracer::go`], which everything that waits calls if nobody has, and ends by `exit()` in a program, by
//! [`Tracer::stop`] or a [`StopHandle`], or when all processes of [`Tracer::spawn`] and [`Tracer::grab`] have ended.
//!
//! [`Tracer::events`] is an iterator of what programs record. All methods take `&self`, so that aggregations can be read,
//! and the trace be stopped, between two events:
//!
//! ```
//! # use dtrace::{Order, Tracer};
//! let t = Tracer::open(&[("quiet", "")])?;
//! t.enable("tick-10ms { printf(\"tick %d\", ++n); }", &[])?;
//! for event in &t {
//!     let event = event?;
//!     println!("{}: {}", event.probe, event.text);
//!     if event.get::<i32>(0)? == 3 {
//!         t.stop()?;
//!     }
//! }
//! # Ok::<(), dtrace::Error>(())
//! ```
//!
//! # Values
//!
//! What is recorded has a type: see [`Value`]. [`Event::get`], [`Element::key`] and [`Element::get`] read it as a type of
//! Rust, and say [`Error::Type`] if it is another.
//!
//! # Threads
//!
//! A tracer may be moved between threads but not shared; [`Tracer::stop_handle`] is for the others. A mutex around a tracer
//! works, but then nobody else gets it while one thread waits for events.
//!
//! # Building
//!
//! `build.rs` asks pkg-config for libdtrace; `PKG_CONFIG_PATH` says where else to look. Nothing else is needed. doc/API.md
//! says what the calls beneath do, `examples/` has three programs.
#![warn(missing_docs)]

mod callbacks;
mod error;
mod events;
mod ffi;
mod process;
mod tracer;
mod value;
mod wake;

pub use error::Error;
pub use events::Events;
pub use process::Process;
pub use tracer::Tracer;
pub use value::{Bucket, Element, Event, Frame, FromValue, Order, Probe, Value};
pub use wake::StopHandle;
