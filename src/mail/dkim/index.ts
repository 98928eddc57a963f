/**
 * Signing (RFC 6376, RFC 8463) with WebCrypto. The body is read once for its hash, whatever the number of keys, and
 * once more by each reader of the finished message.
 */
import { canonicalDomain } from "../../lib/address-domain.ts";
import { concat } from "../../lib/bytes.ts";
import { binaryStringToBytes, type ComposedMessage } from "../mime/index.ts";
import type { OutgoingMessage } from "../smtp/index.ts";
import { BodyHash } from "./canonicalization.ts";
import type { SigningKey } from "./keys.ts";
import { selectHeaders, signatureField } from "./signature.ts";

export { type DkimAlgorithm, dkimRecord, generateDkimKeyPair, type SigningKey } from "./keys.ts";

/** Messages below this leave as one chunk, in octets. */
const SINGLE_CHUNK_LIMIT = 256 * 1024;
/** RFC 6376 3.1: sub-domains of letters, digits and hyphens. */
const SELECTOR = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

/** Who signs, and when. */
export interface SigningOptions {
  /** d=, in A- or U-labels. */
  domain: string;
  /** For t=. */
  now: Date;
  /** True when whoever reads `chunks` is through with each before it asks for the next: large mail then takes less memory. */
  reuseBuffer?: boolean;
}

/**
 * Signs a message once per key and makes it ready for the transport; with no key it goes out unsigned. Throws
 * RangeError for a domain or selector that DNS cannot hold, whatever `pkcs8` or the import of a key throws, and
 * ComposeError `attachment_changed`, which reading `chunks` may throw as well.
 */
export async function signMessage(
  composed: ComposedMessage,
  keys: readonly SigningKey[],
  by: SigningOptions,
): Promise<OutgoingMessage> {
  const signatures = keys.length > 0 ? await createSignatures(composed, keys, by) : [];
  const fields = composed.headers.map((field) => field.raw);
  const head = binaryStringToBytes(`${signatures.join("")}${fields.join("")}\r\n`);
  const size = head.length + composed.bodySize;
  return {
    size,
    needsSmtpUtf8: composed.needsSmtpUtf8,
    needs8BitMime: composed.needs8BitMime,
    chunks: () =>
      size < SINGLE_CHUNK_LIMIT
        ? readAsOneChunk(head, composed)
        : readAsChunks(head, composed, by.reuseBuffer ?? false),
  };
}

async function createSignatures(
  composed: ComposedMessage,
  keys: readonly SigningKey[],
  by: SigningOptions,
): Promise<string[]> {
  const domain = canonicalDomain(by.domain);
  if (domain === null) throw new RangeError("the signing domain is no domain name");
  if (!keys.every((key) => SELECTOR.test(key.selector))) throw new RangeError("a selector is no DNS name");
  const body = new BodyHash();
  for await (const chunk of composed.body(true)) body.update(chunk);
  const about = { domain, bodyHash: body.digest(), at: Math.floor(by.now.getTime() / 1000) };
  const signed = selectHeaders(composed.headers);
  return Promise.all(keys.map((key) => signatureField(key, signed, about)));
}

async function* readAsOneChunk(head: Uint8Array, composed: ComposedMessage): AsyncGenerator<Uint8Array> {
  const parts = [head];
  for await (const chunk of composed.body()) parts.push(chunk);
  yield concat(parts);
}

async function* readAsChunks(
  head: Uint8Array,
  composed: ComposedMessage,
  reuseBuffer: boolean,
): AsyncGenerator<Uint8Array> {
  yield head;
  yield* composed.body(reuseBuffer);
}
