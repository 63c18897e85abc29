/** When to try again, and when to ask again. The trap: everybody retrying at the same moment; pauses are drawn at
 * random, and never shorter than the service asks for. */

import { ApiError, ConnectionFailedError, type ClientError } from "./errors.js";

/**
 * How patient the client is; all times in milliseconds.
 *
 * A request is tried `tries` times; pauses double from `firstPause` up to `longestPause`. The polling rhythm is the one
 * that the interface recommends: every 5 s for 30 s, every 10 s up to 120 s, every 30 s up to 5 minutes.
 */
export interface Policy {
  readonly tries: number;
  readonly firstPause: number;
  readonly longestPause: number;
  readonly timeout: number;
  readonly polling: readonly (readonly [until: number, pause: number])[];
}

export const DEFAULT_POLICY: Policy = {
  tries: 5,
  firstPause: 500,
  longestPause: 60_000,
  timeout: 30_000,
  polling: [
    [30_000, 5_000],
    [120_000, 10_000],
    [300_000, 30_000],
  ],
};

const RETRIED: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const IN_PROGRESS = "IDEMPOTENCY_IN_PROGRESS";

/** Whether trying again may help. */
export function passes(error: ClientError): boolean {
  if (error instanceof ApiError) return RETRIED.has(error.status) || error.code === IN_PROGRESS;
  return error instanceof ConnectionFailedError;
}

/** How long to wait after so many failures: between half and all of the doubled pause, or as asked if longer. */
export function pauseAfter(policy: Policy, failures: number, error: ClientError): number {
  const doubled = Math.min(policy.firstPause * 2 ** (failures - 1), policy.longestPause);
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
  return Math.max(doubled * (0.5 + Math.random() / 2), asked);
}

/** The pauses between polls, until it is time to stop. */
export function* polls(policy: Policy): Generator<number> {
  let waited = 0;
  for (const [until, pause] of policy.polling) {
    for (; waited < until; waited += pause) yield pause;
  }
}

/** The whole seconds for which a poll lets the service wait, so that its answer comes before `timeout`. */
export function waited(policy: Policy, pause: number): number {
  return Math.floor(Math.min(pause, Math.max(0, policy.timeout - 5_000)) / 1000);
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, milliseconds));
}
