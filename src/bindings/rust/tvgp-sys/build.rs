// SPDX-License-Identifier: MIT
//! Where libtvgp is: the folder TVGP_LIB_DIR, else what pkg-config says, else what the linker finds by itself. The declarations that
//! were made with it, sys.rs and c.rs, lie in bindings/rust beside it in a build, in share/tvgp/rust where it is installed.
use std::env;
use std::path::PathBuf;
use std::process::Command;

fn pkg_config(variable: &str) -> Option<PathBuf> {
    let answer = Command::new("pkg-config").args([&format!("--variable={variable}"), "tvgp"]).output().ok()?;
    let folder = String::from_utf8_lossy(&answer.stdout).trim().to_string();
    (answer.status.success() && !folder.is_empty()).then(|| PathBuf::from(folder))
}

fn main() {
    println!("cargo:rerun-if-env-changed=TVGP_LIB_DIR");
    println!("cargo:rustc-link-lib=dylib=tvgp");
    let library = env::var_os("TVGP_LIB_DIR").map(PathBuf::from).or_else(|| pkg_config("libdir"));
    let mut places = Vec::new();
    if let Some(folder) = &library {
        println!("cargo:rustc-link-search=native={}", folder.display());
        places.push(folder.join("bindings/rust"));
        places.extend(folder.ancestors().skip(1).take(3).map(|up| up.join("share/tvgp/rust")));
    }
    places.extend(["/usr/local/share/tvgp/rust", "/usr/share/tvgp/rust"].map(PathBuf::from));
    let made = places.iter().find(|place| place.join("sys.rs").is_file());
    let made = made.unwrap_or_else(|| panic!("sys.rs, which comes with libtvgp, is at none of {places:?}: set TVGP_LIB_DIR"));
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    for name in ["sys.rs", "c.rs"] {
        println!("cargo:rerun-if-changed={}", made.join(name).display());
        std::fs::copy(made.join(name), out.join(name)).unwrap();
    }
    println!("cargo:made={}", out.display());
}
