// SPDX-License-Identifier: MIT
//! What the crate `tvgp` calls, as the headers declare it; `examples/ffi/declarations.py` compares each line with tvgp.json.
#![allow(non_camel_case_types)]
use std::os::raw::{c_char, c_void};

#[repr(C)]
pub struct tvgp_ctx {
    _private: [u8; 0],
}
#[repr(C)]
pub struct tvgp_domain {
    _private: [u8; 0],
}
#[repr(C)]
pub struct tvgp_kernel {
    _private: [u8; 0],
}
#[repr(C)]
pub struct tvgp_policy {
    _private: [u8; 0],
}

/// What the policy wants to know.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct tvgp_query {
    pub id: i64,
    pub kind: i32,
    pub flags: u32,
    pub arm: i64,
    pub t: f64,
    pub noise_var: f64,
    pub score: f64,
    pub propensity: f64,
    pub reserved: [f64; 1],
}

/// What came of it; all zero but for id and y it is the usual answer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct tvgp_obs {
    pub id: i64,
    pub outcome: i32,
    pub flags: u32,
    pub y: f64,
    pub noise_var: f64,
    pub t: f64,
    pub reserved: [f64; 3],
}

pub const TVGP_OK: i32 = 0;
pub const TVGP_SIDE: i32 = 1;
pub const TVGP_SKIPPED: i32 = 1;
pub const TVGP_FAILED: i32 = 2;
pub const TVGP_CANCELLED: i32 = 3;
pub const TVGP_OBS_NOISE: u32 = 1;
pub const TVGP_OBS_TIME: u32 = 2;

extern "C" {
    pub fn tvgp_version() -> *const c_char;
    pub fn tvgp_status_name(status: i32) -> *const c_char;
    pub fn tvgp_ctx_create(allocator: *const c_void, out: *mut *mut tvgp_ctx) -> i32;
    pub fn tvgp_ctx_destroy(ctx: *mut tvgp_ctx);
    pub fn tvgp_ctx_errmsg(ctx: *const tvgp_ctx) -> *const c_char;
    pub fn tvgp_domain_arms(ctx: *mut tvgp_ctx, n: usize, dim: usize, X: *const f64, out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_domain_indices(ctx: *mut tvgp_ctx, n: usize, out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_domain_grid(ctx: *mut tvgp_ctx, dim: usize, lower: *const f64, upper: *const f64, points: *const usize, out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_domain_box(ctx: *mut tvgp_ctx, dim: usize, lower: *const f64, upper: *const f64, out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_domain_append(domain: *const tvgp_domain, n: usize, X: *const f64, out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_domain_product(ctx: *mut tvgp_ctx, actions: *const tvgp_domain, contexts: *const tvgp_domain, out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_domain_split(domain: *const tvgp_domain, arm: i64, action: *mut i64, context: *mut i64) -> i32;
    pub fn tvgp_domain_dim(domain: *const tvgp_domain, dim: *mut usize) -> i32;
    pub fn tvgp_domain_bounds(domain: *const tvgp_domain, lower: *mut f64, upper: *mut f64) -> i32;
    pub fn tvgp_domain_type_name(domain: *const tvgp_domain, r#type: *mut *const c_char) -> i32;
    pub fn tvgp_domain_size(domain: *const tvgp_domain, n: *mut usize) -> i32;
    pub fn tvgp_domain_destroy(domain: *mut tvgp_domain);
    pub fn tvgp_kernel_se(ctx: *mut tvgp_ctx, dim: usize, variance: f64, lengthscale: *const f64, n_lengthscale: usize, out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_matern(ctx: *mut tvgp_ctx, dim: usize, nu: f64, variance: f64, lengthscale: *const f64, n_lengthscale: usize, out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_table(ctx: *mut tvgp_ctx, n_arms: usize, K: *const f64, out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_destroy(kernel: *mut tvgp_kernel);
    pub fn tvgp_policy_create(ctx: *mut tvgp_ctx, name: *const c_char, domain: *const tvgp_domain, kernel_or_null: *const tvgp_kernel, out: *mut *mut tvgp_policy) -> i32;
    pub fn tvgp_policy_create_from(ctx: *mut tvgp_ctx, bytes: *const c_void, n: usize, domain_or_null: *const tvgp_domain, kernel_or_null: *const tvgp_kernel, out: *mut *mut tvgp_policy) -> i32;
    pub fn tvgp_policy_name(policy: *const tvgp_policy, name: *mut *const c_char) -> i32;
    pub fn tvgp_policy_domain(policy: *const tvgp_policy, out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_policy_pending(policy: *const tvgp_policy, cap: usize, q_or_null: *mut tvgp_query, x_or_null: *mut f64, n: *mut usize) -> i32;
    pub fn tvgp_policy_save_whole(policy: *const tvgp_policy, buffer_or_null: *mut c_void, capacity: usize, needed: *mut usize) -> i32;
    pub fn tvgp_policy_destroy(policy: *mut tvgp_policy);
    pub fn tvgp_policy_set(policy: *mut tvgp_policy, text: *const c_char) -> i32;
    pub fn tvgp_policy_set_mean(policy: *mut tvgp_policy, mean_or_null: *const f64, n: usize) -> i32;
    pub fn tvgp_policy_set_context(policy: *mut tvgp_policy, context: i64) -> i32;
    pub fn tvgp_policy_set_context_x(policy: *mut tvgp_policy, z: *const f64, n: usize) -> i32;
    pub fn tvgp_policy_extend(policy: *mut tvgp_policy, larger: *const tvgp_domain, new_mean_or_null: *const f64) -> i32;
    pub fn tvgp_policy_set_available(policy: *mut tvgp_policy, mask_or_null: *const u8, n: usize) -> i32;
    pub fn tvgp_policy_ask(policy: *mut tvgp_policy, t: f64, cap: usize, q: *mut tvgp_query, x: *mut f64, n: *mut usize) -> i32;
    pub fn tvgp_policy_tell(policy: *mut tvgp_policy, obs: *const tvgp_obs, x_or_null: *const f64, n: usize) -> i32;
    pub fn tvgp_policy_predict(policy: *mut tvgp_policy, t: f64, n: usize, X_or_null: *const f64, mean: *mut f64, var: *mut f64) -> i32;
    pub fn tvgp_policy_best(policy: *mut tvgp_policy, t: f64, arm: *mut i64, x: *mut f64) -> i32;
    pub fn tvgp_policy_stat(policy: *const tvgp_policy, key: *const c_char, value: *mut f64) -> i32;
    pub fn tvgp_policy_save(policy: *const tvgp_policy, buffer_or_null: *mut c_void, capacity: usize, needed: *mut usize) -> i32;
    pub fn tvgp_policy_load(policy: *mut tvgp_policy, bytes: *const c_void, n: usize) -> i32;
    pub fn tvgp_random_normal(seed: u64, purpose: u32, step: u64, n: usize, out: *mut f64) -> i32;
}
