import { fromBase64, toBase64, utf8 } from "../../lib/bytes.ts";
import { hex } from "../../lib/ids.ts";

/** A request to sign. */
export interface SignedRequest {
  deliveryId: string;
  event: string;
  body: string;
  secret: string;
  /** The secret before a rotation, while it still signs. */
  previous: string | null;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Returns the headers of a delivery: those of docs/contract/webhooks.md#signature and those of Standard Webhooks. While two
 * secrets sign, the first form has a header for each, and `webhook-signature` lists both.
 */
export async function signedHeaders(request: SignedRequest): Promise<Record<string, string>> {
  const { deliveryId, event, body, secret, previous, now } = request;
  const timestamp = String(Math.floor(now / 1000));
  const own = `${timestamp}.${deliveryId}.${event}.${body}`;
  const standard = `${deliveryId}.${timestamp}.${body}`;
  // The key is the whole secret here, and there the bytes that follow `whsec_` in base64.
  const signOwn = async (key: string) => `sha256=${hex(await hmac(utf8(key), own))}`;
  const signStandard = async (key: string) =>
    `v1,${toBase64(await hmac(fromBase64(key.slice("whsec_".length)), standard))}`;
  const keys = previous === null ? [secret] : [secret, previous];
  const [first = "", second] = await Promise.all(keys.map(signOwn));
  return {
    "X-Service-Signature": first,
    ...(second === undefined ? {} : { "X-Service-Signature-Previous": second }),
    "X-Service-Timestamp": timestamp,
    "X-Service-Delivery-ID": deliveryId,
    "X-Service-Event": event,
    "webhook-id": deliveryId,
    "webhook-timestamp": timestamp,
    "webhook-signature": (await Promise.all(keys.map(signStandard))).join(" "),
  };
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, utf8(text)));
}
