/** Greatest age of a delivery, in seconds (also of one from the future, which a wrong clock sends). */
const TOLERANCE_SECONDS = 300;

/** The body of a webhook delivery. */
export interface WebhookEvent {
  event: string;
  /** Null for events of domains, which are about no email. */
  email_id: string | null;
  recipient: string | null;
  timestamp: string;
  metadata: Record<string, unknown>;
}

/** A delivery as it arrived. */
export interface WebhookDelivery {
  /** The headers of the request: those of fetch, or `request.headers` of Node. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw body. A parsed and written body has other bytes. */
  body: string | Uint8Array;
}

export interface WebhookOptions {
  /** Milliseconds since 1970. Default: now. */
  now?: number;
  /** Default 300. */
  toleranceSeconds?: number;
}

/** A delivery that the service did not sign with this secret, or that is too old. */
export class WebhookSignatureError extends Error {
  override readonly name = "WebhookSignatureError";
}

/**
 * Verifies a webhook delivery and returns its event. `secrets` has one secret (`whsec_…`), or during a rotation both. Either
 * of the two signatures suffices: `X-Service-Signature`, or that of Standard Webhooks. Compares in constant time. Throws
 * WebhookSignatureError.
 */
export async function verifyWebhook(
  { headers, body }: WebhookDelivery,
  secrets: string | readonly string[],
  { now = Date.now(), toleranceSeconds = TOLERANCE_SECONDS }: WebhookOptions = {},
): Promise<WebhookEvent> {
  const header = (name: string) => readHeader(headers, name);
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const isFresh = (timestamp: string) =>
    /^\d{1,12}$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds;
  const own = header("X-Service-Timestamp");
  const standard = header("webhook-timestamp");
  const signatures = [
    ...(isFresh(own) ? serviceSignatures(header) : []),
    ...(isFresh(standard) ? standardSignatures(header) : []),
  ];
  if (signatures.length === 0) throw new WebhookSignatureError("The delivery has no signature, or it is too old");
  for (const secret of [secrets].flat()) {
    for (const signature of signatures) {
      if (await isSignedBy(signature, secret, bytes))
        return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
    }
  }
  throw new WebhookSignatureError("The signature of the delivery is wrong");
}

interface Signature {
  /** The text that is signed before the body. */
  prefix: string;
  mac: Uint8Array<ArrayBuffer> | null;
  /** The bytes of the secret that are the key. Null: the secret has another form. */
  keyOf(secret: string): Uint8Array<ArrayBuffer> | null;
}

/** The key is the text of the secret. The second header has the signature of the old secret during a rotation. */
function serviceSignatures(header: (name: string) => string): Signature[] {
  const names = ["X-Service-Timestamp", "X-Service-Delivery-ID", "X-Service-Event"];
  const prefix = `${names.map(header).join(".")}.`;
  return [header("X-Service-Signature"), header("X-Service-Signature-Previous")]
    .filter((value) => value !== "")
    .map((value) => ({
      prefix,
      mac: fromHex(value),
      keyOf: (secret) => Uint8Array.from(new TextEncoder().encode(secret)),
    }));
}

/** The key is the base64 after `whsec_` (standardwebhooks.com). The header lists one signature for each secret. */
function standardSignatures(header: (name: string) => string): Signature[] {
  const prefix = `${header("webhook-id")}.${header("webhook-timestamp")}.`;
  return header("webhook-signature")
    .split(" ")
    .filter((part) => part.startsWith("v1,"))
    .map((part) => ({
      prefix,
      mac: fromBase64(part.slice(3)),
      keyOf: (secret) => (secret.startsWith("whsec_") ? fromBase64(secret.slice(6)) : null),
    }));
}

async function isSignedBy({ prefix, mac, keyOf }: Signature, secret: string, body: Uint8Array): Promise<boolean> {
  const raw = keyOf(secret);
  if (mac === null || raw === null || raw.length === 0) return false;
  const start = new TextEncoder().encode(prefix);
  const signed = new Uint8Array(start.length + body.length);
  signed.set(start);
  signed.set(body, start.length);
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  return crypto.subtle.verify("HMAC", key, mac, signed);
}

function readHeader(headers: WebhookDelivery["headers"], name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return [found ?? ""].flat()[0] ?? "";
}

function fromHex(signature: string): Uint8Array<ArrayBuffer> | null {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(signature)?.[1];
  return hex === undefined ? null : Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
