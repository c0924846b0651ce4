// SPDX-License-Identifier: MIT
//! The headers for Rust. Made by examples/ffi/generate from tvgp.json: do not edit.
#![allow(non_camel_case_types, non_snake_case)]
use std::os::raw::{c_char, c_void};

#[repr(C)]
pub struct tvgp_ctx {
    _private: [u8; 0],
}
#[repr(C)]
pub struct tvgp_kernel {
    _private: [u8; 0],
}
#[repr(C)]
pub struct tvgp_domain {
    _private: [u8; 0],
}
#[repr(C)]
pub struct tvgp_gp {
    _private: [u8; 0],
}
#[repr(C)]
pub struct tvgp_policy {
    _private: [u8; 0],
}
pub type tvgp_logger = Option<unsafe extern "C" fn(user: *mut c_void, message: *const c_char)>;
pub type tvgp_interrupt = Option<unsafe extern "C" fn(user: *mut c_void) -> i32>;
pub type tvgp_destroy_fn = Option<unsafe extern "C" fn(user: *mut c_void)>;
pub type tvgp_mean_fn = Option<unsafe extern "C" fn(user: *mut c_void, n: usize, X: *const f64, mean: *mut f64, gradient_or_null: *mut f64) -> i32>;
pub type tvgp_feasible_fn = Option<unsafe extern "C" fn(user: *mut c_void, n: usize, X: *const f64, ok: *mut u8) -> i32>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tvgp_query {
    pub id: i64,
    pub kind: i32,
    pub flags: u32,
    pub arm: i64,
    pub t: f64,
    pub noise_var: f64,
    pub score: f64,
    pub propensity: f64,
    pub risk: f64,
}
impl Default for tvgp_query {
    fn default() -> Self {
        unsafe { std::mem::zeroed() }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tvgp_obs {
    pub id: i64,
    pub outcome: i32,
    pub flags: u32,
    pub y: f64,
    pub noise_var: f64,
    pub t: f64,
    pub output: i64,
    pub reserved: [f64; 2],
}
impl Default for tvgp_obs {
    fn default() -> Self {
        unsafe { std::mem::zeroed() }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tvgp_comm {
    pub struct_size: usize,
    pub user: *mut c_void,
    pub rank: i32,
    pub size: i32,
    pub bcast: Option<unsafe extern "C" fn(user: *mut c_void, data: *mut c_void, bytes: usize, root: i32) -> i32>,
    pub max: Option<unsafe extern "C" fn(user: *mut c_void, values: *mut f64, n: usize) -> i32>,
}
impl Default for tvgp_comm {
    fn default() -> Self {
        Self { struct_size: std::mem::size_of::<Self>(), ..unsafe { std::mem::zeroed() } }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tvgp_allocator {
    pub user: *mut c_void,
    pub allocate: Option<unsafe extern "C" fn(user: *mut c_void, size: usize) -> *mut c_void>,
    pub release: Option<unsafe extern "C" fn(user: *mut c_void, memory: *mut c_void)>,
}
impl Default for tvgp_allocator {
    fn default() -> Self {
        unsafe { std::mem::zeroed() }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tvgp_param_info {
    pub name: *const c_char,
    pub value: f64,
    pub lower: f64,
    pub upper: f64,
    pub kind: i32,
    pub flags: u32,
    pub reserved: [f64; 3],
}
impl Default for tvgp_param_info {
    fn default() -> Self {
        unsafe { std::mem::zeroed() }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tvgp_option_info {
    pub key: *const c_char,
    pub doc: *const c_char,
    pub choices: *const *const c_char,
    pub default_str: *const c_char,
    pub default_num: f64,
    pub lower: f64,
    pub upper: f64,
    pub r#type: i32,
    pub flags: u32,
}
impl Default for tvgp_option_info {
    fn default() -> Self {
        unsafe { std::mem::zeroed() }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tvgp_kernel_type {
    pub struct_size: usize,
    pub name: *const c_char,
    pub block: Option<unsafe extern "C" fn(data: *mut c_void, n: usize, X: *const f64, m: usize, Z: *const f64, K: *mut f64, ldk: usize) -> i32>,
    pub diagonal: Option<unsafe extern "C" fn(data: *mut c_void, n: usize, X: *const f64, d: *mut f64) -> i32>,
    pub gradient: Option<unsafe extern "C" fn(data: *mut c_void, n: usize, Z: *const f64, m: usize, X: *const f64, C: *const f64, G: *mut f64) -> i32>,
    pub reach: Option<unsafe extern "C" fn(data: *mut c_void, lengthscale: *mut f64)>,
    pub save: Option<unsafe extern "C" fn(data: *mut c_void, buffer_or_null: *mut c_void, needed: *mut usize) -> i32>,
    pub load: Option<unsafe extern "C" fn(user: *mut c_void, dim: usize, bytes: *const c_void, n: usize, data: *mut *mut c_void) -> i32>,
    pub release: Option<unsafe extern "C" fn(data: *mut c_void)>,
    pub params: Option<unsafe extern "C" fn(data: *mut c_void, n: *mut usize, list_or_null: *mut tvgp_param_info) -> i32>,
    pub clone: Option<unsafe extern "C" fn(data: *mut c_void, values: *const f64, copy: *mut *mut c_void) -> i32>,
    pub contract: Option<unsafe extern "C" fn(data: *mut c_void, n: usize, X: *const f64, m: usize, Z: *const f64, W: *const f64, ldw: usize, gradient: *mut f64) -> i32>,
}
impl Default for tvgp_kernel_type {
    fn default() -> Self {
        Self { struct_size: std::mem::size_of::<Self>(), ..unsafe { std::mem::zeroed() } }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tvgp_domain_type {
    pub struct_size: usize,
    pub name: *const c_char,
    pub points: Option<unsafe extern "C" fn(data: *mut c_void, n: usize, dim: usize, X: *mut f64) -> i32>,
    pub names: i32,
    pub save: Option<unsafe extern "C" fn(data: *mut c_void, buffer_or_null: *mut c_void, needed: *mut usize) -> i32>,
    pub load: Option<unsafe extern "C" fn(user: *mut c_void, n: usize, dim: usize, bytes: *const c_void, n_bytes: usize, data: *mut *mut c_void) -> i32>,
    pub release: Option<unsafe extern "C" fn(data: *mut c_void)>,
}
impl Default for tvgp_domain_type {
    fn default() -> Self {
        Self { struct_size: std::mem::size_of::<Self>(), ..unsafe { std::mem::zeroed() } }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tvgp_policy_view {
    pub ctx: *mut tvgp_ctx,
    pub domain: *const tvgp_domain,
    pub kernel: *const tvgp_kernel,
    pub n: usize,
    pub dim: usize,
    pub X: *const f64,
    pub options: *const f64,
    pub seed: i64,
    pub asked: i64,
    pub available: *const u8,
    pub mean: *const f64,
    pub pending: *const i64,
    pub n_pending: usize,
}
impl Default for tvgp_policy_view {
    fn default() -> Self {
        unsafe { std::mem::zeroed() }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tvgp_stat_info {
    pub key: *const c_char,
    pub doc: *const c_char,
}
impl Default for tvgp_stat_info {
    fn default() -> Self {
        unsafe { std::mem::zeroed() }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tvgp_policy_type {
    pub struct_size: usize,
    pub name: *const c_char,
    pub start: Option<unsafe extern "C" fn(user: *mut c_void, view: *const tvgp_policy_view, state: *mut *mut c_void) -> i32>,
    pub ask: Option<unsafe extern "C" fn(state: *mut c_void, view: *const tvgp_policy_view, t: f64, q: *mut tvgp_query) -> i32>,
    pub doc: *const c_char,
    pub tell: Option<unsafe extern "C" fn(state: *mut c_void, view: *const tvgp_policy_view, n: usize, obs: *const tvgp_obs, arm: *const i64) -> i32>,
    pub release: Option<unsafe extern "C" fn(state: *mut c_void)>,
    pub predict: Option<unsafe extern "C" fn(state: *mut c_void, view: *const tvgp_policy_view, t: f64, n: usize, arm: *const i64, mean: *mut f64, var: *mut f64) -> i32>,
    pub options: *const tvgp_option_info,
    pub n_options: usize,
    pub stats: *const tvgp_stat_info,
    pub n_stats: usize,
    pub stat: Option<unsafe extern "C" fn(state: *mut c_void, i: usize, value: *mut f64) -> i32>,
    pub save: Option<unsafe extern "C" fn(state: *mut c_void, buffer_or_null: *mut c_void, needed: *mut usize) -> i32>,
    pub load: Option<unsafe extern "C" fn(state: *mut c_void, bytes: *const c_void, n: usize) -> i32>,
}
impl Default for tvgp_policy_type {
    fn default() -> Self {
        Self { struct_size: std::mem::size_of::<Self>(), ..unsafe { std::mem::zeroed() } }
    }
}

pub const TVGP_OK: i32 = 0;
pub const TVGP_AGAIN: i32 = 1;
pub const TVGP_DONE: i32 = 2;
pub const TVGP_ERR_ARG: i32 = -1;
pub const TVGP_ERR_NOMEM: i32 = -2;
pub const TVGP_ERR_STATE: i32 = -3;
pub const TVGP_ERR_DIM: i32 = -4;
pub const TVGP_ERR_NOTFOUND: i32 = -5;
pub const TVGP_ERR_OPTION: i32 = -6;
pub const TVGP_ERR_TICKET: i32 = -7;
pub const TVGP_ERR_UNSUPPORTED: i32 = -8;
pub const TVGP_ERR_VERSION: i32 = -9;
pub const TVGP_ERR_FORMAT: i32 = -10;
pub const TVGP_ERR_BUFFER: i32 = -11;
pub const TVGP_ERR_NUMERIC: i32 = -12;
pub const TVGP_ERR_NONFINITE: i32 = -13;
pub const TVGP_ERR_CALLBACK: i32 = -14;
pub const TVGP_ERR_REENTRANT: i32 = -15;
pub const TVGP_ERR_INTERRUPTED: i32 = -16;
pub const TVGP_ERR_LIMIT: i32 = -17;
pub const TVGP_ERR_INTERNAL: i32 = -18;
pub const TVGP_ACTION: i32 = 0;
pub const TVGP_SIDE: i32 = 1;
pub const TVGP_INIT: i32 = 2;
pub const TVGP_VALUE: i32 = 0;
pub const TVGP_SKIPPED: i32 = 1;
pub const TVGP_FAILED: i32 = 2;
pub const TVGP_CANCELLED: i32 = 3;
pub const TVGP_OBS_NOISE: u32 = 1;
pub const TVGP_OBS_TIME: u32 = 2;
pub const TVGP_AT_LEAST: i32 = 0;
pub const TVGP_AT_MOST: i32 = 1;
pub const TVGP_OF_MEAN: i32 = 2;
pub const TVGP_PARAM_VARIANCE: i32 = 0;
pub const TVGP_PARAM_LENGTHSCALE: i32 = 1;
pub const TVGP_PARAM_SHAPE: i32 = 2;
pub const TVGP_PARAM_PERIOD: i32 = 3;
pub const TVGP_PARAM_RATE: i32 = 4;
pub const TVGP_PARAM_EPSILON: u32 = 1;
pub const TVGP_PARAM_SCALES: u32 = 2;
pub const TVGP_F64: i32 = 0;
pub const TVGP_I64: i32 = 1;
pub const TVGP_STR: i32 = 2;
pub const TVGP_OPTION_OPEN_LOWER: u32 = 1;
pub const TVGP_OPTION_OPEN_UPPER: u32 = 2;
pub const TVGP_OPTION_INFINITE: u32 = 4;
pub const TVGP_OPTION_DERIVED: u32 = 8;
pub const TVGP_OPTION_ADVANCED: u32 = 16;
pub const TVGP_STAT_HEADLINE: i32 = 1;
pub const TVGP_STAT_LEARNED: i32 = 2;
pub const TVGP_STAT_COUNTER: i32 = 4;
pub const TVGP_STAT_DIAGNOSTIC: i32 = 8;

extern "C" {
    pub fn tvgp_domain_arms_shared(ctx: *mut tvgp_ctx, comm: *const tvgp_comm, n: usize, dim: usize, X: *const f64,
        out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_domain_grid_shared(ctx: *mut tvgp_ctx, comm: *const tvgp_comm, dim: usize, lower: *const f64, upper: *const f64,
        points: *const usize, out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_domain_share(domain: *const tvgp_domain, first: *mut usize, n: *mut usize, n_total: *mut usize) -> i32;
    pub fn tvgp_version() -> *const c_char;
    pub fn tvgp_status_name(status: i32) -> *const c_char;
    pub fn tvgp_ctx_create(allocator: *const tvgp_allocator, out: *mut *mut tvgp_ctx) -> i32;
    pub fn tvgp_ctx_destroy(ctx: *mut tvgp_ctx);
    pub fn tvgp_ctx_errmsg(ctx: *const tvgp_ctx) -> *const c_char;
    pub fn tvgp_ctx_set_logger(ctx: *mut tvgp_ctx, logger: tvgp_logger, user: *mut c_void) -> i32;
    pub fn tvgp_ctx_set_interrupt(ctx: *mut tvgp_ctx, interrupt: tvgp_interrupt, user: *mut c_void) -> i32;
    pub fn tvgp_ctx_set_quota(ctx: *mut tvgp_ctx, bytes: usize, arms: usize, work: i64) -> i32;
    pub fn tvgp_ctx_memory(ctx: *const tvgp_ctx, bytes: *mut usize) -> i32;
    pub fn tvgp_domain_arms(ctx: *mut tvgp_ctx, n: usize, dim: usize, X: *const f64, out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_domain_indices(ctx: *mut tvgp_ctx, n: usize, out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_domain_grid(ctx: *mut tvgp_ctx, dim: usize, lower: *const f64, upper: *const f64, points: *const usize,
        out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_domain_append(domain: *const tvgp_domain, n: usize, X: *const f64, out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_domain_product(ctx: *mut tvgp_ctx, actions: *const tvgp_domain, contexts: *const tvgp_domain,
        out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_domain_split(domain: *const tvgp_domain, arm: i64, action: *mut i64, context: *mut i64) -> i32;
    pub fn tvgp_domain_seasonal_mean(domain: *const tvgp_domain, n: usize, arm: *const i64, t: *const f64, y: *const f64,
        period: f64, bins: usize, mean: *mut f64) -> i32;
    pub fn tvgp_domain_box(ctx: *mut tvgp_ctx, dim: usize, lower: *const f64, upper: *const f64,
        out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_domain_box_integer(domain: *mut tvgp_domain, k: usize) -> i32;
    pub fn tvgp_domain_size(domain: *const tvgp_domain, n: *mut usize) -> i32;
    pub fn tvgp_domain_dim(domain: *const tvgp_domain, dim: *mut usize) -> i32;
    pub fn tvgp_domain_point(domain: *const tvgp_domain, arm: i64, x: *mut f64) -> i32;
    pub fn tvgp_domain_bounds(domain: *const tvgp_domain, lower: *mut f64, upper: *mut f64) -> i32;
    pub fn tvgp_domain_type_name(domain: *const tvgp_domain, r#type: *mut *const c_char) -> i32;
    pub fn tvgp_domain_destroy(domain: *mut tvgp_domain);
    pub fn tvgp_kernel_se(ctx: *mut tvgp_ctx, dim: usize, variance: f64, lengthscale: *const f64, n_lengthscale: usize,
        out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_matern(ctx: *mut tvgp_ctx, dim: usize, nu: f64, variance: f64, lengthscale: *const f64,
        n_lengthscale: usize, out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_rational_quadratic(ctx: *mut tvgp_ctx, dim: usize, alpha: f64, variance: f64, lengthscale: *const f64,
        n_lengthscale: usize, out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_periodic(ctx: *mut tvgp_ctx, dim: usize, variance: f64, lengthscale: *const f64, n_lengthscale: usize,
        period: *const f64, n_period: usize, out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_linear(ctx: *mut tvgp_ctx, dim: usize, variance: f64, lengthscale: *const f64, n_lengthscale: usize,
        bias: f64, out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_table(ctx: *mut tvgp_ctx, n_arms: usize, K: *const f64, out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_sum(ctx: *mut tvgp_ctx, a: *const tvgp_kernel, b: *const tvgp_kernel, out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_product(ctx: *mut tvgp_ctx, a: *const tvgp_kernel, b: *const tvgp_kernel,
        out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_slice(ctx: *mut tvgp_ctx, dim: usize, first: usize, inner: *const tvgp_kernel,
        out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_categorical(ctx: *mut tvgp_ctx, variance: f64, correlation: f64, out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_forgetting(ctx: *mut tvgp_ctx, epsilon: f64, out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_wiener(ctx: *mut tvgp_ctx, rate: f64, origin: f64, out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_gram(kernel: *const tvgp_kernel, n: usize, X: *const f64, m: usize, Z: *const f64, K: *mut f64) -> i32;
    pub fn tvgp_kernel_param_count(kernel: *const tvgp_kernel, n: *mut usize) -> i32;
    pub fn tvgp_kernel_param_info(kernel: *const tvgp_kernel, i: usize, info: *mut tvgp_param_info) -> i32;
    pub fn tvgp_kernel_clone(kernel: *const tvgp_kernel, values_or_null: *const f64, out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_kernel_contract(kernel: *const tvgp_kernel, n: usize, X: *const f64, m: usize, Z: *const f64, W: *const f64,
        gradient: *mut f64) -> i32;
    pub fn tvgp_kernel_dim(kernel: *const tvgp_kernel, dim: *mut usize) -> i32;
    pub fn tvgp_kernel_destroy(kernel: *mut tvgp_kernel);
    pub fn tvgp_ctx_register_kernel(ctx: *mut tvgp_ctx, r#type: *const tvgp_kernel_type, user: *mut c_void,
        destroy_or_null: tvgp_destroy_fn) -> i32;
    pub fn tvgp_kernel_of_type(ctx: *mut tvgp_ctx, r#type: *const c_char, dim: usize, data: *mut c_void,
        out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_ctx_register_domain(ctx: *mut tvgp_ctx, r#type: *const tvgp_domain_type, user: *mut c_void,
        destroy_or_null: tvgp_destroy_fn) -> i32;
    pub fn tvgp_domain_of_type(ctx: *mut tvgp_ctx, r#type: *const c_char, n: usize, dim: usize, data: *mut c_void,
        out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_ctx_register_policy(ctx: *mut tvgp_ctx, r#type: *const tvgp_policy_type, user: *mut c_void,
        destroy_or_null: tvgp_destroy_fn) -> i32;
    pub fn tvgp_prior_learn(ctx: *mut tvgp_ctx, domain: *const tvgp_domain, n_runs: usize, first: *const usize, n: usize,
        arm: *const i64, t_or_null: *const f64, y: *const f64, kernel_or_null: *const tvgp_kernel, strength: f64, epsilon: f64,
        max_iterations: i64, mean: *mut f64, kernel: *mut *mut tvgp_kernel, noise: *mut f64) -> i32;
    pub fn tvgp_gp_create(ctx: *mut tvgp_ctx, space: *const tvgp_kernel, time_or_null: *const tvgp_kernel, noise: f64,
        out: *mut *mut tvgp_gp) -> i32;
    pub fn tvgp_gp_set_mean(gp: *mut tvgp_gp, intercept: f64, slope_or_null: *const f64) -> i32;
    pub fn tvgp_gp_add(gp: *mut tvgp_gp, n: usize, X: *const f64, t_or_null: *const f64, y: *const f64,
        noise_var_or_null: *const f64) -> i32;
    pub fn tvgp_gp_drop(gp: *mut tvgp_gp, n_oldest: usize) -> i32;
    pub fn tvgp_gp_predict(gp: *mut tvgp_gp, n: usize, X: *const f64, t: f64, mean: *mut f64, var: *mut f64) -> i32;
    pub fn tvgp_gp_predict_gradient(gp: *mut tvgp_gp, n: usize, X: *const f64, t: f64, mean: *mut f64, var: *mut f64,
        dmean: *mut f64, dvar: *mut f64) -> i32;
    pub fn tvgp_gp_log_evidence(gp: *mut tvgp_gp, value: *mut f64) -> i32;
    pub fn tvgp_gp_log_evidence_gradient(gp: *mut tvgp_gp, value: *mut f64, gradient: *mut f64) -> i32;
    pub fn tvgp_gp_fit(gp: *mut tvgp_gp, lower_or_null: *const f64, upper_or_null: *const f64, max_evals: i64,
        log_posterior: *mut f64) -> i32;
    pub fn tvgp_gp_kernels(gp: *const tvgp_gp, space: *mut *mut tvgp_kernel, time_or_null: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_gp_noise(gp: *const tvgp_gp, noise: *mut f64, intercept: *mut f64) -> i32;
    pub fn tvgp_gp_information_gain(gp: *mut tvgp_gp, value: *mut f64) -> i32;
    pub fn tvgp_gp_size(gp: *const tvgp_gp, n: *mut usize) -> i32;
    pub fn tvgp_gp_jitter(gp: *const tvgp_gp, count: *mut usize) -> i32;
    pub fn tvgp_gp_destroy(gp: *mut tvgp_gp);
    pub fn tvgp_kdpp_sample(ctx: *mut tvgp_ctx, kernel: *const tvgp_kernel, n: usize, X: *const f64, k: usize, steps: i64,
        seed: u64, index: *mut usize, n_index: *mut usize) -> i32;
    pub fn tvgp_policy_create(ctx: *mut tvgp_ctx, name: *const c_char, domain: *const tvgp_domain,
        kernel_or_null: *const tvgp_kernel, out: *mut *mut tvgp_policy) -> i32;
    pub fn tvgp_policy_destroy(policy: *mut tvgp_policy);
    pub fn tvgp_policy_set_f64(policy: *mut tvgp_policy, key: *const c_char, value: f64) -> i32;
    pub fn tvgp_policy_set_i64(policy: *mut tvgp_policy, key: *const c_char, value: i64) -> i32;
    pub fn tvgp_policy_set_str(policy: *mut tvgp_policy, key: *const c_char, value: *const c_char) -> i32;
    pub fn tvgp_policy_set(policy: *mut tvgp_policy, text: *const c_char) -> i32;
    pub fn tvgp_policy_get_f64(policy: *const tvgp_policy, key: *const c_char, value: *mut f64) -> i32;
    pub fn tvgp_policy_get_i64(policy: *const tvgp_policy, key: *const c_char, value: *mut i64) -> i32;
    pub fn tvgp_policy_get_str(policy: *const tvgp_policy, key: *const c_char, value: *mut *const c_char) -> i32;
    pub fn tvgp_policy_set_mean(policy: *mut tvgp_policy, mean_or_null: *const f64, n: usize) -> i32;
    pub fn tvgp_policy_learn_log(policy: *mut tvgp_policy, obs: *const tvgp_obs, x: *const f64, n: usize) -> i32;
    pub fn tvgp_policy_learn_table(policy: *mut tvgp_policy, rows: usize, t_or_null: *const f64, value: *const f64) -> i32;
    pub fn tvgp_policy_mean(policy: *const tvgp_policy, t: f64, mean: *mut f64, n: usize) -> i32;
    pub fn tvgp_policy_fit(policy: *mut tvgp_policy, max_evals: i64, evals: *mut i64) -> i32;
    pub fn tvgp_policy_kernel(policy: *const tvgp_policy, out: *mut *mut tvgp_kernel) -> i32;
    pub fn tvgp_policy_domain(policy: *const tvgp_policy, out: *mut *mut tvgp_domain) -> i32;
    pub fn tvgp_policy_name(policy: *const tvgp_policy, name: *mut *const c_char) -> i32;
    pub fn tvgp_policy_set_mean_fn(policy: *mut tvgp_policy, mean_or_null: tvgp_mean_fn, user: *mut c_void) -> i32;
    pub fn tvgp_policy_add_prior(policy: *mut tvgp_policy, kernel: *const tvgp_kernel, mean_or_null: *const f64, n_mean: usize,
        epsilon: f64) -> i32;
    pub fn tvgp_policy_add_prior_fn(policy: *mut tvgp_policy, kernel: *const tvgp_kernel, mean_or_null: tvgp_mean_fn,
        user: *mut c_void, epsilon: f64) -> i32;
    pub fn tvgp_policy_set_prior_mean(policy: *mut tvgp_policy, i: usize, mean_or_null: *const f64, n: usize) -> i32;
    pub fn tvgp_policy_set_incumbent(policy: *mut tvgp_policy, x_or_null: *const f64, budget: f64) -> i32;
    pub fn tvgp_policy_add_limit(policy: *mut tvgp_policy, model: *mut tvgp_policy, flags: u32, limit: f64) -> i32;
    pub fn tvgp_policy_set_limit(policy: *mut tvgp_policy, k: usize, limit: f64) -> i32;
    pub fn tvgp_policy_set_safe(policy: *mut tvgp_policy, n: usize, X_or_null: *const f64) -> i32;
    pub fn tvgp_policy_risk(policy: *mut tvgp_policy, t: f64, n: usize, X_or_null: *const f64, risk: *mut f64) -> i32;
    pub fn tvgp_policy_tell_values(policy: *mut tvgp_policy, id: i64, y: *const f64, n: usize) -> i32;
    pub fn tvgp_policy_set_available(policy: *mut tvgp_policy, mask_or_null: *const u8, n: usize) -> i32;
    pub fn tvgp_policy_extend(policy: *mut tvgp_policy, larger: *const tvgp_domain, new_mean_or_null: *const f64) -> i32;
    pub fn tvgp_policy_set_context(policy: *mut tvgp_policy, context: i64) -> i32;
    pub fn tvgp_policy_set_context_x(policy: *mut tvgp_policy, z: *const f64, n: usize) -> i32;
    pub fn tvgp_policy_set_bounds(policy: *mut tvgp_policy, lower_or_null: *const f64, upper_or_null: *const f64) -> i32;
    pub fn tvgp_policy_set_feasible(policy: *mut tvgp_policy, feasible_or_null: tvgp_feasible_fn, user: *mut c_void) -> i32;
    pub fn tvgp_policy_set_candidates(policy: *mut tvgp_policy, n: usize, X_or_null: *const f64,
        mean_or_null: *const f64) -> i32;
    pub fn tvgp_policy_ask(policy: *mut tvgp_policy, t: f64, cap: usize, q: *mut tvgp_query, x: *mut f64, n: *mut usize) -> i32;
    pub fn tvgp_policy_tell(policy: *mut tvgp_policy, obs: *const tvgp_obs, x_or_null: *const f64, n: usize) -> i32;
    pub fn tvgp_policy_pending(policy: *const tvgp_policy, cap: usize, q_or_null: *mut tvgp_query, x_or_null: *mut f64,
        n: *mut usize) -> i32;
    pub fn tvgp_policy_ask_one(policy: *mut tvgp_policy, t: f64, q: *mut tvgp_query, x: *mut f64) -> i32;
    pub fn tvgp_policy_tell_value(policy: *mut tvgp_policy, id: i64, y: f64) -> i32;
    pub fn tvgp_policy_save(policy: *const tvgp_policy, buffer_or_null: *mut c_void, capacity: usize,
        needed: *mut usize) -> i32;
    pub fn tvgp_policy_load(policy: *mut tvgp_policy, bytes: *const c_void, n: usize) -> i32;
    pub fn tvgp_policy_save_whole(policy: *const tvgp_policy, buffer_or_null: *mut c_void, capacity: usize,
        needed: *mut usize) -> i32;
    pub fn tvgp_policy_create_from(ctx: *mut tvgp_ctx, bytes: *const c_void, n: usize, domain_or_null: *const tvgp_domain,
        kernel_or_null: *const tvgp_kernel, out: *mut *mut tvgp_policy) -> i32;
    pub fn tvgp_policy_clone(policy: *const tvgp_policy, out: *mut *mut tvgp_policy) -> i32;
    pub fn tvgp_policy_predict(policy: *mut tvgp_policy, t: f64, n: usize, X_or_null: *const f64, mean: *mut f64,
        var: *mut f64) -> i32;
    pub fn tvgp_policy_predict_gradient(policy: *mut tvgp_policy, t: f64, n: usize, X: *const f64, mean: *mut f64,
        var: *mut f64, dmean: *mut f64, dvar: *mut f64) -> i32;
    pub fn tvgp_policy_score(policy: *mut tvgp_policy, t: f64, n: usize, X_or_null: *const f64, score_or_null: *mut f64,
        mean_or_null: *mut f64, sd_or_null: *mut f64) -> i32;
    pub fn tvgp_policy_best(policy: *mut tvgp_policy, t: f64, arm: *mut i64, x: *mut f64) -> i32;
    pub fn tvgp_policy_stat(policy: *const tvgp_policy, key: *const c_char, value: *mut f64) -> i32;
    pub fn tvgp_policy_count(ctx: *const tvgp_ctx, n: *mut usize) -> i32;
    pub fn tvgp_policy_name_at(ctx: *const tvgp_ctx, i: usize, name: *mut *const c_char, doc: *mut *const c_char) -> i32;
    pub fn tvgp_policy_option_count(policy: *const tvgp_policy, n: *mut usize) -> i32;
    pub fn tvgp_policy_option_info(policy: *const tvgp_policy, i: usize, info: *mut tvgp_option_info) -> i32;
    pub fn tvgp_policy_stat_count(policy: *const tvgp_policy, n: *mut usize) -> i32;
    pub fn tvgp_policy_stat_name_at(policy: *const tvgp_policy, i: usize, key: *mut *const c_char,
        doc: *mut *const c_char) -> i32;
    pub fn tvgp_policy_stat_kind_at(policy: *const tvgp_policy, i: usize, kind: *mut u32, unit: *mut *const c_char) -> i32;
    pub fn tvgp_random_uniform(seed: u64, purpose: u32, step: u64, n: usize, out: *mut f64) -> i32;
    pub fn tvgp_random_normal(seed: u64, purpose: u32, step: u64, n: usize, out: *mut f64) -> i32;
}
