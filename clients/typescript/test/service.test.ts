/** The client against a running service: its address is in PCS, and a key of the live environment in PCS_KEY. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";

import { AuthenticationError, Client, InvalidRequestError, NotFoundError, WebhookError, readWebhook } from "pcs-client";

const baseUrl = process.env["PCS"]!;
const apiKey = process.env["PCS_KEY"]!;
const pcs = new Client({ baseUrl, apiKey, policy: { polling: [[20_000, 50]] } });
const GOODS = { name: "Cotton T-shirt", identifier: "SKU-1", country_of_origin: "BD" };
const SECRET = "whsec_c2VzYW1lIHNlc2FtZSBzZXNhbWU=";

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const one of items) all.push(one);
  return all;
}

/** The first delivery that arrives while something is done, which is told where to send it. */
async function delivery(doing: (url: string) => Promise<unknown>): Promise<Delivery> {
  const server = createServer();
  const arrived = new Promise<Delivery>((arrive) => {
    server.on("request", async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      response.writeHead(204).end();
      arrive({ headers: request.headers, body: Buffer.concat(parts) });
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    await doing(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
    return await arrived;
  } finally {
    server.close();
  }
}

test("goods are classified and waited for in one call", async () => {
  const [american, european] = await pcs.classifyAndWait(GOODS, ["US-HTS", "EU-CN"]);
  assert.ok(american?.result && "hts_code" in american.result);
  assert.equal(american.result.hts_code, "6109100012");
  assert.ok(european?.result && "cn_code" in european.result);
  assert.equal(european.result.cn_code, "61091000");
  assert.equal(american.product.identifier, "SKU-1");
});

test("the same key and body twice is one request", async () => {
  const submission = { idempotencyKey: crypto.randomUUID() };
  const first = await pcs.classify(GOODS, ["US-HTS"], submission);
  assert.deepEqual(await pcs.classify(GOODS, ["US-HTS"], submission), first);
});

test("a product is classified later, reviewed and read again", async () => {
  const product = await pcs.createProduct({ ...GOODS, identifier: "SKU-2" });
  const { classifications } = await pcs.classifyExisting(product.id, ["US-HTS"]);
  const ended = await pcs.wait(classifications[0]!.id);
  const reviewed = await pcs.review(ended.id, { decision: "corrected", code: "6109.10.0004", note: "White" });
  assert.equal(reviewed.review?.decision, "corrected");
  const read = await pcs.getProduct(product.id);
  assert.deepEqual(read.classifications.map((one) => one.id), [ended.id]);
  assert.deepEqual((await collected(pcs.products("SKU-2"))).map((one) => one.id), [product.id]);
});

test("metadata comes back and finds what carries it", async () => {
  const run = { run: crypto.randomUUID() };
  const { product_id } = await pcs.classify({ ...GOODS, metadata: { order: run.run } }, ["US-HTS"], { metadata: run });
  const [found] = await collected(pcs.classifications({ metadata: run }));
  assert.deepEqual(found?.metadata, run);
  assert.deepEqual((await collected(pcs.products(undefined, { order: run.run }))).map((one) => one.id), [product_id]);
});

test("addresses of pictures come back with the goods", async () => {
  const image_urls = ["https://shop.example.com/4711/front.jpg"];
  const { id } = await pcs.createProduct({ ...GOODS, image_urls });
  assert.deepEqual((await pcs.getProduct(id)).image_urls, image_urls);
});

test("lists are read page by page", async () => {
  const products = Array.from({ length: 60 }, (_, number) => ({ name: `T-shirt ${number}` }));
  const { batch_id } = await pcs.classifyBulk(products, ["US-HTS", "EU-CN"]);
  const ended = await pcs.waitForBatch(batch_id);
  assert.equal(ended.summary.completed, 120);
  const listed = await collected(pcs.classifications({ batch_id }));
  assert.deepEqual(listed.map((one) => one.id), ended.classifications.map((one) => one.id).reverse());
  assert.equal((await collected(pcs.classifications({ batch_id, schedule: "EU-CN" }))).length, 60);
  assert.ok((await collected(pcs.batches())).some((one) => one.batch_id === batch_id));
});

test("a file is sent, waited for and taken home", async () => {
  const content = new TextEncoder().encode("SKU;Ware;Country\n1;Cotton T-shirt;BD\n2;;IT\n");
  const submission = { columns: { name: "Ware" }, idempotencyKey: crypto.randomUUID() };
  const sent = await pcs.classifyFile("goods.csv", content, ["US-HTS", "EU-CN"], submission);
  assert.deepEqual([sent.rows, sent.accepted, sent.problems.map((one) => one.row)], [2, 1, [3]]);
  assert.deepEqual(await pcs.classifyFile("goods.csv", content, ["US-HTS", "EU-CN"], submission), sent);
  assert.equal((await pcs.waitForUpload(sent.upload_id)).summary.completed, 2);
  const result = new TextDecoder().decode(await pcs.getUploadResult(sent.upload_id));
  assert.match(result, /^SKU;Ware;Country;/);
  assert.match(result, /6109\.10\.00\.12/);
  const workbook = await pcs.getUploadResult(sent.upload_id, "xlsx");
  assert.equal(new TextDecoder().decode(workbook.slice(0, 2)), "PK");
});

test("the rest of the interface is there too", async () => {
  assert.equal((await pcs.me()).environment, "live");
  assert.ok((await pcs.usage()).credits_consumed >= 1);
  assert.equal((await pcs.lookUpCode("US-HTS", "6109.10")).code, "610910");
  assert.equal((await pcs.searchSchedule("US-HTS", "brake pads"))[0]?.code, "870830");
  assert.deepEqual(await pcs.searchRulings("shirt", { code: "6109", schedule: "US-HTS" }), []);
  const quality = await pcs.request<"get_quality">({ method: "GET", path: "/quality" });
  assert.ok(quality);
});

test("errors say what to do about them", async () => {
  await assert.rejects(pcs.getClassification("clf_unknown"), (error: unknown) => {
    assert.ok(error instanceof NotFoundError);
    assert.match(error.requestId!, /^req_/);
    return true;
  });
  await assert.rejects(pcs.classify({ name: "" }, ["US-HTS"]), (error: unknown) => {
    assert.ok(error instanceof InvalidRequestError);
    assert.equal(error.details[0]?.field, "product.name");
    return true;
  });
  const stranger = new Client({ baseUrl, apiKey: "svc_live_nonsense" });
  await assert.rejects(stranger.me(), (error: unknown) => error instanceof AuthenticationError && error.reason === "invalid_api_key");
});

test("a delivery of the service is verified and a forged one is not", async () => {
  const { headers, body } = await delivery(async (url) => {
    await pcs.setWebhook({ url, secret: SECRET });
    await pcs.classifyAndWait(GOODS, ["US-HTS"]);
  });
  assert.ok((await pcs.getWebhook()).secret_set);
  await pcs.removeWebhook();
  await assert.rejects(pcs.getWebhook(), NotFoundError);
  const event = await readWebhook(headers, body, SECRET);
  assert.ok(event.type === "classification.completed");
  assert.equal(event.data.product.name, GOODS.name);
  assert.equal(event.deliveryId, headers["x-service-delivery-id"]);
  assert.deepEqual(await readWebhook(new Headers(headers as Record<string, string>), body.toString(), SECRET), event);
  await assert.rejects(readWebhook(headers, Buffer.concat([body, Buffer.from(" ")]), SECRET), WebhookError);
  await assert.rejects(readWebhook(headers, body, "sesame"), WebhookError);
  await assert.rejects(readWebhook(headers, body, SECRET, { now: Date.now() / 1000 + 301 }), WebhookError);
  await assert.rejects(readWebhook({}, body, SECRET), WebhookError);
});
