// SPDX-License-Identifier: MIT
//! Says where c.rs is, which the build of tvgp-sys has found.
fn main() {
    println!("cargo:rustc-env=TVGP_C_RS={}/c.rs", std::env::var("DEP_TVGP_MADE").unwrap());
}
