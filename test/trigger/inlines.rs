// SPDX-License-Identifier: BSD-2-Clause
// Functions of the program and of Rust's library that are inlined into each other.
use std::collections::HashMap;

#[inline(always)]
fn price(n: u64) -> u64 {
    std::process::id() as u64 + n
}

fn main() {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for i in 0..10u64 {
        *counts.entry(format!("{}", i % 3)).or_insert(0) += price(i);
    }
    let mut sorted: Vec<_> = counts.iter().map(|(name, n)| (n, name)).collect();
    sorted.sort();
    println!("{}", sorted.len());
}
