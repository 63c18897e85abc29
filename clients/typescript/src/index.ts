/** The TypeScript client of the Product Classification Service, and what receivers of its webhooks need. */

export { Client, type ClientOptions, type FileSubmission, type Submission } from "./client.js";
export {
  ApiError,
  AuthenticationError,
  ClientError,
  ConflictError,
  ConnectionFailedError,
  InsufficientCreditsError,
  InvalidRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  StillRunningError,
  WebhookError,
  type Violation,
} from "./errors.js";
export type * from "./models.js";
export { DEFAULT_POLICY, type Policy } from "./policy.js";
export type { Call } from "./sender.js";
export { readWebhook, type Reading } from "./webhooks.js";
