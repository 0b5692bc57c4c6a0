// SPDX-License-Identifier: BSD-2-Clause
//! The files that a command opens, as lines of text while it runs: stream COMMAND [ARG…]
use dtrace::Tracer;

fn main() -> Result<(), dtrace::Error> {
    let mut command: Vec<String> = std::env::args().skip(1).collect();
    if command.is_empty() {
        command = ["ls", "-l", "/"].map(String::from).to_vec();
    }
    let t = Tracer::open(&[("quiet", ""), ("switchrate", "100ms")])?;
    t.spawn(&command)?;
    t.enable("syscall::openat:entry /pid == $target/ { trace(pid); trace(execname); trace(copyinstr(arg1)); }", &[])?;
    for event in &t {
        let event = event?;
        let (pid, program, path): (u32, String, String) = (event.get(0)?, event.get(1)?, event.get(2)?);
        println!("time={} pid={pid} program={program:?} path={path:?}", event.timestamp);
    }
    Ok(())
}
