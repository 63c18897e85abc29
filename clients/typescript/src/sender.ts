/** One request with its tries. The trap: retrying what nobody knows to be safe; reads and calls with an Idempotency-Key
 * are, and so are settings that come out the same. */

import { ClientError, ConnectionFailedError, errorOf, textOf, type Received } from "./errors.js";
import { passes, pauseAfter, sleep, type Policy } from "./policy.js";

/** A request; `path` begins after `/api/v1`. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly body?: unknown;
  /** Instead of `body`, where a file is sent. */
  readonly form?: FormData;
  /** The same on every try; so is one that a creating call makes for itself. */
  readonly idempotencyKey?: string;
}

export class Sender {
  readonly #baseUrl: string;
  readonly #apiKey: string;
  readonly #policy: Policy;
  readonly #fetch: typeof fetch;

  constructor(baseUrl: string, apiKey: string, policy: Policy, fetching: typeof fetch) {
    this.#baseUrl = baseUrl.replace(/\/$/, "");
    this.#apiKey = apiKey;
    this.#policy = policy;
    this.#fetch = fetching;
  }

  /** The answer's body; undefined where it has none. Throws ApiError or ConnectionFailedError after the last try. */
  async send(call: Call): Promise<unknown> {
    return bodyOf(await this.receive(call));
  }

  /** The answer as it came, such as a file. Throws as `send` does. */
  async receive(call: Call): Promise<Received> {
    const [url, request] = this.#prepared(call);
    for (let failures = 1; ; failures += 1) {
      const received = await this.#try(url, request);
      const error = received instanceof ClientError ? received : errorOf(received);
      if (error === null) return received as Received;
      if (failures >= this.#policy.tries || !passes(error)) throw error;
      await sleep(pauseAfter(this.#policy, failures, error));
    }
  }

  async #try(url: URL, request: RequestInit): Promise<Received | ConnectionFailedError> {
    try {
      const signal = AbortSignal.timeout(this.#policy.timeout);
      const response = await this.#fetch(url, { ...request, signal });
      return { status: response.status, headers: response.headers, content: new Uint8Array(await response.arrayBuffer()) };
    } catch (cause) {
      return new ConnectionFailedError(`The service could not be reached: ${String(cause)}.`, { cause });
    }
  }

  #prepared(call: Call): [URL, RequestInit] {
    const url = new URL(`${this.#baseUrl}/api/v1${call.path}`);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== null && value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers = new Headers({ Authorization: `Bearer ${this.#apiKey}` });
    if (call.idempotencyKey !== undefined) headers.set("Idempotency-Key", call.idempotencyKey);
    if (call.form !== undefined) return [url, { method: call.method, headers, body: call.form }];
    if (call.body === undefined) return [url, { method: call.method, headers }];
    headers.set("Content-Type", "application/json");
    return [url, { method: call.method, headers, body: JSON.stringify(call.body) }];
  }
}

function bodyOf(received: Received): unknown {
  if (received.content.length === 0) return undefined;
  try {
    return JSON.parse(textOf(received));
  } catch (cause) {
    throw new ClientError(`The answer (HTTP ${received.status}) is not JSON: is this the service's address?`, { cause });
  }
}
