/**
 * Signing (RFC 6376, RFC 8463) with WebCrypto. The body is read once for its hash, whatever the number of keys, and
 * once more by each reader of the finished message.
 */
import { canonicalDomain } from "../../lib/address-domain.ts";
import { concat } from "../../lib/bytes.ts";
import { type Composed, octetsOf } from "../mime/index.ts";
import type { OutgoingMessage } from "../smtp/index.ts";
import { BodyHash } from "./canonical.ts";
import { signatureField, signedHeaders } from "./dkim.ts";
import type { SigningKey } from "./keys.ts";

export { type DkimAlgorithm, dkimRecord, generateDkimKeyPair, type SigningKey } from "./keys.ts";

/** Messages below this leave as one chunk, in octets. */
const ONE_CHUNK = 256 * 1024;
/** RFC 6376 3.1: sub-domains of letters, digits and hyphens. */
const SELECTOR = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

/** Who signs, and when. */
export interface SignedBy {
  /** d=, in A- or U-labels. */
  domain: string;
  /** For t=. */
  now: Date;
  /** True when whoever reads `chunks` is through with each before it asks for the next: large mail then takes less memory. */
  fleeting?: boolean;
}

/**
 * Signs a message once per key and makes it ready for the transport; with no key it goes out unsigned. Throws
 * RangeError for a domain or selector that DNS cannot hold, whatever `pkcs8` or the import of a key throws, and
 * ComposeError `attachment_changed`, which reading `chunks` may throw as well.
 */
export async function signMessage(
  composed: Composed,
  keys: readonly SigningKey[],
  by: SignedBy,
): Promise<OutgoingMessage> {
  const signatures = keys.length > 0 ? await signaturesOf(composed, keys, by) : [];
  const fields = composed.headers.map((field) => field.raw);
  const head = octetsOf(`${signatures.join("")}${fields.join("")}\r\n`);
  const size = head.length + composed.bodySize;
  return {
    size,
    needsSmtpUtf8: composed.needsSmtpUtf8,
    needs8BitMime: composed.needs8BitMime,
    chunks: () => (size < ONE_CHUNK ? oneChunk(head, composed) : manyChunks(head, composed, by.fleeting ?? false)),
  };
}

async function signaturesOf(composed: Composed, keys: readonly SigningKey[], by: SignedBy): Promise<string[]> {
  const domain = canonicalDomain(by.domain);
  if (domain === null) throw new RangeError("the signing domain is no domain name");
  if (!keys.every((key) => SELECTOR.test(key.selector))) throw new RangeError("a selector is no DNS name");
  const body = new BodyHash();
  for await (const chunk of composed.body(true)) body.update(chunk);
  const about = { domain, bodyHash: body.digest(), at: Math.floor(by.now.getTime() / 1000) };
  const signed = signedHeaders(composed.headers);
  return Promise.all(keys.map((key) => signatureField(key, signed, about)));
}

async function* oneChunk(head: Uint8Array, composed: Composed): AsyncGenerator<Uint8Array> {
  const parts = [head];
  for await (const chunk of composed.body()) parts.push(chunk);
  yield concat(parts);
}

async function* manyChunks(head: Uint8Array, composed: Composed, fleeting: boolean): AsyncGenerator<Uint8Array> {
  yield head;
  yield* composed.body(fleeting);
}
