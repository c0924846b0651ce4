// SPDX-License-Identifier: MIT
/** Time-varying Gaussian-process bandits. */
import type { Allocator, Functions } from './functions';

export const version: string;
/** Done when the package may be used, which it may as soon as it is imported. */
export const ready: Promise<unknown>;

/** A call that failed and changed nothing; the message names the argument. */
export class TvgpError extends Error {
  readonly status: number;
  /** Such as "TVGP_ERR_ARG". */
  readonly code: string;
}

type Numbers = number | ArrayLike<number>;
/** A time in a unit of your own, or a Date, which counts as seconds since 1970. */
type Time = number | Date;
type Points = ArrayLike<number> | ArrayLike<ArrayLike<number>>;

/** Where objects live that the functions of c create; the classes share one. */
export class Context {
  constructor(allocator?: Partial<Allocator> | null);
  destroy(): void;
}

/** The set of actions. */
export class Domain {
  private constructor();
  readonly dim: number;
  /** Number of arms; 0 for a box. */
  readonly n: number;
  /** What it is: "arms", "indices", "grid", "box", "product". */
  readonly type: string;
  /** The smallest and the largest value of each coordinate. */
  bounds(): { lower: number[]; upper: number[] };
  /** With further arms after the present ones, for Policy.extend. */
  append(points: Points): Domain;
  /** Of an arm of a product. */
  split(arm: number): { action: number; context: number };
  /** Releases the memory now; otherwise the garbage collector does. */
  destroy(): void;
}
export class Kernel {
  private constructor();
  destroy(): void;
}

/** Equally spaced values between both bounds, included. */
export function grid(lower: Numbers, upper: Numbers, points: Numbers): Domain;
export function indices(n: number): Domain;
export function arms(points: Points): Domain;
export function box(lower: Numbers, upper: Numbers): Domain;
/** Every pair of an action and a context: see Policy.setContext, or with a box of contexts Policy.setContextPoint. */
export function product(actions: Domain, contexts: Domain): Domain;

export function se(lengthscale: Numbers, options?: { variance?: number; dim?: number }): Kernel;
export function matern(lengthscale: Numbers, options?: { nu?: 0.5 | 1.5 | 2.5; variance?: number; dim?: number }): Kernel;
export function table(K: Points): Kernel;
export function categorical(options?: { variance?: number; correlation?: number }): Kernel;

export interface Query {
  readonly id: number;
  readonly kind: 'action' | 'side' | 'init';
  /** -1 in a box. */
  readonly arm: number;
  readonly x: number[];
  readonly t: number;
  readonly noiseVar: number;
  readonly score: number;
  /** Probability of this choice: 1 if it is deterministic, 0 if unknown. */
  readonly propensity: number;
  /** Probability of violating a constraint; 0 without constraints. */
  readonly risk: number;
}
export interface Given {
  noiseVar?: number;
  /** With outcome.type=poisson or binomial: time or number of trials in which y was counted; 1 without it. */
  exposure?: number;
  /** With outcome.type=ratio: the value of the reference for the same job. */
  reference?: number;
  t?: Time;
  /** The value is a part of the outcome, and the query stays pending. */
  partial?: boolean;
  /** 'right': the outcome is at least y, such as a time-out; 'left': at most y. */
  censored?: 'right' | 'left';
}
export type Outcome = 'value' | 'skipped' | 'failed' | 'cancelled';

export class Policy {
  /** Without a kernel (null) kernel, noise, mean and scale are learned. Option keys as in docs/reference/options.md. */
  constructor(name: string, domain: Domain, kernel?: Kernel | null, options?: Record<string, number | boolean | string>);
  /** From the bytes of save(true) alone. */
  static restore(snapshot: Uint8Array): Policy;
  readonly name: string;
  /** The domain. */
  readonly domain: Domain;
  /** Options, before the first ask or tell. */
  set(options: Record<string, number | boolean | string>): void;
  /** The query for time t; null if nothing can be asked before outcomes arrive. */
  ask(t: Time): Query | null;
  ask(t: Time, cap: number): Query[];
  /** The pending queries, oldest first. */
  pending(): Query[];
  tell(query: Query | number, y: number, given?: Given): void;
  tell(query: Query | number, y: undefined, given: Given & { outcome: Outcome }): void;
  /** An unsolicited observation. */
  observe(x: Numbers, y: number, given?: Given): void;
  /** At points, or at all arms. */
  predict(t: Time, points?: Points): { mean: Float64Array; variance: Float64Array };
  best(t: Time): { arm: number; x: number[] };
  stat(key: string): number;
  /** The state, for load into a policy of the same name, domain and kernel; full: these too, for restore. */
  save(full?: boolean): Uint8Array;
  load(bytes: Uint8Array): void;
  setAvailable(mask?: ArrayLike<boolean | number> | null): void;
  setPriorMean(mean?: Numbers | null): void;
  /** On a product: asks stay within this context from now on; without one: any. */
  setContext(context?: number): void;
  /** On a product with a box: sets the measured context z. */
  setContextPoint(z: Numbers): void;
  /** Adds arms: `larger` is the domain with further arms after the present ones. mean: prior means of the new arms. */
  extend(larger: Domain, mean?: Numbers): void;
  destroy(): void;
}

/** Standard normal draws, the same in every language. */
export function randomNormal(seed: number, purpose: number, step: number, n: number): Float64Array;
/** Exact Gaussian-process regression. Points: a list of them, or n x dim numbers. */
export class GP {
  constructor(kernel: Kernel, options?: { noise?: number; time?: Kernel | null });
  static restore(snapshot: Uint8Array): GP;
  readonly size: number;
  setPriorMean(intercept: number, slope?: Numbers | null): void;
  add(x: Points, y: Numbers, options?: { t?: Numbers | null; noiseVar?: Numbers | null }): void;
  drop(n: number): void;
  predict(x: Points, t?: Time): { mean: Float64Array; var: Float64Array };
  predictGradient(x: Points, t?: Time): { mean: Float64Array; var: Float64Array; dmean: Float64Array; dvar: Float64Array };
  /** covariance: n x n, by rows. */
  predictCovariance(x: Points, t?: Time): { mean: Float64Array; covariance: Float64Array };
  /** draws x n, by rows. */
  sample(x: Points, options?: { t?: Time; draws?: number; seed?: number }): Float64Array;
  logMarginalLikelihood(): number;
  fit(maxEvals?: number): number;
  save(): Uint8Array;
  destroy(): void;
}
/** k of n points that are far apart in the metric of the kernel, as row numbers; fewer if the points span less. */
export function kdppSample(kernel: Kernel, x: Points, k: number, options?: { steps?: number; seed?: number }): number[];
/** Every function of the library by its name in C without tvgp_: docs/reference/functions.md. */
export const c: Functions;
/** The same with C's own arguments, lengths and outputs among them. */
export const native: Record<string, (...args: any[]) => any>;
export type { Functions } from './functions';
