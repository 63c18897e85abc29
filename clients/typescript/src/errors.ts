/** What can go wrong, by what a caller would do about it. The trap: two shapes of error body; both are read. */

/** Any failure of this client. */
export class ClientError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The service could not be reached, in as many tries as the policy allows. */
export class ConnectionFailedError extends ClientError {}

/** What was waited for is not final yet; it goes on, and can be waited for again. */
export class StillRunningError extends ClientError {}

/** A request that is not a delivery of the service, or too old. */
export class WebhookError extends ClientError {}

export interface Violation {
  readonly field: string;
  readonly message: string;
}

/** An answer as it came. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** What an answer says. */
export function textOf(received: Received): string {
  return new TextDecoder().decode(received.content);
}

/** An answer that is an error. `code` is what programs decide by; `requestId` is what support asks for. */
export class ApiError extends ClientError {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly reason: string | null;
  readonly details: readonly Violation[];
  readonly requestId: string | null;
  /** Seconds that the service asks to wait. */
  readonly retryAfter: number | null;

  constructor(received: Received) {
    const told = errorIn(textOf(received));
    const details = Array.isArray(told["details"]) ? (told["details"] as Violation[]) : [];
    const requestId = stringIn(told["request_id"]) ?? received.headers.get("X-Request-ID");
    const fields = details.map((one) => `; ${one.field}: ${one.message}`).join("");
    const message = stringIn(told["message"]) ?? `HTTP ${received.status}`;
    super(`${received.status} ${stringIn(told["code"]) ?? ""}: ${message}${fields} (request ${requestId})`);
    this.status = received.status;
    this.code = stringIn(told["code"]) ?? "";
    this.type = stringIn(told["type"]) ?? "";
    this.reason = stringIn(told["reason"]);
    this.details = details;
    this.requestId = requestId;
    this.retryAfter = secondsIn(received.headers.get("Retry-After"));
  }
}

/** 400, 413, 415, 422: the request itself must change. */
export class InvalidRequestError extends ApiError {}

/** 401: the key is missing, invalid, revoked or expired. */
export class AuthenticationError extends ApiError {}

/** 402: the organization's credits are used up. */
export class InsufficientCreditsError extends ApiError {}

/** 403: the key lacks the scope or belongs to the other environment. */
export class PermissionDeniedError extends ApiError {}

/** 404. */
export class NotFoundError extends ApiError {}

/** 409: the state of things does not allow it. */
export class ConflictError extends ApiError {}

/** 429, in as many tries as the policy allows. */
export class RateLimitError extends ApiError {}

const KINDS: Readonly<Record<number, new (received: Received) => ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  402: InsufficientCreditsError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
};

/** The error that an answer tells of; null for a success. */
export function errorOf(received: Received): ApiError | null {
  if (received.status < 400) return null;
  return new (KINDS[received.status] ?? ApiError)(received);
}

function errorIn(text: string): Record<string, unknown> {
  try {
    const error: unknown = (JSON.parse(text) as { error?: unknown } | null)?.error;
    return typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function stringIn(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function secondsIn(header: string | null): number | null {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : null;
}
