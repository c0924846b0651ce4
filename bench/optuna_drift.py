# SPDX-License-Identifier: MIT
"""optuna_drift.py [RUNS]: samplers of Optuna on an objective that drifts (docs/guide/optuna.md). Two coordinates, the second on a log scale; the
optimum of each swings with a period of 314 trials and a random phase. 400 trials with noise of standard deviation .02. Prints the mean loss without noise of trials 50 to 399 over RUNS seeds from 100 on (20: seeds 100 to 119), with its standard error, and
the loss of blocks of 50 trials. Needs Optuna, and TVGP_LIBRARY and PYTHONPATH of the package."""
import sys
import warnings

import numpy as np
import optuna
import tvgp.optuna

RUNS, TRIALS, FIRST = int(sys.argv[1]) if sys.argv[1:] else 20, 400, 100
SAMPLERS = {"tvgp": lambda seed: tvgp.optuna.Sampler(seed=seed), "CMA-ES": lambda seed: optuna.samplers.CmaEsSampler(seed=seed),
            "TPE": lambda seed: optuna.samplers.TPESampler(seed=seed), "random": lambda seed: optuna.samplers.RandomSampler(seed=seed)}


def losses(sampler, seed):
    rng = np.random.default_rng(seed)
    phase, found = rng.uniform(0, 2 * np.pi, 2), []
    study = optuna.create_study(sampler=sampler)
    for k in range(TRIALS):
        trial = study.ask()
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 1e-3, 1, log=True)
        optimum = .5 + .35 * np.sin(.02 * k + phase)
        found.append((x - optimum[0]) ** 2 + ((np.log10(y) + 3) / 3 - optimum[1]) ** 2)
        study.tell(trial, found[-1] + .02 * rng.normal())
    return found


warnings.simplefilter("ignore")
optuna.logging.set_verbosity(optuna.logging.ERROR)
for name, make in SAMPLERS.items():
    runs = np.array([losses(make(seed), seed) for seed in range(FIRST, FIRST + RUNS)])
    means, blocks = runs[:, 50:].mean(1), runs.reshape(RUNS, -1, 50).mean((0, 2))
    print(f"{name},{means.mean():.4f},{means.std(ddof=1) / RUNS ** .5:.4f},{','.join(f'{block:.4f}' for block in blocks)}", flush=True)
