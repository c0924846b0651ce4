// SPDX-License-Identifier: MIT
//! Finds libtvgp and its declarations, sys.rs and c.rs. With the feature `bundled` the library is compiled from the sources in
//! this crate. Otherwise it is in the folder TVGP_LIB_DIR, else where pkg-config says, else where the linker finds it. The
//! declarations are in made/ of a published crate; in the source tree they are beside the library, in bindings/rust of a build or
//! in share/tvgp/rust of an installation.
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn pkg_config(variable: &str) -> Option<PathBuf> {
    let answer = Command::new("pkg-config").args([&format!("--variable={variable}"), "tvgp"]).output().ok()?;
    let folder = String::from_utf8_lossy(&answer.stdout).trim().to_string();
    (answer.status.success() && !folder.is_empty()).then(|| PathBuf::from(folder))
}

fn run(command: &mut Command) {
    let done = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(done.success(), "{command:?} failed");
}

/// Compiles the sources in bundled/ to a static library and says where it is.
fn compile(sources: &Path, build: &Path) -> PathBuf {
    const OFF: [&str; 7] = ["TESTS", "EXAMPLES", "BENCH", "TOOL", "INTEGRATIONS", "INSTALL", "MPI"];
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(sources).arg("-B").arg(build);
    configure.args(["-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF", "-DTVGP_BLAS=none"]);
    configure.args(OFF.map(|part| match part {
        "INSTALL" | "MPI" => format!("-DTVGP_{part}=OFF"),
        _ => format!("-DTVGP_BUILD_{part}=OFF"),
    }));
    run(&mut configure);
    run(Command::new("cmake").arg("--build").arg(build).args(["--target", "tvgp", "--parallel", &env::var("NUM_JOBS").unwrap()]));
    build.to_path_buf()
}

fn main() {
    println!("cargo:rerun-if-env-changed=TVGP_LIB_DIR");
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    let bundled = env::var_os("CARGO_FEATURE_BUNDLED").is_some();
    let library = if bundled {
        println!("cargo:rustc-link-lib=static=tvgp");
        Some(compile(&here.join("bundled"), &out.join("build")))
    } else {
        println!("cargo:rustc-link-lib=dylib=tvgp");
        env::var_os("TVGP_LIB_DIR").map(PathBuf::from).or_else(|| pkg_config("libdir"))
    };
    let mut places = vec![here.join("made")];
    if let Some(folder) = &library {
        println!("cargo:rustc-link-search=native={}", folder.display());
        places.push(folder.join("bindings/rust"));
        places.extend(folder.ancestors().skip(1).take(3).map(|up| up.join("share/tvgp/rust")));
    }
    places.extend(["/usr/local/share/tvgp/rust", "/usr/share/tvgp/rust"].map(PathBuf::from));
    let made = places.iter().find(|place| place.join("sys.rs").is_file());
    let made = made.unwrap_or_else(|| panic!("sys.rs, which comes with libtvgp, is at none of {places:?}: set TVGP_LIB_DIR"));
    for name in ["sys.rs", "c.rs"] {
        println!("cargo:rerun-if-changed={}", made.join(name).display());
        std::fs::copy(made.join(name), out.join(name)).unwrap();
    }
    println!("cargo:made={}", out.display());
}
