/** The client: one method for each thing that integrators do; `request` reaches the rest of the interface. */

import { StillRunningError } from "./errors.js";
import type * as models from "./models.js";
import { DEFAULT_POLICY, polls, sleep, waited, type Policy } from "./policy.js";
import { Sender, type Call } from "./sender.js";

export interface ClientOptions {
  /** The service's address, live or sandbox, such as `https://pcs.example.com`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly policy?: Partial<Policy>;
  /** Another `fetch`, for tests or proxies. */
  readonly fetch?: typeof fetch;
}

/** What may be said of a creating call; without an `idempotencyKey` it makes one of its own, the same on every try. */
export interface Submission {
  readonly webhookUrl?: string;
  readonly idempotencyKey?: string;
  /** What the classifications carry; without it they carry their product's. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** What may be said of a file. */
export interface FileSubmission extends Pick<Submission, "idempotencyKey"> {
  /** The title of the column that gives a field; an empty title: none. */
  readonly columns?: Readonly<Record<string, string>>;
}

interface Page<Item> {
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/**
 * The service at one address, live or sandbox, with one key. Safe to share.
 *
 * Every method throws ApiError for an error answer, and ConnectionFailedError where the service cannot be reached.
 */
export class Client {
  readonly #policy: Policy;
  readonly #sender: Sender;

  constructor(options: ClientOptions) {
    this.#policy = { ...DEFAULT_POLICY, ...options.policy };
    this.#sender = new Sender(options.baseUrl, options.apiKey, this.#policy, options.fetch ?? fetch);
  }

  /** Create a product without classifying it; no credits are consumed. */
  createProduct(
    product: models.ProductFields,
    submission: Pick<Submission, "idempotencyKey"> = {},
  ): Promise<models.Product> {
    return this.#create<"create_product">("/products", { product }, submission);
  }

  /** Create a product and queue one classification for each schedule. */
  classify(
    product: models.ProductFields,
    schedules: readonly models.Schedule[],
    submission: Submission = {},
  ): Promise<models.Submitted> {
    return this.#create<"classify_product">("/products/classify", { product, schedules }, submission);
  }

  /** Queue one classification for each schedule of a product that exists already. */
  classifyExisting(
    productId: string,
    schedules: readonly models.Schedule[],
    submission: Submission = {},
  ): Promise<models.Submitted> {
    return this.#create<"classify_existing">("/classifications", { product_id: productId, schedules }, submission);
  }

  /** Submit up to 100 products at once. */
  classifyBulk(
    products: readonly models.ProductFields[],
    schedules: readonly models.Schedule[],
    submission: Submission = {},
  ): Promise<models.Answer<"classify_bulk">> {
    return this.#create<"classify_bulk">("/classifications/bulk", { products, schedules }, submission);
  }

  /**
   * Classify a CSV, XLSX or JSON Lines file of up to 100,000 rows; `name` is what it is called. `columns` says which
   * column, by its title, gives which field, where that is not to be recognised.
   */
  classifyFile(
    name: string,
    content: Blob | Uint8Array<ArrayBuffer>,
    schedules: readonly models.Schedule[],
    { columns, idempotencyKey = crypto.randomUUID() }: FileSubmission = {},
  ): Promise<models.Upload> {
    const form = new FormData();
    form.set("file", content instanceof Blob ? content : new Blob([content]), name);
    form.set("schedules", schedules.join(","));
    if (columns !== undefined) form.set("columns", JSON.stringify(columns));
    return this.request<"classify_file">({ method: "POST", path: "/uploads", form, idempotencyKey });
  }

  /** Create a product, classify it and wait for every result. Throws StillRunningError after five minutes. */
  async classifyAndWait(
    product: models.ProductFields,
    schedules: readonly models.Schedule[],
    submission: Submission = {},
  ): Promise<models.Classification[]> {
    const submitted = await this.classify(product, schedules, submission);
    return Promise.all(submitted.classifications.map((stub) => this.wait(stub.id)));
  }

  /** Read a product with every classification under it. */
  getProduct(productId: string): Promise<models.ProductWithClassifications> {
    return this.request<"get_product">({ method: "GET", path: `/products/${segment(productId)}` });
  }

  /** Read a classification. */
  getClassification(classificationId: string): Promise<models.Classification> {
    return this.request<"get_classification">({ method: "GET", path: `/classifications/${segment(classificationId)}` });
  }

  /** Read a batch's progress and its results so far. */
  getBatch(batchId: string): Promise<models.Batch> {
    const whole = this.request<"get_batch">({ method: "GET", path: `/classifications/bulk/${segment(batchId)}` });
    return whole as Promise<models.Batch>; // only `view=summary` answers with less
  }

  /** Wait until a classification is final: the service answers as soon as it is. Throws StillRunningError. */
  wait(classificationId: string): Promise<models.Classification> {
    return this.#poll(`/classifications/${segment(classificationId)}`);
  }

  /** Wait until all of a batch is final: the service answers as soon as it is. Throws StillRunningError. */
  waitForBatch(batchId: string): Promise<models.Batch> {
    return this.#poll(`/classifications/bulk/${segment(batchId)}`);
  }

  /** Read how far a file is. */
  getUpload(uploadId: string): Promise<models.Upload> {
    return this.request<"get_upload">({ method: "GET", path: `/uploads/${segment(uploadId)}` });
  }

  /** Wait until all of a file is final: the service answers as soon as it is. Throws StillRunningError. */
  waitForUpload(uploadId: string): Promise<models.Upload> {
    return this.#poll(`/uploads/${segment(uploadId)}`);
  }

  /** The file with its answers, its own columns first, at any time. */
  async getUploadResult(uploadId: string, format: "csv" | "xlsx" = "csv"): Promise<Uint8Array<ArrayBuffer>> {
    const path = `/uploads/${segment(uploadId)}/result`;
    return (await this.#sender.receive({ method: "GET", path, query: { format } })).content;
  }

  /** Every classification that the filters let through, newest first, read page by page. */
  classifications(filters: models.Filters = {}): AsyncGenerator<models.Classification> {
    const { metadata, ...plain } = filters;
    return this.#list<"list_classifications", models.Classification>("/classifications", {
      ...plain,
      ...carrying(metadata),
    });
  }

  /** Every product, newest first, read page by page; with `identifier` or `metadata` only those that carry it. */
  products(identifier?: string, metadata?: Readonly<Record<string, string>>): AsyncGenerator<models.Product> {
    return this.#list<"list_products", models.Product>("/products", { identifier, ...carrying(metadata) });
  }

  /** Every batch without its classifications, newest first, read page by page. */
  batches(): AsyncGenerator<models.BatchListed> {
    return this.#list<"list_batches", models.BatchListed>("/classifications/bulk", {});
  }

  /** Cancel a classification that is still pending. Throws ConflictError where it is not. */
  cancel(classificationId: string): Promise<models.Classification> {
    const path = `/classifications/${segment(classificationId)}/cancel`;
    return this.request<"cancel_classification">({ method: "POST", path });
  }

  /** Answer questions of a result: each by its id, with an `option` or a `text`. Throws ConflictError if answered before. */
  answer(
    classificationId: string,
    answers: readonly models.QuestionAnswer[],
    submission: Pick<Submission, "idempotencyKey"> = {},
  ): Promise<models.Reanalysed> {
    return this.#create<"answer_questions">(`/classifications/${segment(classificationId)}/answers`, { answers }, submission);
  }

  /** Put a person's word beside a result: `accepted`, `corrected` (with the right `code`) or `rejected`. */
  review(classificationId: string, review: models.Review): Promise<models.Classification> {
    const path = `/classifications/${segment(classificationId)}/review`;
    return this.request<"review_classification">({ method: "PUT", path, body: review });
  }

  /** Set the organization-wide webhook. */
  setWebhook(webhook: models.WebhookFields): Promise<models.Webhook> {
    return this.request<"set_webhook">({ method: "PUT", path: "/webhooks", body: webhook });
  }

  /** Read the organization-wide webhook. Throws NotFoundError where there is none. */
  getWebhook(): Promise<models.Webhook> {
    return this.request<"get_webhook">({ method: "GET", path: "/webhooks" });
  }

  /** Remove the organization-wide webhook. Throws NotFoundError where there is none. */
  async removeWebhook(): Promise<void> {
    await this.#sender.send({ method: "DELETE", path: "/webhooks" });
  }

  /** What a schedule says of a code: words, path, duty, units, notes, and what lies below it. */
  lookUpCode(schedule: models.Schedule, code: string): Promise<models.Answer<"get_code">> {
    return this.request<"get_code">({ method: "GET", path: `/schedules/${segment(schedule)}/codes/${segment(code)}` });
  }

  /** Places of a schedule where goods may be, the likeliest first; no classification, and no credit. */
  async searchSchedule(
    schedule: models.Schedule,
    words: string,
    { limit = 20 }: { limit?: number } = {},
  ): Promise<models.Answer<"search_schedule">["data"]> {
    const path = `/schedules/${segment(schedule)}/search`;
    return (await this.request<"search_schedule">({ method: "GET", path, query: { q: words, limit } })).data;
  }

  /** Up to 100 loaded rulings, newest first, with all the words in their subject, on the code or one below it. */
  async searchRulings(
    words: string,
    { code, schedule }: { code?: string; schedule?: models.Schedule } = {},
  ): Promise<models.Answer<"list_rulings">["data"]> {
    const query = { q: words || undefined, code, schedule, limit: 100 };
    return (await this.request<"list_rulings">({ method: "GET", path: "/rulings", query })).data;
  }

  /** Whose key this is, where it works and what it may do. */
  me(): Promise<models.Answer<"get_me">> {
    return this.request<"get_me">({ method: "GET", path: "/me" });
  }

  /** What was spent, day by day; days are `YYYY-MM-DD`. */
  usage(first?: string, last?: string): Promise<models.Answer<"get_usage">> {
    return this.request<"get_usage">({ method: "GET", path: "/usage", query: { from: first, to: last } });
  }

  /** Any other request of the interface, typed by its operationId: `pcs.request<"get_quality">({ … })`. */
  async request<Name extends models.Operation>(call: Call): Promise<models.Answer<Name>> {
    return (await this.#sender.send(call)) as models.Answer<Name>;
  }

  #create<Name extends models.Operation>(
    path: string,
    body: Record<string, unknown>,
    { webhookUrl, metadata, idempotencyKey = crypto.randomUUID() }: Submission,
  ): Promise<models.Answer<Name>> {
    const options = webhookUrl === undefined ? {} : { options: { webhook_url: webhookUrl } };
    return this.request<Name>({ method: "POST", path, body: { ...body, ...options, metadata }, idempotencyKey });
  }

  async *#list<Name extends models.Operation, Item>(
    path: string,
    query: NonNullable<Call["query"]>,
  ): AsyncGenerator<Item> {
    let cursor: string | null | undefined;
    do {
      const call: Call = { method: "GET", path, query: { ...query, limit: 100, cursor } };
      const page: Page<Item> = (await this.request<Name>(call)) as Page<Item>;
      yield* page.data;
      cursor = page.has_more ? page.next_cursor : null;
    } while (cursor);
  }

  async #poll<Found extends { status: string }>(path: string): Promise<Found> {
    for (const pause of [...polls(this.#policy), 0]) {
      const began = performance.now();
      const wait = waited(this.#policy, pause) || undefined;
      const found = (await this.#sender.send({ method: "GET", path, query: { wait } })) as Found;
      if (found.status === "completed" || found.status === "failed") return found;
      await sleep(Math.max(0, began + pause - performance.now()));
    }
    throw new StillRunningError(`${path} is not final yet.`);
  }
}

function carrying(metadata: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata ?? {}).map(([key, value]) => [`metadata[${key}]`, value]));
}

function segment(text: string): string {
  return encodeURIComponent(text);
}
