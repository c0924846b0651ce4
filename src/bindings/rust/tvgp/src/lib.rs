// SPDX-License-Identifier: MIT
//! Time-varying Gaussian-process bandits.
//!
//! ```no_run
//! # fn profit(price: f64) -> f64 { price }
//! # fn main() -> Result<(), tvgp::Error> {
//! let ctx = tvgp::Context::new()?;
//! let prices = tvgp::Domain::grid(&ctx, &[5.0], &[25.0], &[41])?;
//! let mut policy = tvgp::Policy::new("auto-gp-ucb", &prices, None, "seed=1")?;
//! let query = policy.ask(1.0)?.expect("nothing is pending");
//! policy.tell(&query, profit(query.x[0]))?;
//! # Ok(()) }
//! ```
//!
//! A context and what is made from it stay in one thread; other threads make contexts of their own. A call that fails has
//! changed nothing. What has no method is a function of [`c`], by its name in C.
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::{c_char, c_void};
use std::panic;
use std::ptr;
use std::rc::Rc;
use std::slice;
pub use tvgp_sys as sys;

/// Every function of the library by its name in C without tvgp_: `tvgp::c::policy_ask_one(&mut policy, t)`. What the C
/// function is given is given here in the same order, but for the lengths of arrays, which are known; what it writes is returned,
/// several things as a tuple.
#[allow(non_snake_case, clippy::too_many_arguments, clippy::type_complexity)]
pub mod c {
    include!(env!("TVGP_C_RS"));
}

/// A status below zero and the text that says what to mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub status: i32,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

/// Texts of the library are owned by it; this is a copy.
fn text(borrowed: *const c_char) -> String {
    unsafe { CStr::from_ptr(borrowed) }.to_string_lossy().into_owned()
}

fn misuse(message: &str) -> Error {
    Error { status: -1, message: message.to_string() }
}

fn c_string(value: &str) -> Result<CString> {
    CString::new(value).map_err(|_| misuse("a text holds a NUL byte"))
}

fn same(what: &str, n: usize, wanted: usize) -> Result<()> {
    if n == wanted {
        Ok(())
    } else {
        Err(misuse(&format!("{what} has {n} entries, not {wanted}")))
    }
}

/// How many points of `dim` coordinates these numbers are.
fn points_in(points: &[f64], dim: usize) -> Result<usize> {
    match points.len().checked_rem(dim) {
        Some(0) => Ok(points.len() / dim),
        _ => Err(misuse(&format!("{} numbers are not points of {dim} coordinates", points.len()))),
    }
}

pub fn version() -> String {
    text(unsafe { sys::tvgp_version() })
}

struct Raw(*mut sys::tvgp_ctx);

impl Drop for Raw {
    fn drop(&mut self) {
        unsafe { sys::tvgp_ctx_destroy(self.0) }
    }
}

impl Raw {
    /// The status when it is not an error.
    fn check(&self, status: i32) -> Result<i32> {
        if status >= 0 {
            return Ok(status);
        }
        let message = text(unsafe { sys::tvgp_ctx_errmsg(self.0) });
        let name = || text(unsafe { sys::tvgp_status_name(status) });
        Err(Error { status, message: if message.is_empty() { name() } else { message } })
    }
}

/// Everything starts from one of these.
#[derive(Clone)]
pub struct Context(Rc<Raw>);

impl Context {
    pub fn new() -> Result<Context> {
        let mut out = ptr::null_mut();
        match unsafe { sys::tvgp_ctx_create(ptr::null(), &mut out) } {
            0 => Ok(Context(Rc::new(Raw(out)))),
            status => Err(Error { status, message: text(unsafe { sys::tvgp_status_name(status) }) }),
        }
    }
}

/// Where actions live.
pub struct Domain {
    handle: *mut sys::tvgp_domain,
    dim: usize,
    ctx: Context,
}

impl Domain {
    fn create(ctx: &Context, dim: usize, call: impl FnOnce(*mut sys::tvgp_ctx, *mut *mut sys::tvgp_domain) -> i32) -> Result<Domain> {
        let mut handle = ptr::null_mut();
        ctx.0.check(call(ctx.0 .0, &mut handle))?;
        Ok(Domain { handle, dim, ctx: ctx.clone() })
    }

    fn of(ctx: Context, handle: *mut sys::tvgp_domain) -> Result<Domain> {
        let mut domain = Domain { handle, dim: 0, ctx };
        domain.ctx.0.check(unsafe { sys::tvgp_domain_dim(handle, &mut domain.dim) })?;
        Ok(domain)
    }

    /// Equally spaced values between both bounds, included.
    pub fn grid(ctx: &Context, lower: &[f64], upper: &[f64], points: &[usize]) -> Result<Domain> {
        same("upper", upper.len(), lower.len())?;
        same("points", points.len(), lower.len())?;
        Domain::create(ctx, lower.len(), |c, out| unsafe {
            sys::tvgp_domain_grid(c, lower.len(), lower.as_ptr(), upper.as_ptr(), points.as_ptr(), out)
        })
    }

    pub fn indices(ctx: &Context, n: usize) -> Result<Domain> {
        Domain::create(ctx, 1, |c, out| unsafe { sys::tvgp_domain_indices(c, n, out) })
    }

    /// Arms at points of `dim` coordinates, one after the other.
    pub fn arms(ctx: &Context, dim: usize, points: &[f64]) -> Result<Domain> {
        let n = points_in(points, dim)?;
        Domain::create(ctx, dim, |c, out| unsafe { sys::tvgp_domain_arms(c, n, dim, points.as_ptr(), out) })
    }

    pub fn boxed(ctx: &Context, lower: &[f64], upper: &[f64]) -> Result<Domain> {
        same("upper", upper.len(), lower.len())?;
        Domain::create(ctx, lower.len(), |c, out| unsafe {
            sys::tvgp_domain_box(c, lower.len(), lower.as_ptr(), upper.as_ptr(), out)
        })
    }

    /// Every pair of an action and a context: see [`Policy::set_context`], or with a box of contexts [`Policy::set_context_point`].
    pub fn product(actions: &Domain, contexts: &Domain) -> Result<Domain> {
        Domain::create(&actions.ctx, actions.dim + contexts.dim, |c, out| unsafe {
            sys::tvgp_domain_product(c, actions.handle, contexts.handle, out)
        })
    }

    /// The domain with further arms behind those there are, for [`Policy::extend`].
    pub fn append(&self, points: &[f64]) -> Result<Domain> {
        let n = points_in(points, self.dim)?;
        Domain::create(&self.ctx, self.dim, |_, out| unsafe { sys::tvgp_domain_append(self.handle, n, points.as_ptr(), out) })
    }

    /// Action and context of an arm of a product.
    pub fn split(&self, arm: i64) -> Result<(i64, i64)> {
        let (mut action, mut context) = (0, 0);
        self.ctx.0.check(unsafe { sys::tvgp_domain_split(self.handle, arm, &mut action, &mut context) })?;
        Ok((action, context))
    }

    /// What it is: "arms", "indices", "grid", "box", "product".
    pub fn type_name(&self) -> Result<String> {
        let mut name = ptr::null();
        self.ctx.0.check(unsafe { sys::tvgp_domain_type_name(self.handle, &mut name) })?;
        Ok(text(name))
    }

    /// The smallest and the largest value of each coordinate.
    pub fn bounds(&self) -> Result<(Vec<f64>, Vec<f64>)> {
        let (mut lower, mut upper) = (vec![0.0; self.dim], vec![0.0; self.dim]);
        self.ctx.0.check(unsafe { sys::tvgp_domain_bounds(self.handle, lower.as_mut_ptr(), upper.as_mut_ptr()) })?;
        Ok((lower, upper))
    }

    /// Number of arms; 0 for a box.
    pub fn size(&self) -> Result<usize> {
        let mut n = 0;
        self.ctx.0.check(unsafe { sys::tvgp_domain_size(self.handle, &mut n) })?;
        Ok(n)
    }
}

impl Drop for Domain {
    fn drop(&mut self) {
        unsafe { sys::tvgp_domain_destroy(self.handle) }
    }
}

/// A covariance function.
pub struct Kernel {
    handle: *mut sys::tvgp_kernel,
    ctx: Context,
}

impl Kernel {
    fn create(ctx: &Context, call: impl FnOnce(*mut sys::tvgp_ctx, *mut *mut sys::tvgp_kernel) -> i32) -> Result<Kernel> {
        let mut handle = ptr::null_mut();
        ctx.0.check(call(ctx.0 .0, &mut handle))?;
        Ok(Kernel { handle, ctx: ctx.clone() })
    }

    /// Squared exponential; one lengthscale for all coordinates, or one for each.
    pub fn se(ctx: &Context, dim: usize, variance: f64, lengthscale: &[f64]) -> Result<Kernel> {
        Kernel::create(ctx, |c, out| unsafe {
            sys::tvgp_kernel_se(c, dim, variance, lengthscale.len(), lengthscale.as_ptr(), out)
        })
    }

    /// Matern with nu 0.5, 1.5 or 2.5.
    pub fn matern(ctx: &Context, dim: usize, nu: f64, variance: f64, lengthscale: &[f64]) -> Result<Kernel> {
        Kernel::create(ctx, |c, out| unsafe {
            sys::tvgp_kernel_matern(c, dim, nu, variance, lengthscale.len(), lengthscale.as_ptr(), out)
        })
    }

    /// A covariance of n arms, n x n by rows.
    pub fn table(ctx: &Context, n: usize, covariance: &[f64]) -> Result<Kernel> {
        same("a row of the table", points_in(covariance, n)?, n)?;
        Kernel::create(ctx, |c, out| unsafe { sys::tvgp_kernel_table(c, n, covariance.as_ptr(), out) })
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        unsafe { sys::tvgp_kernel_destroy(self.handle) }
    }
}

/// Exact Gaussian-process regression. Points are n x dim numbers, by rows.
pub struct Gp {
    handle: *mut sys::tvgp_gp,
    ctx: Context,
}

impl Gp {
    /// Without a kernel over time (of dimension 1) the function does not change.
    pub fn new(ctx: &Context, space: &Kernel, time: Option<&Kernel>, noise: f64) -> Result<Gp> {
        c::gp_create(ctx, space, time, noise)
    }

    /// From the bytes of `save`.
    pub fn restore(ctx: &Context, snapshot: &[u8]) -> Result<Gp> {
        c::gp_restore(ctx, snapshot)
    }

    /// Number of observations held.
    pub fn size(&self) -> Result<usize> {
        c::gp_size(self)
    }

    /// Prior mean intercept + slope' x.
    pub fn set_prior_mean(&mut self, intercept: f64, slope: Option<&[f64]>) -> Result<()> {
        c::gp_set_prior_mean(self, intercept, slope)
    }

    /// Adds observations, all or none. Times are required with a kernel over time.
    pub fn add(&mut self, x: &[f64], y: &[f64], t: Option<&[f64]>, noise_var: Option<&[f64]>) -> Result<()> {
        c::gp_add(self, x, t, y, noise_var)
    }

    /// Drops the oldest observations.
    pub fn drop_oldest(&mut self, n: usize) -> Result<()> {
        c::gp_drop(self, n)
    }

    /// Means and variances without noise.
    pub fn predict(&mut self, x: &[f64], t: f64) -> Result<(Vec<f64>, Vec<f64>)> {
        c::gp_predict(self, x, t)
    }

    /// Means, variances and their gradients by the point, n x dim each.
    pub fn predict_gradient(&mut self, x: &[f64], t: f64) -> Result<(Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>)> {
        c::gp_predict_gradient(self, x, t)
    }

    /// Means and the covariances of the points, n x n.
    pub fn predict_covariance(&mut self, x: &[f64], t: f64) -> Result<(Vec<f64>, Vec<f64>)> {
        c::gp_predict_covariance(self, x, t)
    }

    /// Functions drawn from the posterior, draws x n.
    pub fn sample(&mut self, x: &[f64], t: f64, draws: usize, seed: u64) -> Result<Vec<f64>> {
        c::gp_sample(self, x, t, draws, seed)
    }

    /// In nats.
    pub fn log_marginal_likelihood(&mut self) -> Result<f64> {
        c::gp_log_marginal_likelihood(self)
    }

    /// Optimises the hyperparameters on the observations held; gives their log posterior.
    pub fn fit(&mut self, max_evals: usize) -> Result<f64> {
        Ok(c::gp_fit(self, None, None, max_evals)?.0)
    }

    /// The posterior with its kernels.
    pub fn save(&self) -> Result<Vec<u8>> {
        c::gp_save(self)
    }
}

/// k of n points that are far apart in the metric of the kernel, as row numbers; fewer if the points span less. steps: swaps of the
/// Markov chain; 0: the greedy set.
pub fn kdpp_sample(kernel: &Kernel, x: &[f64], k: usize, steps: usize, seed: u64) -> Result<Vec<usize>> {
    c::kdpp_sample(&kernel.ctx, kernel, x, k, steps, seed)
}

impl Drop for Gp {
    fn drop(&mut self) {
        unsafe { sys::tvgp_gp_destroy(self.handle) }
    }
}

/// What the policy wants to know.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub id: i64,
    /// A question to an expert, which may be skipped.
    pub side: bool,
    /// -1 in a box.
    pub arm: i64,
    pub x: Vec<f64>,
    pub t: f64,
    pub noise_var: f64,
    pub score: f64,
    /// Probability of this choice: 1 without chance in it, 0 where it is not known.
    pub propensity: f64,
    /// Of what was asked, by its limits; 0 without limits.
    pub risk: f64,
}

/// How a query ended that got no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    Skipped = sys::TVGP_SKIPPED as isize,
    Failed = sys::TVGP_FAILED as isize,
    Cancelled = sys::TVGP_CANCELLED as isize,
}

/// The side on which an outcome is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Censored {
    /// The outcome is at least y, such as a time-out.
    Right,
    /// The outcome is at most y.
    Left,
}

/// What an observation brings in addition to its value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given {
    pub noise_var: Option<f64>,
    pub t: Option<f64>,
    /// With outcome.type=poisson or binomial: time or number of trials in which y was counted; 1 without it.
    pub exposure: Option<f64>,
    /// With outcome.type=ratio: the value of the reference for the same job.
    pub reference: Option<f64>,
    /// The value is a part of the outcome: the query stays pending.
    pub partial: bool,
    /// The outcome is only known to be at least (Right) or at most (Left) y.
    pub censored: Option<Censored>,
}

/// One algorithm behind ask and tell.
pub struct Policy {
    handle: *mut sys::tvgp_policy,
    dim: usize,
    n: usize,
    ctx: Context,
}

impl Policy {
    /// Without a kernel kernel, noise, mean and scale are learned. Options as text: "noise=.01 sense=min".
    pub fn new(name: &str, domain: &Domain, kernel: Option<&Kernel>, options: &str) -> Result<Policy> {
        let name = c_string(name)?;
        let kernel = kernel.map_or(ptr::null(), |k| k.handle as *const _);
        let mut handle = ptr::null_mut();
        let ctx = &domain.ctx;
        ctx.0.check(unsafe { sys::tvgp_policy_create(ctx.0 .0, name.as_ptr(), domain.handle, kernel, &mut handle) })?;
        let mut policy = Policy { handle, dim: domain.dim, n: domain.size()?, ctx: ctx.clone() };
        policy.set(options)?;
        Ok(policy)
    }

    /// From the bytes of [`Policy::save_full`] alone.
    pub fn restore(ctx: &Context, snapshot: &[u8]) -> Result<Policy> {
        let mut handle = ptr::null_mut();
        let (bytes, none) = (snapshot.as_ptr().cast(), ptr::null());
        ctx.0.check(unsafe { sys::tvgp_policy_restore(ctx.0 .0, snapshot.len(), bytes, none, ptr::null(), &mut handle) })?;
        Policy::of(ctx.clone(), handle)
    }

    fn of(ctx: Context, handle: *mut sys::tvgp_policy) -> Result<Policy> {
        let mut policy = Policy { handle, dim: 0, n: 0, ctx };
        let domain = policy.domain()?;
        (policy.dim, policy.n) = (domain.dim, domain.size()?);
        Ok(policy)
    }

    pub fn name(&self) -> Result<String> {
        let mut name = ptr::null();
        self.check(unsafe { sys::tvgp_policy_name(self.handle, &mut name) })?;
        Ok(text(name))
    }

    /// Where it plays.
    pub fn domain(&self) -> Result<Domain> {
        let mut handle = ptr::null_mut();
        self.check(unsafe { sys::tvgp_policy_domain(self.handle, &mut handle) })?;
        Domain::of(self.ctx.clone(), handle)
    }

    /// Options, before the first ask or tell.
    pub fn set(&mut self, options: &str) -> Result<()> {
        let options = c_string(options)?;
        self.check(unsafe { sys::tvgp_policy_set(self.handle, options.as_ptr()) })
    }

    /// The query for time t; None when nothing can be asked before outcomes come.
    pub fn ask(&mut self, t: f64) -> Result<Option<Query>> {
        Ok(self.ask_many(t, 1)?.pop())
    }

    pub fn ask_many(&mut self, t: f64, cap: usize) -> Result<Vec<Query>> {
        let handle = self.handle;
        self.queries(cap, |q, x, n| unsafe { sys::tvgp_policy_ask(handle, t, cap, q, x, n) })
    }

    /// The queries that wait for an answer, oldest first.
    pub fn pending(&self) -> Result<Vec<Query>> {
        let mut n = 0;
        self.check(unsafe { sys::tvgp_policy_pending(self.handle, 0, ptr::null_mut(), ptr::null_mut(), &mut n) })?;
        self.queries(n, |q, x, written| unsafe { sys::tvgp_policy_pending(self.handle, n, q, x, written) })
    }

    /// Up to `cap` queries that a call writes.
    fn queries(&self, cap: usize, call: impl FnOnce(*mut sys::tvgp_query, *mut f64, *mut usize) -> i32) -> Result<Vec<Query>> {
        let mut records = vec![sys::tvgp_query::default(); cap];
        let mut x = vec![0.0; cap * self.dim];
        let mut n = 0;
        self.check(call(records.as_mut_ptr(), x.as_mut_ptr(), &mut n))?;
        let points = x.chunks(self.dim);
        let query = |(q, x): (&sys::tvgp_query, &[f64])| Query {
            id: q.id,
            side: q.kind == sys::TVGP_SIDE,
            arm: q.arm,
            x: x.to_vec(),
            t: q.t,
            noise_var: q.noise_var,
            score: q.score,
            propensity: q.propensity,
            risk: q.risk,
        };
        Ok(records[..n].iter().zip(points).map(query).collect())
    }

    pub fn tell(&mut self, query: &Query, y: f64) -> Result<()> {
        self.tell_id(query.id, y, Given::default())
    }

    pub fn tell_id(&mut self, id: i64, y: f64, given: Given) -> Result<()> {
        self.send(sys::tvgp_obs { id, y, ..Default::default() }, given, None)
    }

    /// Closes a query that got no answer.
    pub fn close(&mut self, query: &Query, outcome: Unanswered) -> Result<()> {
        let obs = sys::tvgp_obs { id: query.id, outcome: outcome as i32, ..Default::default() };
        self.send(obs, Given::default(), None)
    }

    /// An observation nobody asked for.
    pub fn observe(&mut self, x: &[f64], y: f64, given: Given) -> Result<()> {
        same("x", x.len(), self.dim)?;
        self.send(sys::tvgp_obs { y, ..Default::default() }, given, Some(x))
    }

    fn send(&mut self, mut obs: sys::tvgp_obs, given: Given, x: Option<&[f64]>) -> Result<()> {
        if let Some(noise_var) = given.noise_var {
            obs.flags |= sys::TVGP_OBS_HAS_NOISE;
            obs.noise_var = noise_var;
        }
        if let Some(t) = given.t {
            obs.flags |= sys::TVGP_OBS_HAS_TIME;
            obs.t = t;
        }
        if let Some(exposure) = given.exposure {
            obs.flags |= sys::TVGP_OBS_HAS_EXPOSURE;
            obs.exposure = exposure;
        }
        if let Some(reference) = given.reference {
            obs.flags |= sys::TVGP_OBS_HAS_REFERENCE;
            obs.reference = reference;
        }
        if given.partial {
            obs.flags |= sys::TVGP_OBS_PARTIAL;
        }
        obs.flags |= match given.censored {
            Some(Censored::Right) => sys::TVGP_OBS_RIGHT_CENSORED,
            Some(Censored::Left) => sys::TVGP_OBS_LEFT_CENSORED,
            None => 0,
        };
        let point = x.map_or(ptr::null(), |x| x.as_ptr());
        self.check(unsafe { sys::tvgp_policy_tell(self.handle, 1, &obs, point) })
    }

    /// Means and variances at points of the domain's dimension, one after the other.
    pub fn predict(&mut self, t: f64, points: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
        let n = points_in(points, self.dim)?;
        self.predictions(t, n, points.as_ptr())
    }

    /// Means and variances at all arms, in the order of their numbers.
    pub fn predict_arms(&mut self, t: f64) -> Result<(Vec<f64>, Vec<f64>)> {
        self.predictions(t, self.n, ptr::null())
    }

    fn predictions(&mut self, t: f64, n: usize, points: *const f64) -> Result<(Vec<f64>, Vec<f64>)> {
        let (mut mean, mut var) = (vec![0.0; n], vec![0.0; n]);
        self.check(unsafe { sys::tvgp_policy_predict(self.handle, t, n, points, mean.as_mut_ptr(), var.as_mut_ptr()) })?;
        Ok((mean, var))
    }

    /// Arm (-1 in a box) and point of best posterior mean.
    pub fn best(&mut self, t: f64) -> Result<(i64, Vec<f64>)> {
        let (mut arm, mut x) = (-1, vec![0.0; self.dim]);
        self.check(unsafe { sys::tvgp_policy_best(self.handle, t, &mut arm, x.as_mut_ptr()) })?;
        Ok((arm, x))
    }

    pub fn stat(&self, key: &str) -> Result<f64> {
        let key = c_string(key)?;
        let mut value = 0.0;
        self.check(unsafe { sys::tvgp_policy_stat(self.handle, key.as_ptr(), &mut value) })?;
        Ok(value)
    }

    /// All that the policy knows.
    pub fn save(&self) -> Result<Vec<u8>> {
        self.saved(|n, buffer, needed| unsafe { sys::tvgp_policy_save(self.handle, n, buffer, needed) })
    }

    /// The same with domain and kernel, for [`Policy::restore`].
    pub fn save_full(&self) -> Result<Vec<u8>> {
        self.saved(|n, buffer, needed| unsafe { sys::tvgp_policy_save_full(self.handle, n, buffer, needed) })
    }

    fn saved(&self, write: impl Fn(usize, *mut c_void, *mut usize) -> i32) -> Result<Vec<u8>> {
        let mut size = 0;
        self.check(write(0, ptr::null_mut(), &mut size))?;
        let mut bytes = vec![0u8; size];
        self.check(write(size, bytes.as_mut_ptr().cast(), &mut size))?;
        Ok(bytes)
    }

    /// Makes this policy, of the same name, domain and kernel, what it was when the bytes were saved.
    pub fn load(&mut self, bytes: &[u8]) -> Result<()> {
        self.check(unsafe { sys::tvgp_policy_load(self.handle, bytes.len(), bytes.as_ptr().cast()) })
    }

    /// The arms that exist now; None: all.
    pub fn set_available(&mut self, mask: Option<&[bool]>) -> Result<()> {
        let bytes: Vec<u8> = mask.unwrap_or(&[]).iter().map(|&there| there as u8).collect();
        let pointer = if mask.is_some() { bytes.as_ptr() } else { ptr::null() };
        self.check(unsafe { sys::tvgp_policy_set_available(self.handle, bytes.len(), pointer) })
    }

    /// Prior mean: one value, or one for each arm; None: zero.
    pub fn set_prior_mean(&mut self, mean: Option<&[f64]>) -> Result<()> {
        let (pointer, n) = mean.map_or((ptr::null(), 0), |m| (m.as_ptr(), m.len()));
        self.check(unsafe { sys::tvgp_policy_set_prior_mean(self.handle, n, pointer) })
    }

    /// On a box: the prior mean as a function of a point, which returns the mean and its gradient. The policy and its clones own the
    /// function. A panic in it ends the call with an error of status [`PANIC`].
    pub fn set_prior_mean_fn<F: Fn(&[f64]) -> (f64, Vec<f64>) + 'static>(&mut self, mean: F) -> Result<()> {
        let user = Box::into_raw(Box::new(Owned { dim: self.dim, function: mean }));
        let status = unsafe { sys::tvgp_policy_set_prior_mean_fn(self.handle, Some(call_mean::<F>), user.cast(), Some(release::<F>)) };
        self.owned(status, user)
    }

    /// On a box: only points for which the function returns true are asked. The policy and its clones own the function. A panic in it
    /// ends the call with an error of status [`PANIC`].
    pub fn set_feasible<F: Fn(&[f64]) -> bool + 'static>(&mut self, feasible: F) -> Result<()> {
        let user = Box::into_raw(Box::new(Owned { dim: self.dim, function: feasible }));
        let status = unsafe { sys::tvgp_policy_set_feasible(self.handle, Some(call_feasible::<F>), user.cast(), Some(release::<F>)) };
        self.owned(status, user)
    }

    /// After a failure the library does not own the function.
    fn owned<F>(&self, status: i32, user: *mut Owned<F>) -> Result<()> {
        if status < 0 {
            drop(unsafe { Box::from_raw(user) });
        }
        self.check(status)
    }

    /// On a product: from now on within this context; None: any.
    pub fn set_context(&mut self, context: Option<i64>) -> Result<()> {
        self.check(unsafe { sys::tvgp_policy_set_context(self.handle, context.unwrap_or(-1)) })
    }

    /// On a product with a box: from now on in the context measured as z.
    pub fn set_context_point(&mut self, z: &[f64]) -> Result<()> {
        self.check(unsafe { sys::tvgp_policy_set_context_point(self.handle, z.len(), z.as_ptr()) })
    }

    /// Arms that came: what was learned holds for those that `larger` has behind the old ones; mean: their prior means.
    pub fn extend(&mut self, larger: &Domain, mean: Option<&[f64]>) -> Result<()> {
        let (n, pointer) = (larger.size()?, mean.map_or(ptr::null(), |m| m.as_ptr()));
        if let Some(mean) = mean {
            same("the arms with a mean", self.n + mean.len(), n)?;
        }
        self.check(unsafe { sys::tvgp_policy_extend(self.handle, larger.handle, pointer) })?;
        self.n = n;
        Ok(())
    }

    fn check(&self, status: i32) -> Result<()> {
        self.ctx.0.check(status).map(|_| ())
    }
}

impl Drop for Policy {
    fn drop(&mut self) {
        unsafe { sys::tvgp_policy_destroy(self.handle) }
    }
}

/// Status of a call during which a function of the caller panicked.
pub const PANIC: i32 = -1000;

/// A function of the caller and the dimension of its points.
struct Owned<F> {
    dim: usize,
    function: F,
}

impl<F> Owned<F> {
    /// Calls `each` with the function, the index and the coordinates of every point.
    unsafe fn for_each(user: *mut c_void, n: usize, points: *const f64, mut each: impl FnMut(&F, usize, &[f64])) -> i32 {
        let owned = &*user.cast::<Owned<F>>();
        let points = slice::from_raw_parts(points, n * owned.dim);
        let all = || points.chunks(owned.dim).enumerate().for_each(|(i, x)| each(&owned.function, i, x));
        panic::catch_unwind(panic::AssertUnwindSafe(all)).map_or(PANIC, |_| sys::TVGP_OK)
    }
}

unsafe extern "C" fn call_mean<F: Fn(&[f64]) -> (f64, Vec<f64>)>(
    user: *mut c_void,
    n: usize,
    points: *const f64,
    mean: *mut f64,
    gradient: *mut f64,
) -> i32 {
    Owned::<F>::for_each(user, n, points, |function, i, x| {
        let (value, slope) = function(x);
        assert_eq!(slope.len(), x.len(), "a gradient has one member for each coordinate");
        *mean.add(i) = value;
        if !gradient.is_null() {
            ptr::copy_nonoverlapping(slope.as_ptr(), gradient.add(i * x.len()), x.len());
        }
    })
}

unsafe extern "C" fn call_feasible<F: Fn(&[f64]) -> bool>(user: *mut c_void, n: usize, points: *const f64, ok: *mut u8) -> i32 {
    Owned::<F>::for_each(user, n, points, |function, i, x| *ok.add(i) = u8::from(function(x)))
}

unsafe extern "C" fn release<F>(user: *mut c_void) {
    drop(Box::from_raw(user.cast::<Owned<F>>()));
}

/// n standard normal draws of stream (seed, purpose, step), the same in every language. Panics beyond what memory holds.
pub fn random_normal(seed: u64, purpose: u32, step: u64, n: usize) -> Vec<f64> {
    let mut draws = vec![0.0; n];
    let status = unsafe { sys::tvgp_random_normal(seed, purpose, step, n, draws.as_mut_ptr()) };
    assert_eq!(status, sys::TVGP_OK);
    draws
}
