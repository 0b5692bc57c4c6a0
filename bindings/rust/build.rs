// SPDX-License-Identifier: BSD-2-Clause
//! Asks pkg-config where libdtrace is. `PKG_CONFIG` is the command, `PKG_CONFIG_PATH` where it looks.
use std::{env, process};

fn main() {
    for name in ["PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_SYSROOT_DIR"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let command = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_string());
    let found = match process::Command::new(&command).args(["--libs", "libdtrace"]).output() {
        Ok(found) if found.status.success() => found.stdout,
        Ok(found) => fail(String::from_utf8_lossy(&found.stderr).trim()),
        Err(error) => fail(&format!("{command}: {error}")),
    };
    for word in String::from_utf8_lossy(&found).split_whitespace() {
        if let Some(folder) = word.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={folder}");
        } else if let Some(library) = word.strip_prefix("-l") {
            println!("cargo:rustc-link-lib={library}");
        }
    }
}

fn fail(reason: &str) -> ! {
    eprintln!("libdtrace was not found: install libdtrace-dev, or set PKG_CONFIG_PATH to the folder of libdtrace.pc\n{reason}");
    process::exit(1);
}
