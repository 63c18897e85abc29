/** For receivers: is this request a delivery of the service, and what does it say? The trap: parsing before verifying,
 * or verifying a body that was encoded anew; the bytes as they came are what is signed.
 *
 * Source: the Standard Webhooks specification. */

import { WebhookError } from "./errors.js";
import type { Event } from "./models.js";

const TOLERANCE = 300; // seconds that a delivery's time may be off, against replays
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A request's headers: those of `fetch`, or those of Node's own server. */
export type GivenHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Reading {
  /** Seconds since 1970; the clock's own otherwise. */
  readonly now?: number;
  /** Seconds that a delivery's time may be off. */
  readonly tolerance?: number;
}

/** The event of a request, whose body is given as the bytes (or text) that came. Throws WebhookError for anything else. */
export async function readWebhook(
  headers: GivenHeaders,
  body: string | Uint8Array,
  secret: string,
  reading: Reading = {},
): Promise<Event> {
  const [id, moment, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => headerOf(headers, name));
  if (!id || !moment || !signatures || !/^\d{1,12}$/.test(moment)) {
    throw new WebhookError("The request does not carry a webhook's id, timestamp and signature.");
  }
  const age = Math.abs((reading.now ?? Date.now() / 1000) - Number(moment));
  if (age > (reading.tolerance ?? TOLERANCE)) throw new WebhookError(`The delivery's time is off by ${Math.round(age)} s.`);
  const bytes = typeof body === "string" ? encoded(body) : body;
  if (!(await signed(joined(encoded(`${id}.${moment}.`), bytes), signatures, secret))) {
    throw new WebhookError("The signature is not of this secret and body.");
  }
  const told = JSON.parse(new TextDecoder().decode(bytes)) as { event: string; timestamp: string; data: unknown };
  const deliveryId = headerOf(headers, "x-service-delivery-id") ?? id;
  return { deliveryId, type: told.event, timestamp: told.timestamp, data: told.data } as Event;
}

/** Whether one of the signatures is of these bytes; the platform compares them in constant time. */
async function signed(bytes: Uint8Array<ArrayBuffer>, signatures: string, secret: string): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", keyOf(secret), algorithm, false, ["verify"]);
  for (const each of signatures.split(" ")) {
    const signature = each.startsWith("v1,") ? decoded(each.slice(3)) : null;
    if (signature !== null && (await crypto.subtle.verify("HMAC", key, signature, bytes))) return true;
  }
  return false;
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const written = secret.startsWith("whsec_") ? decoded(secret.slice(6)) : null;
  return written ?? encoded(secret); // not base64 after all: the text itself is the secret
}

function decoded(text: string): Uint8Array<ArrayBuffer> | null {
  return BASE64.test(text) ? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)) : null;
}

function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function headerOf(headers: GivenHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : found?.[0];
}
