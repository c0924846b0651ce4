// SPDX-License-Identifier: MIT
use tvgp::{kdpp_sample, Context, Domain, Given, Gp, Kernel, Policy, Unanswered};

fn policy() -> Policy {
    let ctx = Context::new().unwrap(); // its hold ends here; the policy goes on
    let domain = Domain::grid(&ctx, &[0.0], &[1.0], &[11]).unwrap();
    let kernel = Kernel::se(&ctx, 1, 1.0, &[0.3]).unwrap();
    Policy::new("tv-gp-ucb", &domain, Some(&kernel), "noise=.02 seed=3 width.schedule=igp").unwrap()
}

#[test]
fn loop_and_what_it_knows() {
    let mut policy = policy();
    let first = policy.ask(1.0).unwrap().unwrap();
    assert!(!first.side);
    assert_eq!(first.x[0], first.arm as f64 / 10.0);
    policy.tell(&first, 0.5).unwrap();
    policy.observe(&[0.5], 0.7, Given { t: Some(1.5), noise_var: Some(0.1), ..Given::default() }).unwrap();
    let second = policy.ask_many(2.0, 1).unwrap();
    assert_eq!(second.len(), 1);
    policy.close(&second[0], Unanswered::Skipped).unwrap();
    let stats: Vec<f64> = ["values", "unsolicited", "skipped", "clock"].iter().map(|key| policy.stat(key).unwrap()).collect();
    assert_eq!(stats, [1.0, 1.0, 1.0, 2.0]);
    let (mean, var) = policy.predict(2.0, &[0.5, 1.0]).unwrap();
    assert!(mean.len() == 2 && var[0] < var[1]);
    let (means, vars) = policy.predict_arms(2.0).unwrap();
    assert_eq!((means.len(), means[5], vars[10]), (11, mean[0], var[1]));
    let (arm, x) = policy.best(2.0).unwrap();
    assert_eq!(x[0], arm as f64 / 10.0);
    let mask: Vec<bool> = (0..11).map(|i| i == 7).collect();
    policy.set_available(Some(&mask)).unwrap();
    assert_eq!(policy.ask(3.0).unwrap().unwrap().arm, 7);
    policy.set_available(None).unwrap();
}

#[test]
fn a_loaded_policy_goes_on_alike() {
    let (mut policy, mut twin) = (policy(), policy());
    for t in 0..10 {
        let query = policy.ask(t as f64).unwrap().unwrap();
        policy.tell(&query, 0.1 * t as f64).unwrap();
    }
    let bytes = policy.save().unwrap();
    twin.load(&bytes).unwrap();
    for t in 10..20 {
        assert_eq!(policy.ask(t as f64).unwrap(), twin.ask(t as f64).unwrap());
    }
    assert_eq!(twin.load(&bytes[1..]).unwrap_err().status, -10);
}

#[test]
fn chance_needs_no_kernel() {
    let four = Domain::indices(&Context::new().unwrap(), 4).unwrap();
    let mut random = Policy::new("random", &four, None, "").unwrap();
    assert_eq!(random.ask(0.0).unwrap().unwrap().propensity, 0.25);
}

#[test]
fn contexts_and_arms_that_come() {
    let ctx = Context::new().unwrap();
    let levels = Domain::grid(&ctx, &[0.0], &[1.0], &[3]).unwrap();
    let loads = Domain::grid(&ctx, &[0.0], &[10.0], &[2]).unwrap();
    let joint = Domain::product(&levels, &loads).unwrap();
    let kernel = Kernel::se(&ctx, 2, 1.0, &[0.3, 3.0]).unwrap();
    let mut policy = Policy::new("gp-ucb", &joint, Some(&kernel), "noise=.1").unwrap();
    policy.set_prior_mean(Some(&[0.0, 0.0, 0.0, 0.0, 0.0, 9.0])).unwrap();
    policy.set_context(Some(1)).unwrap();
    let query = policy.ask(0.0).unwrap().unwrap();
    assert_eq!((query.arm, joint.split(query.arm).unwrap(), &query.x[..]), (5, (2, 1), &[1.0, 10.0][..]));
    policy.tell(&query, 1.0).unwrap();
    let larger = Domain::product(&levels.append(&[2.0]).unwrap(), &loads).unwrap();
    policy.extend(&larger, Some(&[20.0, 20.0])).unwrap();
    assert_eq!(policy.ask(1.0).unwrap().unwrap().x, [2.0, 10.0]);
    assert!(policy.extend(&joint, None).unwrap_err().message.contains("does not begin"));
    assert!(policy.extend(&larger, Some(&[20.0])).is_err());
    let measured = Domain::product(&levels, &Domain::boxed(&ctx, &[0.0], &[10.0]).unwrap()).unwrap();
    let mut policy = Policy::new("gp-ucb", &measured, Some(&kernel), "").unwrap();
    assert!(policy.ask(0.0).unwrap_err().message.contains("set_context_point"));
    policy.set_context_point(&[2.5]).unwrap();
    let query = policy.ask(0.0).unwrap().unwrap();
    assert_eq!(query.x, [query.arm as f64 / 2.0, 2.5]);
}

#[test]
fn failures_say_what_to_mend() {
    let mut policy = policy();
    let query = policy.ask(1.0).unwrap().unwrap();
    policy.tell(&query, 0.5).unwrap();
    assert_eq!(policy.tell(&query, 0.5).unwrap_err().status, -7);
    assert!(policy.set("noise=1").unwrap_err().to_string().contains("after the first ask"));
    assert!(policy.observe(&[0.0, 1.0], 1.0, Given::default()).is_err());
    let ctx = Context::new().unwrap();
    let domain = Domain::boxed(&ctx, &[0.0, 0.0], &[1.0, 2.0]).unwrap();
    let error = Policy::new("tv-gp-ucp", &domain, None, "").err().unwrap();
    assert!(error.message.contains("nearest is 'tv-gp-ucb'"), "{error}");
    let kernel = Kernel::matern(&ctx, 2, 2.5, 1.0, &[0.5]).unwrap();
    let mut minimiser = Policy::new("gp-ucb", &domain, Some(&kernel), "sense=min").unwrap();
    assert_eq!(minimiser.ask(0.0).unwrap().unwrap().arm, -1);
}

fn refused<T>(result: tvgp::Result<T>, wanted: &str) {
    let message = result.err().map_or("not refused".to_string(), |error| error.message);
    assert!(message.contains(wanted), "{message}, not {wanted}");
}

#[test]
fn ragged_and_short_arrays() {
    let ctx = Context::new().unwrap();
    let plane = Domain::arms(&ctx, 2, &[0.0, 1.0, 2.0, 3.0]).unwrap();
    let kernel = Kernel::se(&ctx, 2, 1.0, &[0.5]).unwrap();
    let mut policy = Policy::new("gp-ucb", &plane, Some(&kernel), "").unwrap();
    let larger = plane.append(&[4.0, 5.0]).unwrap();
    refused(Domain::arms(&ctx, 2, &[0.0; 3]), "3 numbers are not points of 2 coordinates");
    refused(Domain::arms(&ctx, 0, &[]), "0 numbers are not points of 0 coordinates");
    refused(plane.append(&[0.0; 3]), "3 numbers are not points of 2 coordinates");
    refused(policy.predict(0.0, &[0.0; 3]), "3 numbers");
    refused(policy.observe(&[0.0; 4], 1.0, Given::default()), "x has 4 entries, not 2");
    refused(Kernel::table(&ctx, 2, &[0.0; 6]), "has 3 entries, not 2");
    refused(Kernel::table(&ctx, 1 << 32, &[]), "has 0 entries, not 4294967296");
    refused(Domain::grid(&ctx, &[0.0, 0.0], &[1.0], &[11]), "upper has 1 entries, not 2");
    refused(Domain::boxed(&ctx, &[0.0], &[1.0, 1.0]), "upper has 2 entries, not 1");
    refused(policy.extend(&larger, Some(&[])), "has 2 entries, not 3");
    refused(policy.extend(&larger, Some(&[0.0, 0.0])), "has 4 entries, not 3");
    for result in [policy.set_available(Some(&[])), policy.set_available(Some(&[true])), policy.set_prior_mean(Some(&[]))] {
        assert_eq!(result.unwrap_err().status, -4); // of the library, which was given the length
    }
    refused(policy.stat("values\0x"), "NUL");
    refused(policy.set("noise=.1\0sense=min"), "NUL");
    policy.set_prior_mean(None).unwrap();
    assert_eq!(policy.stat("values").unwrap(), 0.0);
}

#[test]
fn a_program_that_has_the_bytes_alone() {
    let ctx = Context::new().unwrap();
    let corner = Domain::boxed(&ctx, &[0.0, 2.0], &[1.0, 4.0]).unwrap();
    assert_eq!(corner.bounds().unwrap(), (vec![0.0, 2.0], vec![1.0, 4.0]));
    let kernel = Kernel::se(&ctx, 2, 1.0, &[0.5]).unwrap();
    let mut before = Policy::new("gp-ucb", &corner, Some(&kernel), "").unwrap();
    assert!(before.pending().unwrap().is_empty());
    let asked = [before.ask(0.0).unwrap().unwrap(), before.ask(0.0).unwrap().unwrap()];
    let mut after = Policy::restore(&Context::new().unwrap(), &before.save_full().unwrap()).unwrap();
    assert_eq!((after.name().unwrap(), after.domain().unwrap().type_name().unwrap()), ("gp-ucb".into(), "box".into()));
    assert_eq!(after.pending().unwrap(), asked);
    for query in &asked {
        before.tell(query, 1.0).unwrap();
        after.tell(query, 1.0).unwrap();
    }
    assert!(after.pending().unwrap().is_empty());
    assert_eq!(after.ask(1.0).unwrap(), before.ask(1.0).unwrap());
}

#[test]
fn functions_of_a_point() {
    use std::rc::Rc;
    let ctx = Context::new().unwrap();
    let square = Domain::boxed(&ctx, &[0.0, 0.0], &[1.0, 1.0]).unwrap();
    let kernel = Kernel::se(&ctx, 2, 1.0, &[0.3, 0.3]).unwrap();
    let mut policy = Policy::new("gp-ucb", &square, Some(&kernel), "noise=.01").unwrap();
    let held = Rc::new(0.5);
    let bound = held.clone();
    policy.set_prior_mean_fn(|x| (5.0 * x[0], vec![5.0, 0.0])).unwrap();
    policy.set_feasible(move |x| x[0] < *bound).unwrap();
    assert_eq!(Rc::strong_count(&held), 2);
    for t in 0..5 {
        let query = policy.ask(t as f64).unwrap().unwrap();
        assert!(query.x[0] < 0.5 && (t > 0 || query.x[0] > 0.4), "{:?}", query.x);
        policy.tell(&query, 0.0).unwrap();
    }
    policy.set_feasible(|_| panic!("no point")).unwrap();
    assert_eq!(Rc::strong_count(&held), 1);
    assert_eq!(policy.ask(9.0).unwrap_err().status, tvgp::PANIC);
    policy.set_feasible(|_| true).unwrap();
    assert!(policy.ask(9.0).unwrap().is_some());
    let mut arms = Policy::new("gp-ucb", &Domain::indices(&ctx, 3).unwrap(), None, "").unwrap();
    let unused = held.clone();
    assert!(arms.set_feasible(move |_| *unused > 0.0).is_err());
    assert_eq!(Rc::strong_count(&held), 1);
}

/// Against numbers of NumPy, the third case of python/tests/gp.json.
#[test]
fn regression_and_diverse_subsets() {
    let near = |found: &[f64], wanted: &[f64]| {
        assert_eq!(found.len(), wanted.len());
        found.iter().zip(wanted).for_each(|(a, b)| assert!((a - b).abs() < 1e-9, "{a} {b}"));
    };
    let ctx = Context::new().unwrap();
    let kernel = Kernel::se(&ctx, 1, 1.0, &[0.3]).unwrap();
    let mut gp = Gp::new(&ctx, &kernel, None, 0.01).unwrap();
    gp.add(&[0.1, 0.5, 0.8], &[0.2, 0.9, 0.4], None, None).unwrap();
    let at = [0.2, 0.6];
    let (mean, var) = gp.predict(&at, 0.0).unwrap();
    let (joint, covariance) = gp.predict_covariance(&at, 0.0).unwrap();
    near(&mean, &[0.42530931740700206, 0.8106208571719197]);
    near(&joint, &mean);
    near(&covariance, &[0.04562032909478475, -0.01802570908566764, -0.01802570908566764, 0.023929432820190444]);
    near(&var, &[covariance[0], covariance[3]]);
    near(&[gp.log_marginal_likelihood().unwrap()], &[-2.869429965463431]);
    assert_eq!(gp.predict_gradient(&at, 0.0).unwrap().2.len(), 2);
    let draws = gp.sample(&at, 0.0, 3, 7).unwrap();
    assert_eq!(gp.sample(&at, 0.0, 1, 7).unwrap(), draws[..2]);
    let mut again = Gp::restore(&ctx, &gp.save().unwrap()).unwrap();
    assert_eq!(again.predict(&at, 0.0).unwrap().0, mean);
    gp.drop_oldest(1).unwrap();
    gp.set_prior_mean(1.0, None).unwrap();
    assert!(gp.fit(20).unwrap().is_finite() && gp.size().unwrap() == 2 && again.size().unwrap() == 3);
    assert!(gp.add(&[0.1], &[1.0, 2.0], None, None).is_err());
    let mut far = kdpp_sample(&kernel, &[0.0, 0.1, 1.0], 2, 0, 0).unwrap();
    far.sort();
    assert_eq!(far, [0, 2]);
}
