/** A service that misbehaves as told: what is tried again, with which key, and what is not. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError, Client, ConflictError, ConnectionFailedError, RateLimitError, StillRunningError } from "pcs-client";

type Given = Response | Error;

const CREATED = { id: "product_1", name: "T-shirt", country_of_origin: null, created_at: "2026-01-01T00:00:00Z" };
const GOODS = { name: "T-shirt" };

function misbehaving(...answers: (() => Given)[]): { pcs: Client; seen: Request[] } {
  const seen: Request[] = [];
  const answer: typeof fetch = async (url, request) => {
    seen.push(new Request(url as URL, request));
    const given = answers[Math.min(seen.length, answers.length) - 1]!();
    if (given instanceof Error) throw given;
    return given;
  };
  const policy = { firstPause: 1, polling: [[3, 1]] } as const;
  return { pcs: new Client({ baseUrl: "https://pcs.example.com/", apiKey: "svc_test_x", policy, fetch: answer }), seen };
}

function refusal(status: number, code: string, headers: Record<string, string> = {}): () => Response {
  const body = { error: { code, message: "told", request_id: "req_1", details: [{ field: "name", message: "is missing" }] } };
  return () => Response.json(body, { status, headers });
}

const PASSING: Record<string, () => Given> = {
  "a fault": refusal(500, "INTERNAL_ERROR"),
  "a service that starts": refusal(503, "SERVICE_UNAVAILABLE", { "Retry-After": "0" }),
  "too many requests": refusal(429, "RATE_LIMIT_EXCEEDED", { "Retry-After": "0" }),
  "the same request still running": refusal(409, "IDEMPOTENCY_IN_PROGRESS"),
  "a lost connection": () => new TypeError("fetch failed"),
  "a proxy's page": () => new Response("<html>", { status: 502 }),
};

for (const [what, failure] of Object.entries(PASSING)) {
  test(`${what} is tried again with the same idempotency key`, async () => {
    const { pcs, seen } = misbehaving(failure, failure, () => Response.json(CREATED, { status: 201 }));
    assert.equal((await pcs.createProduct(GOODS)).id, "product_1");
    assert.equal(seen.length, 3);
    const keys = new Set(seen.map((request) => request.headers.get("Idempotency-Key")));
    assert.equal(keys.size, 1);
    assert.match([...keys][0]!, /^[0-9a-f-]{36}$/);
    assert.equal(seen[2]!.url, "https://pcs.example.com/api/v1/products");
    assert.deepEqual(await seen[2]!.json(), { product: GOODS });
  });
}

test("each creating call has a key of its own, or the caller's", async () => {
  const { pcs, seen } = misbehaving(() => Response.json(CREATED, { status: 201 }));
  await pcs.createProduct(GOODS);
  await pcs.createProduct(GOODS);
  await pcs.createProduct(GOODS, { idempotencyKey: "order-4711" });
  const keys = seen.map((request) => request.headers.get("Idempotency-Key"));
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys[2], "order-4711");
});

test("what does not pass is not tried again", async () => {
  const { pcs, seen } = misbehaving(refusal(409, "CONFLICT"));
  await assert.rejects(pcs.cancel("clf_1"), ConflictError);
  assert.equal(seen.length, 1);
});

test("trying ends, with an error that says what was told", async () => {
  const limited = misbehaving(refusal(429, "RATE_LIMIT_EXCEEDED", { "Retry-After": "0" }));
  await assert.rejects(limited.pcs.me(), (error: unknown) => {
    assert.ok(error instanceof RateLimitError && error instanceof ApiError);
    assert.deepEqual([error.status, error.code, error.requestId, error.retryAfter], [429, "RATE_LIMIT_EXCEEDED", "req_1", 0]);
    assert.equal(error.message, "429 RATE_LIMIT_EXCEEDED: told; name: is missing (request req_1)");
    return true;
  });
  assert.equal(limited.seen.length, 5);
  const away = misbehaving(() => new TypeError("fetch failed"));
  await assert.rejects(away.pcs.me(), ConnectionFailedError);
  assert.equal(away.seen.length, 5);
});

test("the service's Retry-After is kept to", async () => {
  const { pcs, seen } = misbehaving(refusal(503, "SERVICE_UNAVAILABLE", { "Retry-After": "1" }), () => Response.json({}));
  const before = performance.now();
  await pcs.me();
  assert.ok(performance.now() - before >= 990);
  assert.equal(seen.length, 2);
});

test("waiting ends, and can begin again", async () => {
  const { pcs, seen } = misbehaving(() => Response.json({ id: "clf_1", status: "pending" }));
  await assert.rejects(pcs.wait("clf_1"), StillRunningError);
  assert.equal(seen.length, 4);
});

test("the service is asked to answer when it is final", async () => {
  const seen: string[] = [];
  const answer: typeof fetch = async (url) => {
    seen.push(String(url).replace("https://pcs.example.com/api/v1", ""));
    return Response.json({ status: "completed" });
  };
  const pcs = new Client({ baseUrl: "https://pcs.example.com/", apiKey: "svc_test_x", fetch: answer });
  await pcs.wait("clf_1");
  await pcs.waitForBatch("batch_1");
  await pcs.waitForUpload("upload_1");
  assert.deepEqual(seen, ["/classifications/clf_1?wait=5", "/classifications/bulk/batch_1?wait=5", "/uploads/upload_1?wait=5"]);
});

test("a body that is no JSON is a fault that says so", async () => {
  const { pcs } = misbehaving(() => new Response("<html>"));
  await assert.rejects(pcs.me(), /is not JSON/);
});

test("ids are put into paths as they are", async () => {
  const { pcs, seen } = misbehaving(() => Response.json({}));
  await pcs.getProduct("a/../b?c");
  assert.equal(new URL(seen[0]!.url).pathname, "/api/v1/products/a%2F..%2Fb%3Fc");
});
