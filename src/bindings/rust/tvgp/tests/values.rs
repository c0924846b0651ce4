// SPDX-License-Identifier: MIT
//! The rows of every/values.txt that Rust can express.
use tvgp::{Context, Domain, Given, Kernel, Policy, Query, Result};

const ROWS: usize = 22;

fn fresh(name: &str, options: &str) -> Result<()> {
    let ctx = Context::new()?;
    let kernel = Kernel::se(&ctx, 1, 1.0, &[1.0])?;
    Policy::new(name, &Domain::grid(&ctx, &[0.0], &[1.0], &[3])?, Some(&kernel), options).map(|_| ())
}

/// None: the row has no expression in Rust.
fn call(row: &str, p: &mut Policy, q: &Query) -> Option<Result<()>> {
    let ctx = Context::new().unwrap();
    let observe = |p: &mut Policy, x: &[f64], noise_var| p.observe(x, 1.0, Given { t: Some(2e9), noise_var, ..Given::default() });
    Some(match row {
        "y whole number" => p.tell(q, 3.0),
        "y nan" => p.tell(q, f64::NAN),
        "y infinity" => p.tell(q, f64::INFINITY),
        "noise_var nan" => observe(p, &[0.5], Some(f64::NAN)),
        "noise_var minus one" => observe(p, &[0.5], Some(-1.0)),
        "t nan" => p.ask(f64::NAN).map(|_| ()),
        "x rounded" => observe(p, &[f64::from(0.3f32)], None),
        "x between two points" => observe(p, &[0.33], None),
        "x nan" => observe(p, &[f64::NAN], None),
        "x two coordinates" => observe(p, &[0.1, 0.2], None),
        "plane ragged" => Domain::arms(&ctx, 2, &[0.0, 1.0, 2.0, 3.0]).and_then(|d| d.append(&[1.0, 2.0, 3.0])).map(|_| ()),
        "cap zero" => p.ask_many(2e9, 0).map(|_| ()),
        "option noise text abc" => fresh("gp-ucb", "noise=abc"),
        "option noise nan" => fresh("gp-ucb", "noise=nan"),
        "option noise minus one" => fresh("gp-ucb", "noise=-1"),
        "option nosie number" => fresh("gp-ucb", "nosie=1"),
        "policy tv-gp-ucp number" => fresh("tv-gp-ucp", ""),
        "statistic valeus number" => p.stat("valeus").map(|_| ()),
        "mask short" => p.set_available(Some(&[true, false])),
        "mean nan" => p.set_prior_mean(Some(&[f64::NAN; 11])),
        "mean short" => p.set_prior_mean(Some(&[1.0, 2.0])),
        "grid points zero" => Domain::grid(&ctx, &[0.0], &[1.0], &[0]).map(|_| ()),
        _ => return None,
    })
}

#[test]
fn rows() {
    let ctx = Context::new().unwrap();
    let kernel = Kernel::se(&ctx, 1, 1.0, &[0.3]).unwrap();
    let mut p = Policy::new("tv-gp-ucb", &Domain::grid(&ctx, &[0.0], &[1.0], &[11]).unwrap(), Some(&kernel), "noise=.01").unwrap();
    let q = p.ask(1.0).unwrap().unwrap();
    let path = std::env::var("TVGP_VALUES").expect("TVGP_VALUES names values.txt");
    let mut tried = 0;
    for line in std::fs::read_to_string(path).unwrap().lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.split('\t').collect();
        let before = (p.stat("values").unwrap(), p.stat("unsolicited").unwrap());
        let row = format!("{} {}", parts[0], parts[1]);
        let result = match call(&row, &mut p, &q) {
            Some(result) => result,
            None => continue,
        };
        let said = result.as_ref().map_or_else(|e| e.to_string(), |()| "taken".to_string());
        assert!(parts[2].split('|').any(|part| said.contains(part)), "{row}: {said}");
        assert!(result.is_ok() || before == (p.stat("values").unwrap(), p.stat("unsolicited").unwrap()), "{row}");
        tried += 1;
    }
    assert_eq!(tried, ROWS);
}
