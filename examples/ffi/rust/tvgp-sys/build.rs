// SPDX-License-Identifier: MIT
//! Where libtvgp is: the folder TVGP_LIB_DIR, else what pkg-config says, else what the linker finds by itself.
use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=TVGP_LIB_DIR");
    println!("cargo:rustc-link-lib=dylib=tvgp");
    if let Ok(folder) = env::var("TVGP_LIB_DIR") {
        println!("cargo:rustc-link-search=native={folder}");
        return;
    }
    let asked = Command::new("pkg-config").args(["--variable=libdir", "tvgp"]).output();
    if let Ok(answer) = asked {
        let folder = String::from_utf8_lossy(&answer.stdout).trim().to_string();
        if answer.status.success() && !folder.is_empty() {
            println!("cargo:rustc-link-search=native={folder}");
        }
    }
}
