// SPDX-License-Identifier: MIT
/** A provider for @openfeature/server-sdk: docs/guide/openfeature.md. */
import type { EvaluationContext, JsonValue, Provider, ResolutionDetails, TrackingEventDetails } from '@openfeature/server-sdk';

export interface TvgpFlag {
  /** Values by name, of one type. New variants come after the others. */
  variants: Record<string, boolean | string | number | JsonValue>;
  /** Name of the policy; auto-gp-ucb by default. */
  policy?: string;
  /** Options of the policy, such as { 'pending.timeout': 3600, 'pending.timeout_value': 0 }. */
  options?: Record<string, number | boolean | string>;
  /** 'ask': a query for each user. 'shares': users are assigned by shares of traffic. */
  assignment?: 'ask' | 'shares';
  /** Names of tracking events that report outcomes; without it: all. */
  events?: string[];
  /** With 'shares': seconds until shares are computed again, and the total share that is spread equally. */
  refresh?: number;
  floor?: number;
}
/** A client of the npm package redis, connected. */
export interface TvgpRedisClient {
  sendCommand(words: string[]): Promise<any>;
}
export interface TvgpProviderOptions {
  /** Where the state is kept: a file, or Redis (a URL, or a client that the caller closes); neither: in memory. */
  file?: string | null;
  redis?: string | TvgpRedisClient | null;
  /** The time in seconds; by default the clock of the process, with Redis that of the server. */
  clock?: (() => number) | null;
  /** With Redis: begin of the keys ('tvgp:'), and seconds that the pending query of a user is remembered (604800). */
  prefix?: string;
  expire?: number;
  /** With Redis: receives errors of the connection and of outcomes; process.emitWarning by default. */
  onError?: (error: Error) => void;
}
export class TvgpProvider implements Provider {
  constructor(flags: Record<string, TvgpFlag>, options?: TvgpProviderOptions);
  readonly metadata: { readonly name: string };
  readonly runsOn: 'server';
  initialize(): Promise<void>;
  onClose(): Promise<void>;
  resolveBooleanEvaluation(name: string, value: boolean, context: EvaluationContext): Promise<ResolutionDetails<boolean>>;
  resolveStringEvaluation(name: string, value: string, context: EvaluationContext): Promise<ResolutionDetails<string>>;
  resolveNumberEvaluation(name: string, value: number, context: EvaluationContext): Promise<ResolutionDetails<number>>;
  resolveObjectEvaluation<T extends JsonValue>(name: string, value: T, context: EvaluationContext): Promise<ResolutionDetails<T>>;
  track(event: string, context: EvaluationContext, details?: TrackingEventDetails): void;
}
