// SPDX-License-Identifier: MIT
//! The program of docs/start/tutorial.md in Rust: cargo run --example tutorial -- PRICES_CSV
use std::error::Error;
use std::{env, fs};
use tvgp::{Context, Domain, Given, Policy};

const PRICES: usize = 41;
const LAST: usize = 120;
const END: usize = 240;

fn profit(price: f64, day: usize) -> f64 {
    let phase = (day % 160) as f64 / 80.0;
    let away = price - (10.0 + 8.0 * if phase < 1.0 { phase } else { 2.0 - phase });
    200.0 - 80.0 * away * away / (away * away + 16.0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let ctx = Context::new()?;
    let prices = Domain::grid(&ctx, &[5.0], &[25.0], &[PRICES])?;
    let mut policy = Policy::new("auto-gp-ucb", &prices, None, "")?;
    let log = fs::read_to_string(env::args().nth(1).unwrap_or_else(|| "prices.csv".into()))?;
    for line in log.lines().skip(1) {
        let row = line.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        policy.observe(&[row[1]], row[2], Given { t: Some(row[0]), ..Given::default() })?;
    }

    let noise = tvgp::random_normal(1, 1000, 0, END + 1);
    let (mut earned, mut possible) = (0.0, 0.0);
    for day in LAST + 1..=END {
        let query = policy.ask(day as f64)?.ok_or("nothing to ask")?;
        let price = query.x[0];
        policy.tell(&query, profit(price, day) + 5.0 * noise[day])?;
        earned += profit(price, day);
        possible += (0..PRICES).map(|i| profit(5.0 + i as f64 * 0.5, day)).fold(0.0, f64::max);
        print!("{price:.1}{}", if day % 20 == 0 { '\n' } else { ' ' });
    }
    let (_, best) = policy.best(END as f64)?;
    let (mean, var) = policy.predict(END as f64, &best)?;
    let surprise = policy.stat("surprise")?;
    println!(
        "tomorrow {:.1}, for {:.0} +- {:.0}; surprise {surprise:.1}; earned {earned:.0} of {possible:.0}",
        best[0],
        mean[0],
        var[0].sqrt()
    );
    Ok(())
}
