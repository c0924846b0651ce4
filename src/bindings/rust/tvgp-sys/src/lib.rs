// SPDX-License-Identifier: MIT
//! The headers of libtvgp for Rust, as they were when the library was built.
#![allow(non_camel_case_types, non_snake_case)]
include!(concat!(env!("OUT_DIR"), "/sys.rs"));
