// SPDX-License-Identifier: BSD-2-Clause
//! How long the system calls of a command take: latency COMMAND [ARG…]
use dtrace::{Order, Tracer};

const PROGRAM: &str = "
syscall:::entry /pid == $target/ { self->begin = timestamp; }
syscall:::return /self->begin/ { @[probefunc] = quantize(timestamp - self->begin); self->begin = 0; }";

fn main() -> Result<(), dtrace::Error> {
    let mut command: Vec<String> = std::env::args().skip(1).collect();
    if command.is_empty() {
        command = ["ls", "-l", "/"].map(String::from).to_vec();
    }
    let t = Tracer::open(&[("quiet", "")])?;
    t.spawn(&command)?;
    t.enable(PROGRAM, &[])?;
    t.wait()?;
    for e in t.aggregation("", Order::Sorted)? {
        let total: i64 = e.buckets().iter().map(|b| b.count).sum();
        println!("{}: {} calls", e.keys[0], total);
        for b in e.buckets() {
            let bar = "@".repeat((40 * b.count / total) as usize);
            println!("{:>12} ns |{:40}| {}", b.low.unwrap_or(i64::MIN), bar, b.count);
        }
    }
    Ok(())
}
