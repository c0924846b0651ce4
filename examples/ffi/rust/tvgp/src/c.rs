// SPDX-License-Identifier: MIT
//! Every function of the library by its name in C without tvgp_: `tvgp::c::policy_predict_gradient(&policy, t, &X)`. What the C
//! function is given is given here in the same order, but for the lengths of arrays, which are known; what it writes is returned,
//! several things as a tuple. Made by examples/ffi/generate from tvgp.json: do not edit.
#![allow(non_snake_case, clippy::too_many_arguments, clippy::type_complexity)]
use crate::{c_string, misuse, same, text, Context, Domain, Gp, Kernel, Policy, Raw, Result};
use std::os::raw::c_void;
use std::ptr;
use std::rc::Rc;
use tvgp_sys as sys;

fn quotient(what: &str, n: usize, by: usize) -> Result<usize> {
    match n.checked_rem(by) {
        Some(0) => Ok(n / by),
        _ => Err(misuse(&format!("{what} has {n} entries, no multiple of {by}"))),
    }
}

/// The status of a call without a context.
fn plain(status: i32) -> Result<i32> {
    if status >= 0 {
        return Ok(status);
    }
    Err(crate::Error { status, message: text(unsafe { sys::tvgp_status_name(status) }) })
}

/// A text, empty where there is none.
fn text_of(borrowed: *const std::os::raw::c_char) -> String {
    if borrowed.is_null() { String::new() } else { text(borrowed) }
}

/// Objects of which lengths are made.
trait Measured {
    fn dim(&self) -> Result<usize> {
        Err(misuse("it has no dimension"))
    }
    fn arms(&self) -> Result<usize> {
        Err(misuse("it has no arms"))
    }
    fn parameters(&self) -> Result<usize> {
        Err(misuse("it has no parameters"))
    }
}
impl Measured for Domain {
    fn dim(&self) -> Result<usize> {
        domain_dim(self)
    }
    fn arms(&self) -> Result<usize> {
        domain_size(self)
    }
}
impl Measured for Policy {
    fn dim(&self) -> Result<usize> {
        domain_dim(&policy_domain(self)?)
    }
    fn arms(&self) -> Result<usize> {
        domain_size(&policy_domain(self)?)
    }
}
impl Measured for Kernel {
    fn dim(&self) -> Result<usize> {
        kernel_dim(self)
    }
    fn parameters(&self) -> Result<usize> {
        kernel_param_count(self)
    }
}
impl Measured for Gp {
    fn dim(&self) -> Result<usize> {
        kernel_dim(&gp_kernels(self)?.0)
    }
    fn parameters(&self) -> Result<usize> {
        let (space, time) = gp_kernels(self)?;
        Ok(kernel_param_count(&space)? + time.as_ref().map_or(Ok(0), kernel_param_count)? + 1)
    }
}

/// This rank's n >= 1 arms, after those of the lower ranks: arm numbers everywhere are among all of them.
///
/// # Safety
/// What the pointers lead to must stay as long as the object that was given them.
pub unsafe fn domain_arms_shared(ctx: &Context, comm: &sys::tvgp_comm, dim: usize, X: &[f64]) -> Result<Domain> {
    let n = quotient("domain_arms_shared: X", X.len(), dim)?;
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_domain_arms_shared(ctx.0 .0, comm, n, dim, X.as_ptr(), &mut out_) })?;
    Ok(Domain::of(ctx.clone(), out_)?)
}

/// The grid of tvgp_domain_grid, the same arguments on all ranks; each rank holds a part of the first coordinate's points, of
/// which there must be as many as ranks at least (ARG).
///
/// # Safety
/// What the pointers lead to must stay as long as the object that was given them.
pub unsafe fn domain_grid_shared(ctx: &Context, comm: &sys::tvgp_comm, lower: &[f64], upper: &[f64],
    points: &[usize]) -> Result<Domain> {
    let dim = lower.len();
    same("domain_grid_shared: upper", upper.len(), dim)?;
    same("domain_grid_shared: points", points.len(), dim)?;
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_domain_grid_shared(ctx.0 .0, comm, dim, lower.as_ptr(), upper.as_ptr(), points.as_ptr(), &mut out_) })?;
    Ok(Domain::of(ctx.clone(), out_)?)
}

/// The arms this rank holds are first .. first + n - 1 of n_total; each may be NULL.
pub fn domain_share(domain: &Domain) -> Result<(usize, usize, usize)> {
    let mut first_ = 0;
    let mut n_ = 0;
    let mut n_total_ = 0;
    domain.ctx.0.check(unsafe { sys::tvgp_domain_share(domain.handle, &mut first_, &mut n_, &mut n_total_) })?;
    Ok((first_, n_, n_total_))
}

/// "major.minor.patch" of the library in use (static string).
pub fn version() -> String {
    text_of(unsafe { sys::tvgp_version() })
}

/// Name of a status code, e.g. "TVGP_ERR_ARG"; "TVGP_ERR_CALLBACK" for -1000..-1999, "unknown status" otherwise.
pub fn status_name(status: i32) -> String {
    text_of(unsafe { sys::tvgp_status_name(status) })
}

/// Creates a context. allocator NULL: malloc and free.
///
/// # Safety
/// What the pointers lead to must stay as long as the object that was given them.
pub unsafe fn ctx_create(allocator: Option<&sys::tvgp_allocator>) -> Result<Context> {
    let mut out_ = ptr::null_mut();
    plain(unsafe { sys::tvgp_ctx_create(allocator.map_or(ptr::null(), |given| given), &mut out_) })?;
    Ok(Context(Rc::new(Raw(out_))))
}

/// Gives up the ctx.
pub fn ctx_destroy(ctx: Context) {
    drop(ctx)
}

/// Text of the last failure in this context ("" after a success), at most 255 bytes.
pub fn ctx_errmsg(ctx: &Context) -> String {
    text_of(unsafe { sys::tvgp_ctx_errmsg(ctx.0 .0) })
}

/// Installs a logger (NULL: none).
///
/// # Safety
/// What the pointers lead to must stay as long as the object that was given them.
pub unsafe fn ctx_set_logger(ctx: &Context, logger: sys::tvgp_logger, user: *mut c_void) -> Result<()> {
    ctx.0.check(unsafe { sys::tvgp_ctx_set_logger(ctx.0 .0, logger, user) })?;
    Ok(())
}

/// Installs a function that may end long work (NULL: none): the factorisation of a large kernel at the first ask or tell, k-DPP
/// chains, fits of parameters; about once a millisecond.
///
/// # Safety
/// What the pointers lead to must stay as long as the object that was given them.
pub unsafe fn ctx_set_interrupt(ctx: &Context, interrupt: sys::tvgp_interrupt, user: *mut c_void) -> Result<()> {
    ctx.0.check(unsafe { sys::tvgp_ctx_set_interrupt(ctx.0 .0, interrupt, user) })?;
    Ok(())
}

/// Limits for what is done in this context, as for snapshots that somebody else wrote (docs/restarts.md); 0: none, as at first.
/// bytes: what the context may hold, as tvgp_ctx_memory counts it. arms: of a domain that is made, on this rank where they are
/// shared. work: values that one call may compute, counted from 0 in every call: of kernels (each pair of points, a variance, their
/// gradients; of a kernel made of kernels its own and those of its parts), of arms in joint draws (choice=thompson), and pairs of
/// points that a search on a box compares.
pub fn ctx_set_quota(ctx: &Context, bytes: usize, arms: usize, work: i64) -> Result<()> {
    ctx.0.check(unsafe { sys::tvgp_ctx_set_quota(ctx.0 .0, bytes, arms, work) })?;
    Ok(())
}

/// Bytes now held by the context and all that was made from it.
pub fn ctx_memory(ctx: &Context) -> Result<usize> {
    let mut bytes_ = 0;
    ctx.0.check(unsafe { sys::tvgp_ctx_memory(ctx.0 .0, &mut bytes_) })?;
    Ok(bytes_)
}

/// n explicit arms, X row-major n x dim (copied).
pub fn domain_arms(ctx: &Context, dim: usize, X: &[f64]) -> Result<Domain> {
    let n = quotient("domain_arms: X", X.len(), dim)?;
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_domain_arms(ctx.0 .0, n, dim, X.as_ptr(), &mut out_) })?;
    Ok(Domain::of(ctx.clone(), out_)?)
}

/// n arms whose only coordinate is their index: 0, 1, .., n-1.
pub fn domain_indices(ctx: &Context, n: usize) -> Result<Domain> {
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_domain_indices(ctx.0 .0, n, &mut out_) })?;
    Ok(Domain::of(ctx.clone(), out_)?)
}

/// Product grid: points[d] equally spaced values from lower[d] to upper[d], both included (points[d] = 1: lower[d] only).
pub fn domain_grid(ctx: &Context, lower: &[f64], upper: &[f64], points: &[usize]) -> Result<Domain> {
    let dim = lower.len();
    same("domain_grid: upper", upper.len(), dim)?;
    same("domain_grid: points", points.len(), dim)?;
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_domain_grid(ctx.0 .0, dim, lower.as_ptr(), upper.as_ptr(), points.as_ptr(), &mut out_) })?;
    Ok(Domain::of(ctx.clone(), out_)?)
}

/// A larger domain: the arms of this one, with their numbers, and behind them n more, X row-major n x dim (copied).
pub fn domain_append(domain: &Domain, X: &[f64]) -> Result<Domain> {
    let n = quotient("domain_append: X", X.len(), domain.dim()?)?;
    let mut out_ = ptr::null_mut();
    domain.ctx.0.check(unsafe { sys::tvgp_domain_append(domain.handle, n, X.as_ptr(), &mut out_) })?;
    Ok(Domain::of(domain.ctx.clone(), out_)?)
}

/// Every pair of an action and a context: arm = action * contexts + context, its point the action's coordinates followed by the
/// context's.
pub fn domain_product(ctx: &Context, actions: &Domain, contexts: &Domain) -> Result<Domain> {
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_domain_product(ctx.0 .0, actions.handle, contexts.handle, &mut out_) })?;
    Ok(Domain::of(ctx.clone(), out_)?)
}

/// The action and the context of an arm of a product; each may be NULL.
pub fn domain_split(domain: &Domain, arm: i64) -> Result<(i64, i64)> {
    let mut action_ = 0;
    let mut context_ = 0;
    domain.ctx.0.check(unsafe { sys::tvgp_domain_split(domain.handle, arm, &mut action_, &mut context_) })?;
    Ok((action_, context_))
}

/// Means of the arms by phase of a period, from n observations y of arms at times t (for tvgp_policy_set_mean, or to see a
/// season): mean is bins x arms, bin b holds the times with frac(t / period) in [b, b + 1) / bins.
pub fn domain_seasonal_mean(domain: &Domain, arm: &[i64], t: &[f64], y: &[f64], period: f64, bins: usize) -> Result<Vec<f64>> {
    let n = arm.len();
    same("domain_seasonal_mean: t", t.len(), n)?;
    same("domain_seasonal_mean: y", y.len(), n)?;
    let mut mean_ = vec![0.0; bins * domain.arms()?];
    domain.ctx.0.check(unsafe { sys::tvgp_domain_seasonal_mean(domain.handle, n, arm.as_ptr(), t.as_ptr(), y.as_ptr(), period, bins, mean_.as_mut_ptr()) })?;
    Ok(mean_)
}

/// A box: every point with lower[k] <= x[k] <= upper[k], for 1 <= dim <= 64.
pub fn domain_box(ctx: &Context, lower: &[f64], upper: &[f64]) -> Result<Domain> {
    let dim = lower.len();
    same("domain_box: upper", upper.len(), dim)?;
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_domain_box(ctx.0 .0, dim, lower.as_ptr(), upper.as_ptr(), &mut out_) })?;
    Ok(Domain::of(ctx.clone(), out_)?)
}

/// Coordinate k of a box takes whole numbers only; its bounds move inwards to whole numbers.
pub fn domain_box_integer(domain: &mut Domain, k: usize) -> Result<()> {
    domain.ctx.0.check(unsafe { sys::tvgp_domain_box_integer(domain.handle, k) })?;
    Ok(())
}

/// Number of arms (0 for a box); dimension of the points; coordinates of one arm (x has dim entries; ARG when arm is not in
/// 0..n-1).
pub fn domain_size(domain: &Domain) -> Result<usize> {
    let mut n_ = 0;
    domain.ctx.0.check(unsafe { sys::tvgp_domain_size(domain.handle, &mut n_) })?;
    Ok(n_)
}

/// Number of arms (0 for a box); dimension of the points; coordinates of one arm (x has dim entries; ARG when arm is not in
/// 0..n-1).
pub fn domain_dim(domain: &Domain) -> Result<usize> {
    let mut dim_ = 0;
    domain.ctx.0.check(unsafe { sys::tvgp_domain_dim(domain.handle, &mut dim_) })?;
    Ok(dim_)
}

/// Number of arms (0 for a box); dimension of the points; coordinates of one arm (x has dim entries; ARG when arm is not in
/// 0..n-1).
pub fn domain_point(domain: &Domain, arm: i64) -> Result<Vec<f64>> {
    let mut x_ = vec![0.0; domain.dim()?];
    domain.ctx.0.check(unsafe { sys::tvgp_domain_point(domain.handle, arm, x_.as_mut_ptr()) })?;
    Ok(x_)
}

/// The smallest and the largest value of each coordinate (dim entries each): the bounds of a box; of arms those of their
/// points, of shared arms of the points this rank holds; of arms with measured contexts those of the actions, then of the box.
pub fn domain_bounds(domain: &Domain) -> Result<(Vec<f64>, Vec<f64>)> {
    let mut lower_ = vec![0.0; domain.dim()?];
    let mut upper_ = vec![0.0; domain.dim()?];
    domain.ctx.0.check(unsafe { sys::tvgp_domain_bounds(domain.handle, lower_.as_mut_ptr(), upper_.as_mut_ptr()) })?;
    Ok((lower_, upper_))
}

/// What the domain is: "arms", "indices", "grid", "box", "product", or the name of a registered type (tvgp/extend.h).
pub fn domain_type_name(domain: &Domain) -> Result<String> {
    let mut type_ = ptr::null();
    domain.ctx.0.check(unsafe { sys::tvgp_domain_type_name(domain.handle, &mut r#type_) })?;
    Ok(text_of(type_))
}

/// Gives up the domain.
pub fn domain_destroy(domain: Domain) {
    drop(domain)
}

/// Squared exponential: variance exp(-r^2 / 2).
pub fn kernel_se(ctx: &Context, dim: usize, variance: f64, lengthscale: &[f64]) -> Result<Kernel> {
    let n_lengthscale = lengthscale.len();
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_kernel_se(ctx.0 .0, dim, variance, lengthscale.as_ptr(), n_lengthscale, &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: ctx.clone() })
}

/// Matern with nu = 0.5, 1.5 or 2.5 (anything else: ARG): with a = sqrt(2 nu) r, variance e^-a, variance (1 + a) e^-a, variance
/// (1 + a + a^2/3) e^-a (Rasmussen and Williams 2006, eq. 4.17).
pub fn kernel_matern(ctx: &Context, dim: usize, nu: f64, variance: f64, lengthscale: &[f64]) -> Result<Kernel> {
    let n_lengthscale = lengthscale.len();
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_kernel_matern(ctx.0 .0, dim, nu, variance, lengthscale.as_ptr(), n_lengthscale, &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: ctx.clone() })
}

/// Rational quadratic: variance (1 + r^2 / (2 alpha))^-alpha (Rasmussen and Williams 2006, eq. 4.19).
pub fn kernel_rational_quadratic(ctx: &Context, dim: usize, alpha: f64, variance: f64, lengthscale: &[f64]) -> Result<Kernel> {
    let n_lengthscale = lengthscale.len();
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_kernel_rational_quadratic(ctx.0 .0, dim, alpha, variance, lengthscale.as_ptr(), n_lengthscale, &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: ctx.clone() })
}

/// Periodic: variance exp(-2 sum_d sin^2(pi (x_d - x'_d) / period_d) / l_d^2) (Rasmussen and Williams 2006, eq. 4.31).
pub fn kernel_periodic(ctx: &Context, dim: usize, variance: f64, lengthscale: &[f64], period: &[f64]) -> Result<Kernel> {
    let n_lengthscale = lengthscale.len();
    let n_period = period.len();
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_kernel_periodic(ctx.0 .0, dim, variance, lengthscale.as_ptr(), n_lengthscale, period.as_ptr(), n_period, &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: ctx.clone() })
}

/// Linear: bias + variance sum_d x_d x'_d / l_d^2, bias >= 0.
pub fn kernel_linear(ctx: &Context, dim: usize, variance: f64, lengthscale: &[f64], bias: f64) -> Result<Kernel> {
    let n_lengthscale = lengthscale.len();
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_kernel_linear(ctx.0 .0, dim, variance, lengthscale.as_ptr(), n_lengthscale, bias, &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: ctx.clone() })
}

/// A given covariance between n_arms arms, row-major n_arms x n_arms.
pub fn kernel_table(ctx: &Context, n_arms: usize, K: &[f64]) -> Result<Kernel> {
    same("kernel_table: K", K.len(), n_arms * n_arms)?;
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_kernel_table(ctx.0 .0, n_arms, K.as_ptr(), &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: ctx.clone() })
}

/// a + b and a * b.
pub fn kernel_sum(ctx: &Context, a: &Kernel, b: &Kernel) -> Result<Kernel> {
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_kernel_sum(ctx.0 .0, a.handle, b.handle, &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: ctx.clone() })
}

/// a + b and a * b.
pub fn kernel_product(ctx: &Context, a: &Kernel, b: &Kernel) -> Result<Kernel> {
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_kernel_product(ctx.0 .0, a.handle, b.handle, &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: ctx.clone() })
}

/// inner on coordinates first .. first + its dimension - 1 of points with `dim` coordinates; sums and products of slices say
/// "this kernel over the arm times that one over the hour".
pub fn kernel_slice(ctx: &Context, dim: usize, first: usize, inner: &Kernel) -> Result<Kernel> {
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_kernel_slice(ctx.0 .0, dim, first, inner.handle, &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: ctx.clone() })
}

/// One coordinate, equal or not (dim 1): `variance` where two values are equal, variance times correlation where they differ,
/// correlation in [0, 1] (else ARG). 0: independent arms; above: groups that have something in common.
pub fn kernel_categorical(ctx: &Context, variance: f64, correlation: f64) -> Result<Kernel> {
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_kernel_categorical(ctx.0 .0, variance, correlation, &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: ctx.clone() })
}

/// Kernels over time (dim 1).
pub fn kernel_forgetting(ctx: &Context, epsilon: f64) -> Result<Kernel> {
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_kernel_forgetting(ctx.0 .0, epsilon, &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: ctx.clone() })
}

/// Kernels over time (dim 1).
pub fn kernel_wiener(ctx: &Context, rate: f64, origin: f64) -> Result<Kernel> {
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_kernel_wiener(ctx.0 .0, rate, origin, &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: ctx.clone() })
}

/// K[i, j] = k(X_i, Z_j): X is n x dim, Z is m x dim, K is n x m, all row-major.
pub fn kernel_gram(kernel: &Kernel, X: &[f64], Z: &[f64]) -> Result<Vec<f64>> {
    let n = quotient("kernel_gram: X", X.len(), kernel.dim()?)?;
    let m = quotient("kernel_gram: Z", Z.len(), kernel.dim()?)?;
    let mut K_ = vec![0.0; n * m];
    kernel.ctx.0.check(unsafe { sys::tvgp_kernel_gram(kernel.handle, n, X.as_ptr(), m, Z.as_ptr(), K_.as_mut_ptr()) })?;
    Ok(K_)
}

/// How many parameters there are; 0: nothing can be learned (a table).
pub fn kernel_param_count(kernel: &Kernel) -> Result<usize> {
    let mut n_ = 0;
    kernel.ctx.0.check(unsafe { sys::tvgp_kernel_param_count(kernel.handle, &mut n_) })?;
    Ok(n_)
}

/// Parameter i.
pub fn kernel_param_info(kernel: &Kernel, i: usize) -> Result<sys::tvgp_param_info> {
    let mut info_ = sys::tvgp_param_info::default();
    kernel.ctx.0.check(unsafe { sys::tvgp_kernel_param_info(kernel.handle, i, &mut info_) })?;
    Ok(info_)
}

/// The same family with other values, one for each parameter; NULL: its own values.
pub fn kernel_clone(kernel: &Kernel, values_or_null: Option<&[f64]>) -> Result<Kernel> {
    if let Some(given) = values_or_null {
        same("kernel_clone: values_or_null", given.len(), kernel.parameters()?)?;
    }
    let mut out_ = ptr::null_mut();
    kernel.ctx.0.check(unsafe { sys::tvgp_kernel_clone(kernel.handle, values_or_null.map_or(ptr::null(), |given| given.as_ptr()), &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: kernel.ctx.clone() })
}

/// gradient[p] = sum_ij W[i, j] dk(X_i, Z_j)/du_p for every parameter: the derivative of sum_ij W[i, j] k(X_i, Z_j).
pub fn kernel_contract(kernel: &Kernel, X: &[f64], Z: &[f64], W: &[f64]) -> Result<Vec<f64>> {
    let n = quotient("kernel_contract: X", X.len(), kernel.dim()?)?;
    let m = quotient("kernel_contract: Z", Z.len(), kernel.dim()?)?;
    same("kernel_contract: W", W.len(), n * m)?;
    let mut gradient_ = vec![0.0; kernel.parameters()?];
    kernel.ctx.0.check(unsafe { sys::tvgp_kernel_contract(kernel.handle, n, X.as_ptr(), m, Z.as_ptr(), W.as_ptr(), gradient_.as_mut_ptr()) })?;
    Ok(gradient_)
}

/// Dimension of the kernel's points.
pub fn kernel_dim(kernel: &Kernel) -> Result<usize> {
    let mut dim_ = 0;
    kernel.ctx.0.check(unsafe { sys::tvgp_kernel_dim(kernel.handle, &mut dim_) })?;
    Ok(dim_)
}

/// Gives up the kernel.
pub fn kernel_destroy(kernel: Kernel) {
    drop(kernel)
}

/// Registers a type of kernel in this context, for good; the table and its name are copied. user is what `load` is given;
/// destroy is called with it when the context is gone.
///
/// # Safety
/// What the pointers lead to must stay as long as the object that was given them.
pub unsafe fn ctx_register_kernel(ctx: &Context, r#type: &sys::tvgp_kernel_type, user: *mut c_void,
    destroy_or_null: sys::tvgp_destroy_fn) -> Result<()> {
    ctx.0.check(unsafe { sys::tvgp_ctx_register_kernel(ctx.0 .0, r#type, user, destroy_or_null) })?;
    Ok(())
}

/// A kernel of a registered type over dim coordinates; takes over data.
///
/// # Safety
/// What the pointers lead to must stay as long as the object that was given them.
pub unsafe fn kernel_of_type(ctx: &Context, r#type: &str, dim: usize, data: *mut c_void) -> Result<Kernel> {
    let r#type = c_string(r#type)?;
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_kernel_of_type(ctx.0 .0, r#type.as_ptr(), dim, data, &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: ctx.clone() })
}

/// As tvgp_ctx_register_kernel.
///
/// # Safety
/// What the pointers lead to must stay as long as the object that was given them.
pub unsafe fn ctx_register_domain(ctx: &Context, r#type: &sys::tvgp_domain_type, user: *mut c_void,
    destroy_or_null: sys::tvgp_destroy_fn) -> Result<()> {
    ctx.0.check(unsafe { sys::tvgp_ctx_register_domain(ctx.0 .0, r#type, user, destroy_or_null) })?;
    Ok(())
}

/// A domain of a registered type with n arms in dim coordinates; takes over data. tvgp_domain_append makes a list of arms of
/// it.
///
/// # Safety
/// What the pointers lead to must stay as long as the object that was given them.
pub unsafe fn domain_of_type(ctx: &Context, r#type: &str, n: usize, dim: usize, data: *mut c_void) -> Result<Domain> {
    let r#type = c_string(r#type)?;
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_domain_of_type(ctx.0 .0, r#type.as_ptr(), n, dim, data, &mut out_) })?;
    Ok(Domain::of(ctx.clone(), out_)?)
}

/// Registers a policy, for good: tvgp_policy_create and tvgp_policy_create_from know its name then.
///
/// # Safety
/// What the pointers lead to must stay as long as the object that was given them.
pub unsafe fn ctx_register_policy(ctx: &Context, r#type: &sys::tvgp_policy_type, user: *mut c_void,
    destroy_or_null: sys::tvgp_destroy_fn) -> Result<()> {
    ctx.0.check(unsafe { sys::tvgp_ctx_register_policy(ctx.0 .0, r#type, user, destroy_or_null) })?;
    Ok(())
}

/// Learns the mean and the covariance over the arms of a domain, and the noise, that explain n_runs runs best: what a new
/// device, cell or user may believe after the logs of others.
pub fn prior_learn(ctx: &Context, domain: &Domain, first: &[usize], arm: &[i64], t_or_null: Option<&[f64]>, y: &[f64],
    kernel_or_null: Option<&Kernel>, strength: f64, epsilon: f64, max_iterations: i64) -> Result<(Vec<f64>, Kernel, f64)> {
    let n_runs = first.len();
    let n = arm.len();
    if let Some(given) = t_or_null {
        same("prior_learn: t_or_null", given.len(), n)?;
    }
    same("prior_learn: y", y.len(), n)?;
    let mut mean_ = vec![0.0; domain.arms()?];
    let mut kernel_ = ptr::null_mut();
    let mut noise_ = 0.0;
    ctx.0.check(unsafe { sys::tvgp_prior_learn(ctx.0 .0, domain.handle, n_runs, first.as_ptr(), n, arm.as_ptr(),
        t_or_null.map_or(ptr::null(), |given| given.as_ptr()), y.as_ptr(),
        kernel_or_null.map_or(ptr::null_mut(), |object| object.handle), strength, epsilon, max_iterations, mean_.as_mut_ptr(),
        &mut kernel_, &mut noise_) })?;
    Ok((mean_, Kernel { handle: kernel_, ctx: ctx.clone() }, noise_))
}

/// An empty posterior. time NULL: the function does not change. noise >= 0 is the default noise variance.
pub fn gp_create(ctx: &Context, space: &Kernel, time_or_null: Option<&Kernel>, noise: f64) -> Result<Gp> {
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_gp_create(ctx.0 .0, space.handle, time_or_null.map_or(ptr::null_mut(), |object| object.handle), noise, &mut out_) })?;
    Ok(Gp { handle: out_, ctx: ctx.clone() })
}

/// Affine prior mean m(x) = intercept + slope' x; slope has dim entries, NULL for a constant mean.
pub fn gp_set_mean(gp: &mut Gp, intercept: f64, slope_or_null: Option<&[f64]>) -> Result<()> {
    if let Some(given) = slope_or_null {
        same("gp_set_mean: slope_or_null", given.len(), gp.dim()?)?;
    }
    gp.ctx.0.check(unsafe { sys::tvgp_gp_set_mean(gp.handle, intercept, slope_or_null.map_or(ptr::null(), |given| given.as_ptr())) })?;
    Ok(())
}

/// Adds n observations in order, all or none.
pub fn gp_add(gp: &mut Gp, X: &[f64], t_or_null: Option<&[f64]>, y: &[f64], noise_var_or_null: Option<&[f64]>) -> Result<()> {
    let n = quotient("gp_add: X", X.len(), gp.dim()?)?;
    if let Some(given) = t_or_null {
        same("gp_add: t_or_null", given.len(), n)?;
    }
    same("gp_add: y", y.len(), n)?;
    if let Some(given) = noise_var_or_null {
        same("gp_add: noise_var_or_null", given.len(), n)?;
    }
    gp.ctx.0.check(unsafe { sys::tvgp_gp_add(gp.handle, n, X.as_ptr(), t_or_null.map_or(ptr::null(), |given| given.as_ptr()), y.as_ptr(),
        noise_var_or_null.map_or(ptr::null(), |given| given.as_ptr())) })?;
    Ok(())
}

/// Forgets the n oldest observations (in order of adding): O(N^2) each, by Givens rotations.
pub fn gp_drop(gp: &mut Gp, n_oldest: usize) -> Result<()> {
    gp.ctx.0.check(unsafe { sys::tvgp_gp_drop(gp.handle, n_oldest) })?;
    Ok(())
}

/// Mean and latent variance at n points (n x dim) at time t (ignored without a time kernel). mean or var may be NULL.
pub fn gp_predict(gp: &mut Gp, X: &[f64], t: f64) -> Result<(Vec<f64>, Vec<f64>)> {
    let n = quotient("gp_predict: X", X.len(), gp.dim()?)?;
    let mut mean_ = vec![0.0; n];
    let mut var_ = vec![0.0; n];
    gp.ctx.0.check(unsafe { sys::tvgp_gp_predict(gp.handle, n, X.as_ptr(), t, mean_.as_mut_ptr(), var_.as_mut_ptr()) })?;
    Ok((mean_, var_))
}

/// The same with gradients by the point: dmean and dvar are n x dim, row-major.
pub fn gp_predict_gradient(gp: &mut Gp, X: &[f64], t: f64) -> Result<(Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>)> {
    let n = quotient("gp_predict_gradient: X", X.len(), gp.dim()?)?;
    let mut mean_ = vec![0.0; n];
    let mut var_ = vec![0.0; n];
    let mut dmean_ = vec![0.0; n * gp.dim()?];
    let mut dvar_ = vec![0.0; n * gp.dim()?];
    gp.ctx.0.check(unsafe { sys::tvgp_gp_predict_gradient(gp.handle, n, X.as_ptr(), t, mean_.as_mut_ptr(), var_.as_mut_ptr(), dmean_.as_mut_ptr(),
        dvar_.as_mut_ptr()) })?;
    Ok((mean_, var_, dmean_, dvar_))
}

/// log p(y | X, t): -1/2 r'(K+Sigma)^-1 r - 1/2 log det(K+Sigma) - N/2 log 2 pi; 0 without data.
pub fn gp_log_evidence(gp: &mut Gp) -> Result<f64> {
    let mut value_ = 0.0;
    gp.ctx.0.check(unsafe { sys::tvgp_gp_log_evidence(gp.handle, &mut value_) })?;
    Ok(value_)
}

/// Log evidence as above and its gradient by the coordinates of the parameters (tvgp/kernel.h): those of the kernel over space,
/// those of the time kernel, last log noise, which is of the observations whose noise variance is the default. gradient has as many
/// entries. n^3 flops for n observations, and n^2 + O(n) doubles while it runs.
pub fn gp_log_evidence_gradient(gp: &mut Gp) -> Result<(f64, Vec<f64>)> {
    let mut value_ = 0.0;
    let mut gradient_ = vec![0.0; gp.parameters()?];
    gp.ctx.0.check(unsafe { sys::tvgp_gp_log_evidence_gradient(gp.handle, &mut value_, gradient_.as_mut_ptr()) })?;
    Ok((value_, gradient_))
}

/// Hyper-parameters from the observations held.
pub fn gp_fit(gp: &mut Gp, lower_or_null: Option<&[f64]>, upper_or_null: Option<&[f64]>, max_evals: i64) -> Result<(f64, i32)> {
    if let Some(given) = lower_or_null {
        same("gp_fit: lower_or_null", given.len(), gp.parameters()?)?;
    }
    if let Some(given) = upper_or_null {
        same("gp_fit: upper_or_null", given.len(), gp.parameters()?)?;
    }
    let mut log_posterior_ = 0.0;
    let status = gp.ctx.0.check(unsafe { sys::tvgp_gp_fit(gp.handle, lower_or_null.map_or(ptr::null(), |given| given.as_ptr()),
        upper_or_null.map_or(ptr::null(), |given| given.as_ptr()), max_evals, &mut log_posterior_) })?;
    Ok((log_posterior_, status))
}

/// The kernels in use, owned handles; time_or_null may be NULL, and *time is NULL without a time kernel.
pub fn gp_kernels(gp: &Gp) -> Result<(Kernel, Option<Kernel>)> {
    let mut space_ = ptr::null_mut();
    let mut time_or_null_ = ptr::null_mut();
    gp.ctx.0.check(unsafe { sys::tvgp_gp_kernels(gp.handle, &mut space_, &mut time_or_null_) })?;
    Ok((Kernel { handle: space_, ctx: gp.ctx.clone() }, (!time_or_null_.is_null()).then(|| Kernel { handle: time_or_null_, ctx: gp.ctx.clone() })))
}

/// The default noise variance and the intercept of the mean.
pub fn gp_noise(gp: &Gp) -> Result<(f64, f64)> {
    let mut noise_ = 0.0;
    let mut intercept_ = 0.0;
    gp.ctx.0.check(unsafe { sys::tvgp_gp_noise(gp.handle, &mut noise_, &mut intercept_) })?;
    Ok((noise_, intercept_))
}

/// Information gain 1/2 log det(I + Sigma^-1 K) of the observations held; 0 without data.
pub fn gp_information_gain(gp: &mut Gp) -> Result<f64> {
    let mut value_ = 0.0;
    gp.ctx.0.check(unsafe { sys::tvgp_gp_information_gain(gp.handle, &mut value_) })?;
    Ok(value_)
}

/// Observations held; how often jitter was added since creation.
pub fn gp_size(gp: &Gp) -> Result<usize> {
    let mut n_ = 0;
    gp.ctx.0.check(unsafe { sys::tvgp_gp_size(gp.handle, &mut n_) })?;
    Ok(n_)
}

/// Observations held; how often jitter was added since creation.
pub fn gp_jitter(gp: &Gp) -> Result<usize> {
    let mut count_ = 0;
    gp.ctx.0.check(unsafe { sys::tvgp_gp_jitter(gp.handle, &mut count_) })?;
    Ok(count_)
}

/// Gives up the gp.
pub fn gp_destroy(gp: Gp) {
    drop(gp)
}

/// Draws a set Z of k of the n points X (n x dim) with probability proportional to det K_Z: greedy start, then `steps` swaps of
/// a Markov chain whose law tends to this; 0 is the greedy set itself.
pub fn kdpp_sample(ctx: &Context, kernel: &Kernel, X: &[f64], k: usize, steps: i64, seed: u64) -> Result<Vec<usize>> {
    let n = quotient("kdpp_sample: X", X.len(), kernel.dim()?)?;
    let mut index_ = vec![0; k];
    let mut n_index_ = 0;
    ctx.0.check(unsafe { sys::tvgp_kdpp_sample(ctx.0 .0, kernel.handle, n, X.as_ptr(), k, steps, seed, index_.as_mut_ptr(), &mut n_index_) })?;
    index_.truncate(n_index_);
    Ok(index_)
}

/// Creates the policy registered under `name` (docs/algorithms.md lists them).
pub fn policy_create(ctx: &Context, name: &str, domain: &Domain, kernel_or_null: Option<&Kernel>) -> Result<Policy> {
    let name = c_string(name)?;
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_policy_create(ctx.0 .0, name.as_ptr(), domain.handle, kernel_or_null.map_or(ptr::null_mut(), |object| object.handle),
        &mut out_) })?;
    Ok(Policy::of(ctx.clone(), out_)?)
}

/// Gives up the policy.
pub fn policy_destroy(policy: Policy) {
    drop(policy)
}

/// One option.
pub fn policy_set_f64(policy: &mut Policy, key: &str, value: f64) -> Result<()> {
    let key = c_string(key)?;
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_f64(policy.handle, key.as_ptr(), value) })?;
    Ok(())
}

/// One option.
pub fn policy_set_i64(policy: &mut Policy, key: &str, value: i64) -> Result<()> {
    let key = c_string(key)?;
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_i64(policy.handle, key.as_ptr(), value) })?;
    Ok(())
}

/// One option.
pub fn policy_set_str(policy: &mut Policy, key: &str, value: &str) -> Result<()> {
    let key = c_string(key)?;
    let value = c_string(value)?;
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_str(policy.handle, key.as_ptr(), value.as_ptr()) })?;
    Ok(())
}

/// Several as text, for configuration files, command lines and bindings: key=value pairs between blanks, such as "noise=.01
/// epsilon=.03 width.schedule=igp".
pub fn policy_set(policy: &mut Policy, text: &str) -> Result<()> {
    let text = c_string(text)?;
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set(policy.handle, text.as_ptr()) })?;
    Ok(())
}

/// Several as text, for configuration files, command lines and bindings: key=value pairs between blanks, such as "noise=.01
/// epsilon=.03 width.schedule=igp".
pub fn policy_get_f64(policy: &Policy, key: &str) -> Result<f64> {
    let key = c_string(key)?;
    let mut value_ = 0.0;
    policy.ctx.0.check(unsafe { sys::tvgp_policy_get_f64(policy.handle, key.as_ptr(), &mut value_) })?;
    Ok(value_)
}

/// Several as text, for configuration files, command lines and bindings: key=value pairs between blanks, such as "noise=.01
/// epsilon=.03 width.schedule=igp".
pub fn policy_get_i64(policy: &Policy, key: &str) -> Result<i64> {
    let key = c_string(key)?;
    let mut value_ = 0;
    policy.ctx.0.check(unsafe { sys::tvgp_policy_get_i64(policy.handle, key.as_ptr(), &mut value_) })?;
    Ok(value_)
}

/// Several as text, for configuration files, command lines and bindings: key=value pairs between blanks, such as "noise=.01
/// epsilon=.03 width.schedule=igp".
pub fn policy_get_str(policy: &Policy, key: &str) -> Result<String> {
    let key = c_string(key)?;
    let mut value_ = ptr::null();
    policy.ctx.0.check(unsafe { sys::tvgp_policy_get_str(policy.handle, key.as_ptr(), &mut value_) })?;
    Ok(text_of(value_))
}

/// Prior mean (copied): n is 1, one value for all points, or the number of arms; NULL with n 0: zero, the default.
pub fn policy_set_mean(policy: &mut Policy, mean_or_null: Option<&[f64]>) -> Result<()> {
    let n = match mean_or_null {
        Some(given) => given.len(),
        None => 0,
    };
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_mean(policy.handle, mean_or_null.map_or(ptr::null(), |given| given.as_ptr()), n) })?;
    Ok(())
}

/// Learns what usually happens from a log, n records in any order: obs as in tvgp_policy_tell with id 0 and a time (outcomes
/// other than a value are left out, noise variances not looked at), x (n x dim) the arms.
pub fn policy_learn_log(policy: &mut Policy, obs: &[sys::tvgp_obs], x: &[f64]) -> Result<()> {
    let n = obs.len();
    same("policy_learn_log: x", x.len(), n * policy.dim()?)?;
    policy.ctx.0.check(unsafe { sys::tvgp_policy_learn_log(policy.handle, obs.as_ptr(), x.as_ptr(), n) })?;
    Ok(())
}

/// The same of a table: value is rows x arms, row-major, NaN where nothing was recorded; t the times of the rows, NULL: -rows
/// .. -1, so that a run begins at 0.
pub fn policy_learn_table(policy: &mut Policy, t_or_null: Option<&[f64]>, value: &[f64]) -> Result<()> {
    let rows = quotient("policy_learn_table: value", value.len(), policy.arms()?)?;
    if let Some(given) = t_or_null {
        same("policy_learn_table: t_or_null", given.len(), rows)?;
    }
    policy.ctx.0.check(unsafe { sys::tvgp_policy_learn_table(policy.handle, rows, t_or_null.map_or(ptr::null(), |given| given.as_ptr()), value.as_ptr()) })?;
    Ok(())
}

/// The prior mean of every arm, n of them, at any time t: what is set, or what was learned from a log and is foreseen.
pub fn policy_mean(policy: &Policy, t: f64, n: usize) -> Result<Vec<f64>> {
    let mut mean_ = vec![0.0; n];
    policy.ctx.0.check(unsafe { sys::tvgp_policy_mean(policy.handle, t, mean_.as_mut_ptr(), n) })?;
    Ok(mean_)
}

/// With fit = map: goes on learning now, when the caller has time, with at most max_evals >= 1 evaluations of the evidence
/// (about n^3 flops for n observations, at most fit.window); *evals is how many were made.
pub fn policy_fit(policy: &mut Policy, max_evals: i64) -> Result<(i64, i32)> {
    let mut evals_ = 0;
    let status = policy.ctx.0.check(unsafe { sys::tvgp_policy_fit(policy.handle, max_evals, &mut evals_) })?;
    Ok((evals_, status))
}

/// The kernel in use, an owned handle: the one given, or as learned so far (before any fit the centre of the prior, with a
/// scale of 1).
pub fn policy_kernel(policy: &Policy) -> Result<Kernel> {
    let mut out_ = ptr::null_mut();
    policy.ctx.0.check(unsafe { sys::tvgp_policy_kernel(policy.handle, &mut out_) })?;
    Ok(Kernel { handle: out_, ctx: policy.ctx.clone() })
}

/// The domain it plays on now, an owned handle (tvgp_domain_destroy): the one given, the one in the snapshot it was made from
/// (tvgp_policy_create_from), or the larger one it was moved to.
pub fn policy_domain(policy: &Policy) -> Result<Domain> {
    let mut out_ = ptr::null_mut();
    policy.ctx.0.check(unsafe { sys::tvgp_policy_domain(policy.handle, &mut out_) })?;
    Ok(Domain::of(policy.ctx.clone(), out_)?)
}

/// The name it is registered under.
pub fn policy_name(policy: &Policy) -> Result<String> {
    let mut name_ = ptr::null();
    policy.ctx.0.check(unsafe { sys::tvgp_policy_name(policy.handle, &mut name_) })?;
    Ok(text_of(name_))
}

/// On a box: the prior mean as a function, at any time; NULL: zero.
///
/// # Safety
/// What the pointers lead to must stay as long as the object that was given them.
pub unsafe fn policy_set_mean_fn(policy: &mut Policy, mean_or_null: sys::tvgp_mean_fn, user: *mut c_void) -> Result<()> {
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_mean_fn(policy.handle, mean_or_null, user) })?;
    Ok(())
}

/// Adds a prior to a policy that weighs several against each other (others: UNSUPPORTED): a kernel over the domain's points, a
/// mean (copied; n_mean is 1 or the number of arms, on a box 1; NULL with n_mean 0: the policy's own, see tvgp_policy_set_mean, and
/// it follows that) and a rate of change epsilon in [0, 1), correlation (1 - epsilon)^(dt/2).
pub fn policy_add_prior(policy: &mut Policy, kernel: &Kernel, mean_or_null: Option<&[f64]>, epsilon: f64) -> Result<()> {
    let n_mean = match mean_or_null {
        Some(given) => given.len(),
        None => 0,
    };
    policy.ctx.0.check(unsafe { sys::tvgp_policy_add_prior(policy.handle, kernel.handle, mean_or_null.map_or(ptr::null(), |given| given.as_ptr()), n_mean,
        epsilon) })?;
    Ok(())
}

/// The same on a box with the mean as a function; NULL: the policy's own.
///
/// # Safety
/// What the pointers lead to must stay as long as the object that was given them.
pub unsafe fn policy_add_prior_fn(policy: &mut Policy, kernel: &Kernel, mean_or_null: sys::tvgp_mean_fn, user: *mut c_void,
    epsilon: f64) -> Result<()> {
    policy.ctx.0.check(unsafe { sys::tvgp_policy_add_prior_fn(policy.handle, kernel.handle, mean_or_null, user, epsilon) })?;
    Ok(())
}

/// Sets the mean of prior i anew (copied), at any time, as tvgp_policy_set_mean that of the policy: n is 1 or the number of
/// arms, on a box 1; NULL with n 0: from now on the policy's own, which it follows.
pub fn policy_set_prior_mean(policy: &mut Policy, i: usize, mean_or_null: Option<&[f64]>) -> Result<()> {
    let n = match mean_or_null {
        Some(given) => given.len(),
        None => 0,
    };
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_prior_mean(policy.handle, i, mean_or_null.map_or(ptr::null(), |given| given.as_ptr()), n) })?;
    Ok(())
}

/// Starts where the user is, and never falls far below it (docs/guide/minimising-a-cost.md): x, an arm's point or on a box any
/// point (dim doubles, copied), is what would be done without a policy; of arms with numbered contexts it stands for its action,
/// whatever the context.
pub fn policy_set_incumbent(policy: &mut Policy, x_or_null: Option<&[f64]>, budget: f64) -> Result<()> {
    if let Some(given) = x_or_null {
        same("policy_set_incumbent: x_or_null", given.len(), policy.dim()?)?;
    }
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_incumbent(policy.handle, x_or_null.map_or(ptr::null(), |given| given.as_ptr()), budget) })?;
    Ok(())
}

/// An action has one reward and any number of other outputs.
pub fn policy_add_limit(policy: &mut Policy, model: &mut Policy, flags: u32, limit: f64) -> Result<()> {
    policy.ctx.0.check(unsafe { sys::tvgp_policy_add_limit(policy.handle, model.handle, flags, limit) })?;
    Ok(())
}

/// Moves limit k, from 1, at any time: counts from the next ask, and for values told from now on.
pub fn policy_set_limit(policy: &mut Policy, k: usize, limit: f64) -> Result<()> {
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_limit(policy.handle, k, limit) })?;
    Ok(())
}

/// Declares n actions safe (X is n x dim, copied), in place of those declared before, at any time; 0: none.
pub fn policy_set_safe(policy: &mut Policy, X_or_null: Option<&[f64]>) -> Result<()> {
    let n = match X_or_null {
        Some(given) => quotient("policy_set_safe: X_or_null", given.len(), policy.dim()?)?,
        None => 0,
    };
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_safe(policy.handle, n, X_or_null.map_or(ptr::null(), |given| given.as_ptr())) })?;
    Ok(())
}

/// The risk at n points (n x dim) at time t >= the newest time seen, as tvgp_query.risk has it for what is asked: 0 without
/// limits; changes nothing.
pub fn policy_risk(policy: &mut Policy, t: f64, X_or_null: Option<&[f64]>) -> Result<Vec<f64>> {
    let n = match X_or_null {
        Some(given) => quotient("policy_risk: X_or_null", given.len(), policy.dim()?)?,
        None => policy.arms()?,
    };
    let mut risk_ = vec![0.0; n];
    policy.ctx.0.check(unsafe { sys::tvgp_policy_risk(policy.handle, t, n, X_or_null.map_or(ptr::null(), |given| given.as_ptr()), risk_.as_mut_ptr()) })?;
    Ok(risk_)
}

/// The reward and all outputs of a query, n = 1 + number of limits: tvgp_policy_tell of n records.
pub fn policy_tell_values(policy: &mut Policy, id: i64, y: &[f64]) -> Result<()> {
    let n = y.len();
    policy.ctx.0.check(unsafe { sys::tvgp_policy_tell_values(policy.handle, id, y.as_ptr(), n) })?;
    Ok(())
}

/// The arms that exist now: mask has one byte per arm, 0 = unavailable.
pub fn policy_set_available(policy: &mut Policy, mask_or_null: Option<&[u8]>) -> Result<()> {
    let n = match mask_or_null {
        Some(given) => given.len(),
        None => 0,
    };
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_available(policy.handle, mask_or_null.map_or(ptr::null(), |given| given.as_ptr()), n) })?;
    Ok(())
}

/// Arms that came: moves a live policy to a larger domain, between two asks or tells.
pub fn policy_extend(policy: &mut Policy, larger: &Domain, new_mean_or_null: Option<&[f64]>) -> Result<()> {
    if let Some(given) = new_mean_or_null {
        same("policy_extend: new_mean_or_null", given.len(), larger.arms()?.saturating_sub(policy.arms()?))?;
    }
    policy.ctx.0.check(unsafe { sys::tvgp_policy_extend(policy.handle, larger.handle, new_mean_or_null.map_or(ptr::null(), |given| given.as_ptr())) })?;
    Ok(())
}

/// On a domain of actions and contexts (tvgp_domain_product): from now on asks, and tvgp_policy_best, stay within this context,
/// 0 .. contexts - 1; -1: any.
pub fn policy_set_context(policy: &mut Policy, context: i64) -> Result<()> {
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_context(policy.handle, context) })?;
    Ok(())
}

/// On a domain of actions and a box of contexts (tvgp_domain_product): from now on asks, and tvgp_policy_best, choose among the
/// points (x_i, z) of the actions in the context z, n coordinates in the units of the box (copied).
pub fn policy_set_context_x(policy: &mut Policy, z: &[f64]) -> Result<()> {
    let n = z.len();
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_context_x(policy.handle, z.as_ptr(), n) })?;
    Ok(())
}

/// On a box: from now on asks, and tvgp_policy_best, stay within these bounds (dim each; NULL: the domain's). lower = upper
/// fixes a coordinate: a context.
pub fn policy_set_bounds(policy: &mut Policy, lower_or_null: Option<&[f64]>, upper_or_null: Option<&[f64]>) -> Result<()> {
    if let Some(given) = lower_or_null {
        same("policy_set_bounds: lower_or_null", given.len(), policy.dim()?)?;
    }
    if let Some(given) = upper_or_null {
        same("policy_set_bounds: upper_or_null", given.len(), policy.dim()?)?;
    }
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_bounds(policy.handle, lower_or_null.map_or(ptr::null(), |given| given.as_ptr()),
        upper_or_null.map_or(ptr::null(), |given| given.as_ptr())) })?;
    Ok(())
}

/// On a box: the set of points that may be asked, as a function; NULL: all.
///
/// # Safety
/// What the pointers lead to must stay as long as the object that was given them.
pub unsafe fn policy_set_feasible(policy: &mut Policy, feasible_or_null: sys::tvgp_feasible_fn,
    user: *mut c_void) -> Result<()> {
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_feasible(policy.handle, feasible_or_null, user) })?;
    Ok(())
}

/// On a box: from now on asks, and tvgp_policy_best, choose among these n points (n x dim, copied), and q.arm is the row, 0 ..
/// n - 1: the offers, drivers or models of one request, of which the features are known only now.
pub fn policy_set_candidates(policy: &mut Policy, X_or_null: Option<&[f64]>, mean_or_null: Option<&[f64]>) -> Result<()> {
    let n = match X_or_null {
        Some(given) => quotient("policy_set_candidates: X_or_null", given.len(), policy.dim()?)?,
        None => 0,
    };
    if let Some(given) = mean_or_null {
        same("policy_set_candidates: mean_or_null", given.len(), n)?;
    }
    policy.ctx.0.check(unsafe { sys::tvgp_policy_set_candidates(policy.handle, n, X_or_null.map_or(ptr::null(), |given| given.as_ptr()),
        mean_or_null.map_or(ptr::null(), |given| given.as_ptr())) })?;
    Ok(())
}

/// Emits up to cap queries for time t: q has cap records, x (may be NULL) cap x dim coordinates, *n the number emitted.
pub fn policy_ask(policy: &mut Policy, t: f64, cap: usize) -> Result<(Vec<sys::tvgp_query>, Vec<f64>, i32)> {
    let mut q_ = vec![sys::tvgp_query::default(); cap];
    let mut x_ = vec![0.0; cap * policy.dim()?];
    let mut n_ = 0;
    let status = policy.ctx.0.check(unsafe { sys::tvgp_policy_ask(policy.handle, t, cap, q_.as_mut_ptr(), x_.as_mut_ptr(), &mut n_) })?;
    q_.truncate(n_);
    x_.truncate(n_ * policy.dim()?);
    Ok((q_, x_, status))
}

/// Takes n outcomes, all or none, for any subset of the pending queries in any order, late or never. id 0 is an observation
/// nobody asked for: x (n x dim, rows of other records ignored) says where, and must be a point of the domain.
pub fn policy_tell(policy: &mut Policy, obs: &[sys::tvgp_obs], x_or_null: Option<&[f64]>) -> Result<()> {
    let n = obs.len();
    if let Some(given) = x_or_null {
        same("policy_tell: x_or_null", given.len(), n * policy.dim()?)?;
    }
    policy.ctx.0.check(unsafe { sys::tvgp_policy_tell(policy.handle, obs.as_ptr(), x_or_null.map_or(ptr::null(), |given| given.as_ptr()), n) })?;
    Ok(())
}

/// The queries that wait for an answer, oldest first, as they were asked: at most cap records to q, cap x dim coordinates to x
/// (may be NULL, on a box too), *n is how many were written. q NULL: *n is how many there are, and nothing is written.
pub fn policy_pending(policy: &Policy, cap: usize) -> Result<(Vec<sys::tvgp_query>, Vec<f64>)> {
    let mut q_or_null_ = vec![sys::tvgp_query::default(); cap];
    let mut x_or_null_ = vec![0.0; cap * policy.dim()?];
    let mut n_ = 0;
    policy.ctx.0.check(unsafe { sys::tvgp_policy_pending(policy.handle, cap, q_or_null_.as_mut_ptr(), x_or_null_.as_mut_ptr(), &mut n_) })?;
    q_or_null_.truncate(n_);
    x_or_null_.truncate(n_ * policy.dim()?);
    Ok((q_or_null_, x_or_null_))
}

/// The one-at-a-time forms: one query (x may be NULL), one value.
pub fn policy_ask_one(policy: &mut Policy, t: f64) -> Result<(sys::tvgp_query, Vec<f64>, i32)> {
    let mut q_ = sys::tvgp_query::default();
    let mut x_ = vec![0.0; policy.dim()?];
    let status = policy.ctx.0.check(unsafe { sys::tvgp_policy_ask_one(policy.handle, t, &mut q_, x_.as_mut_ptr()) })?;
    Ok((q_, x_, status))
}

/// The one-at-a-time forms: one query (x may be NULL), one value.
pub fn policy_tell_value(policy: &mut Policy, id: i64, y: f64) -> Result<()> {
    policy.ctx.0.check(unsafe { sys::tvgp_policy_tell_value(policy.handle, id, y) })?;
    Ok(())
}

/// Writes all that the policy knows into buffer (capacity bytes), *needed bytes; buffer NULL: only *needed.
pub fn policy_save(policy: &Policy) -> Result<Vec<u8>> {
    let mut needed = 0;
    policy.ctx.0.check(unsafe { sys::tvgp_policy_save(policy.handle, ptr::null_mut(), 0, &mut needed) })?;
    let mut found = vec![0u8; needed];
    policy.ctx.0.check(unsafe { sys::tvgp_policy_save(policy.handle, found.as_mut_ptr().cast(), needed, &mut needed) })?;
    Ok(found)
}

/// Makes the policy what it was when the n bytes were saved, at any moment of its own life: from here on it does the same, bit
/// for bit (same library, same machine).
pub fn policy_load(policy: &mut Policy, bytes: &[u8]) -> Result<()> {
    let n = bytes.len();
    policy.ctx.0.check(unsafe { sys::tvgp_policy_load(policy.handle, bytes.as_ptr().cast(), n) })?;
    Ok(())
}

/// As tvgp_policy_save, with domain and kernel.
pub fn policy_save_whole(policy: &Policy) -> Result<Vec<u8>> {
    let mut needed = 0;
    policy.ctx.0.check(unsafe { sys::tvgp_policy_save_whole(policy.handle, ptr::null_mut(), 0, &mut needed) })?;
    let mut found = vec![0u8; needed];
    policy.ctx.0.check(unsafe { sys::tvgp_policy_save_whole(policy.handle, found.as_mut_ptr().cast(), needed, &mut needed) })?;
    Ok(found)
}

/// A new policy in the state of a snapshot: of a whole one alone, of others with domain and kernel given.
pub fn policy_create_from(ctx: &Context, bytes: &[u8], domain_or_null: Option<&Domain>,
    kernel_or_null: Option<&Kernel>) -> Result<Policy> {
    let n = bytes.len();
    let mut out_ = ptr::null_mut();
    ctx.0.check(unsafe { sys::tvgp_policy_create_from(ctx.0 .0, bytes.as_ptr().cast(), n, domain_or_null.map_or(ptr::null_mut(), |object| object.handle),
        kernel_or_null.map_or(ptr::null_mut(), |object| object.handle), &mut out_) })?;
    Ok(Policy::of(ctx.clone(), out_)?)
}

/// A policy of its own in the same state, which shares domain, kernel and functions.
pub fn policy_clone(policy: &Policy) -> Result<Policy> {
    let mut out_ = ptr::null_mut();
    policy.ctx.0.check(unsafe { sys::tvgp_policy_clone(policy.handle, &mut out_) })?;
    Ok(Policy::of(policy.ctx.clone(), out_)?)
}

/// Posterior mean and latent variance at n points (n x dim) at time t >= the newest time seen; changes no choice. mean or var
/// may be NULL.
pub fn policy_predict(policy: &mut Policy, t: f64, X_or_null: Option<&[f64]>) -> Result<(Vec<f64>, Vec<f64>)> {
    let n = match X_or_null {
        Some(given) => quotient("policy_predict: X_or_null", given.len(), policy.dim()?)?,
        None => policy.arms()?,
    };
    let mut mean_ = vec![0.0; n];
    let mut var_ = vec![0.0; n];
    policy.ctx.0.check(unsafe { sys::tvgp_policy_predict(policy.handle, t, n, X_or_null.map_or(ptr::null(), |given| given.as_ptr()), mean_.as_mut_ptr(),
        var_.as_mut_ptr()) })?;
    Ok((mean_, var_))
}

/// The same with gradients by the point: dmean and dvar are n x dim, row-major; any output may be NULL.
pub fn policy_predict_gradient(policy: &mut Policy, t: f64, X: &[f64]) -> Result<(Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>)> {
    let n = quotient("policy_predict_gradient: X", X.len(), policy.dim()?)?;
    let mut mean_ = vec![0.0; n];
    let mut var_ = vec![0.0; n];
    let mut dmean_ = vec![0.0; n * policy.dim()?];
    let mut dvar_ = vec![0.0; n * policy.dim()?];
    policy.ctx.0.check(unsafe { sys::tvgp_policy_predict_gradient(policy.handle, t, n, X.as_ptr(), mean_.as_mut_ptr(), var_.as_mut_ptr(), dmean_.as_mut_ptr(),
        dvar_.as_mut_ptr()) })?;
    Ok((mean_, var_, dmean_, dvar_))
}

/// The score by which an ask at time t would choose, at n points (n x dim; NULL: all arms, as in tvgp_policy_predict), with
/// mean and standard deviation as predicted; each may be NULL.
pub fn policy_score(policy: &mut Policy, t: f64, X_or_null: Option<&[f64]>) -> Result<(Vec<f64>, Vec<f64>, Vec<f64>, i32)> {
    let n = match X_or_null {
        Some(given) => quotient("policy_score: X_or_null", given.len(), policy.dim()?)?,
        None => policy.arms()?,
    };
    let mut score_or_null_ = vec![0.0; n];
    let mut mean_or_null_ = vec![0.0; n];
    let mut sd_or_null_ = vec![0.0; n];
    let status = policy.ctx.0.check(unsafe { sys::tvgp_policy_score(policy.handle, t, n, X_or_null.map_or(ptr::null(), |given| given.as_ptr()), score_or_null_.as_mut_ptr(),
        mean_or_null_.as_mut_ptr(), sd_or_null_.as_mut_ptr()) })?;
    Ok((score_or_null_, mean_or_null_, sd_or_null_, status))
}

/// The available arm of highest posterior mean (with sense=min: lowest) at time t (ties: lowest index), and its coordinates (x
/// may be NULL).
pub fn policy_best(policy: &mut Policy, t: f64) -> Result<(i64, Vec<f64>)> {
    let mut arm_ = 0;
    let mut x_ = vec![0.0; policy.dim()?];
    policy.ctx.0.check(unsafe { sys::tvgp_policy_best(policy.handle, t, &mut arm_, x_.as_mut_ptr()) })?;
    Ok((arm_, x_))
}

/// One statistic by name (docs/options.md lists them).
pub fn policy_stat(policy: &Policy, key: &str) -> Result<f64> {
    let key = c_string(key)?;
    let mut value_ = 0.0;
    policy.ctx.0.check(unsafe { sys::tvgp_policy_stat(policy.handle, key.as_ptr(), &mut value_) })?;
    Ok(value_)
}

/// Registered policies: how many; name and one line about the i-th (ARG when i is too large).
pub fn policy_count(ctx: &Context) -> Result<usize> {
    let mut n_ = 0;
    ctx.0.check(unsafe { sys::tvgp_policy_count(ctx.0 .0, &mut n_) })?;
    Ok(n_)
}

/// Registered policies: how many; name and one line about the i-th (ARG when i is too large).
pub fn policy_name_at(ctx: &Context, i: usize) -> Result<(String, String)> {
    let mut name_ = ptr::null();
    let mut doc_ = ptr::null();
    ctx.0.check(unsafe { sys::tvgp_policy_name_at(ctx.0 .0, i, &mut name_, &mut doc_) })?;
    Ok((text_of(name_), text_of(doc_)))
}

/// Options and statistics of this policy.
pub fn policy_option_count(policy: &Policy) -> Result<usize> {
    let mut n_ = 0;
    policy.ctx.0.check(unsafe { sys::tvgp_policy_option_count(policy.handle, &mut n_) })?;
    Ok(n_)
}

/// Options and statistics of this policy.
pub fn policy_option_info(policy: &Policy, i: usize) -> Result<sys::tvgp_option_info> {
    let mut info_ = sys::tvgp_option_info::default();
    policy.ctx.0.check(unsafe { sys::tvgp_policy_option_info(policy.handle, i, &mut info_) })?;
    Ok(info_)
}

/// Options and statistics of this policy.
pub fn policy_stat_count(policy: &Policy) -> Result<usize> {
    let mut n_ = 0;
    policy.ctx.0.check(unsafe { sys::tvgp_policy_stat_count(policy.handle, &mut n_) })?;
    Ok(n_)
}

/// Options and statistics of this policy.
pub fn policy_stat_name_at(policy: &Policy, i: usize) -> Result<(String, String)> {
    let mut key_ = ptr::null();
    let mut doc_ = ptr::null();
    policy.ctx.0.check(unsafe { sys::tvgp_policy_stat_name_at(policy.handle, i, &mut key_, &mut doc_) })?;
    Ok((text_of(key_), text_of(doc_)))
}

/// What the i-th statistic is for, TVGP_STAT_* (or'ed), and its unit: time as in t, reward, coordinates, nats, .. or their
/// powers, "" where it is a number. unit may be NULL.
pub fn policy_stat_kind_at(policy: &Policy, i: usize) -> Result<(u32, String)> {
    let mut kind_ = 0;
    let mut unit_ = ptr::null();
    policy.ctx.0.check(unsafe { sys::tvgp_policy_stat_kind_at(policy.handle, i, &mut kind_, &mut unit_) })?;
    Ok((kind_, text_of(unit_)))
}

/// n draws of stream (seed, purpose, step): uniform on [0, 1) with 53 bits; standard normal. purpose >= 1000 is left to
/// applications, smaller values are the policies' own.
pub fn random_uniform(seed: u64, purpose: u32, step: u64, n: usize) -> Result<Vec<f64>> {
    let mut out_ = vec![0.0; n];
    plain(unsafe { sys::tvgp_random_uniform(seed, purpose, step, n, out_.as_mut_ptr()) })?;
    Ok(out_)
}

/// n draws of stream (seed, purpose, step): uniform on [0, 1) with 53 bits; standard normal. purpose >= 1000 is left to
/// applications, smaller values are the policies' own.
pub fn random_normal(seed: u64, purpose: u32, step: u64, n: usize) -> Result<Vec<f64>> {
    let mut out_ = vec![0.0; n];
    plain(unsafe { sys::tvgp_random_normal(seed, purpose, step, n, out_.as_mut_ptr()) })?;
    Ok(out_)
}
