// SPDX-License-Identifier: MIT
//! What the game of calls.py needs in Rust; every.py writes the calls behind it.
use std::os::raw::{c_char, c_void};
use tvgp::{c, sys};

trait Show {
    fn show(&self, name: &str);
}
trait Number {
    fn one(&self) -> String;
}
impl Number for f64 {
    fn one(&self) -> String {
        format!("{:016x}", self.to_bits())
    }
}
macro_rules! whole {
    ($($kind:ty),*) => { $(impl Number for $kind { fn one(&self) -> String { self.to_string() } })* };
}
whole!(i32, i64, u32, u64, usize);
macro_rules! shown {
    ($($kind:ty),*) => { $(impl Show for $kind { fn show(&self, name: &str) { println!("{name} {}", self.one()); } })* };
}
shown!(f64, i32, i64, u32, u64, usize);
macro_rules! object {
    ($($kind:ty),*) => { $(impl Show for $kind { fn show(&self, name: &str) { println!("{name} object"); } })* };
}
object!(tvgp::Context, tvgp::Domain, tvgp::Kernel, tvgp::Policy, tvgp::Gp);
impl Show for Option<tvgp::Kernel> {
    fn show(&self, name: &str) {
        println!("{name} {}", if self.is_some() { "object" } else { "none" });
    }
}
impl Show for String {
    fn show(&self, name: &str) {
        println!("{name} {self}");
    }
}
impl Show for *const c_char {
    fn show(&self, name: &str) {
        unsafe { std::ffi::CStr::from_ptr(*self) }.to_string_lossy().into_owned().show(name);
    }
}
impl<T: Number> Show for Vec<T> {
    fn show(&self, name: &str) {
        println!("{}", self.iter().fold(name.to_string(), |line, x| line + " " + &x.one()));
    }
}
impl Show for Vec<u8> {
    fn show(&self, name: &str) {
        println!("{name} {} bytes, sum {}", self.len(), self.iter().map(|&b| b as u64).sum::<u64>());
    }
}
impl Show for Vec<sys::tvgp_query> {
    fn show(&self, name: &str) {
        self.iter().for_each(|q| q.show(name));
    }
}

extern "C" fn logger(_: *mut c_void, _: *const c_char) {}
extern "C" fn interrupt(_: *mut c_void) -> i32 {
    0
}
extern "C" fn destroyed(_: *mut c_void) {}
unsafe extern "C" fn mean(_: *mut c_void, n: usize, x: *const f64, out: *mut f64, gradient: *mut f64) -> i32 {
    for i in 0..n {
        *out.add(i) = 0.5 * *x.add(i);
        if !gradient.is_null() {
            *gradient.add(i) = 0.5;
        }
    }
    0
}
unsafe extern "C" fn feasible(_: *mut c_void, n: usize, x: *const f64, ok: *mut u8) -> i32 {
    for i in 0..n {
        *ok.add(i) = (*x.add(i) <= 0.7) as u8;
    }
    0
}
unsafe extern "C" fn block(_: *mut c_void, n: usize, x: *const f64, m: usize, z: *const f64, k: *mut f64, ldk: usize) -> i32 {
    for i in 0..n {
        for j in 0..m {
            let away = *x.add(i) - *z.add(j);
            *k.add(i * ldk + j) = 1.0 / (1.0 + away * away);
        }
    }
    0
}
unsafe extern "C" fn points(_: *mut c_void, n: usize, dim: usize, x: *mut f64) -> i32 {
    for i in 0..n * dim {
        *x.add(i) = (i as f64).sqrt();
    }
    0
}
extern "C" fn bcast(_: *mut c_void, _: usize, _: *mut c_void, _: i32) -> i32 {
    0
}
extern "C" fn highest(_: *mut c_void, _: usize, _: *mut f64) -> i32 {
    0
}
extern "C" fn start_policy(_: *mut c_void, _: *const sys::tvgp_policy_view, _: *mut *mut c_void) -> i32 {
    0
}
unsafe extern "C" fn ask(_: *mut c_void, _: *const sys::tvgp_policy_view, _: f64, q: *mut sys::tvgp_query) -> i32 {
    (*q).arm = 2;
    0
}
fn comm() -> sys::tvgp_comm {
    sys::tvgp_comm { size: 1, bcast: Some(bcast), max: Some(highest), ..Default::default() }
}
fn kernel_type() -> sys::tvgp_kernel_type {
    sys::tvgp_kernel_type { name: c"every-kernel".as_ptr(), block: Some(block), ..Default::default() }
}
fn domain_type() -> sys::tvgp_domain_type {
    sys::tvgp_domain_type { name: c"every-domain".as_ptr(), points: Some(points), ..Default::default() }
}
fn policy_type() -> sys::tvgp_policy_type {
    sys::tvgp_policy_type { name: c"every-policy".as_ptr(), start: Some(start_policy), ask: Some(ask), ..Default::default() }
}

