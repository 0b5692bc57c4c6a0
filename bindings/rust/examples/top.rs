// SPDX-License-Identifier: BSD-2-Clause
//! System calls by process, refreshed: top [MILLISECONDS [ROUNDS]]
use dtrace::{Order, Tracer};
use std::error::Error;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let interval = args.next().map_or(Ok(1000), |a| a.parse())?;
    let mut rounds = args.next().map_or(Ok(u64::MAX), |a| a.parse())?;

    let t = Tracer::open(&[("quiet", "")])?;
    t.enable("syscall:::entry { @[execname, pid] = count(); }", &[])?;
    while rounds > 0 && !t.wait_timeout(Duration::from_millis(interval))? {
        println!("{:20} {:>8} {:>10}", "PROGRAM", "PID", "CALLS");
        for e in t.aggregation("", Order::ValueReversed)?.iter().take(20) {
            if e.get::<u64>()? > 0 {
                println!("{:20} {:>8} {:>10}", e.keys[0], e.keys[1], e.value);
            }
        }
        println!();
        t.clear();
        rounds -= 1;
    }
    Ok(())
}
