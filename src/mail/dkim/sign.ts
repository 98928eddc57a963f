/**
 * Signs messages with DKIM (RFC 6376, RFC 8463) using WebCrypto. The body is read once for its hash, for any number of
 * keys, and once for each read of the signed message.
 */
import { canonicalDomain } from "../../lib/address-domain.ts";
import { binaryStringToBytes, concat } from "../../lib/bytes.ts";
import type { ComposedMessage } from "../mime/message.ts";
import type { OutgoingMessage } from "../smtp/transport.ts";
import { BodyHash } from "./canonicalization.ts";
import type { SigningKey } from "./keys.ts";
import { selectHeaders, signatureField } from "./signature.ts";

/** Messages smaller than this are one chunk, in bytes. */
const SINGLE_CHUNK_LIMIT = 256 * 1024;
/** RFC 6376 3.1: labels of letters, digits and hyphens. */
const SELECTOR = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

/** The signing domain and time. */
export interface SigningOptions {
  /** d= of each key that has no domain of its own, in A- or U-labels. */
  domain: string;
  /** For t=. */
  now: Date;
  /** True when the reader of `chunks` is done with each chunk before it requests the next. Saves memory on large mail. */
  reuseBuffer?: boolean;
}

/**
 * Signs a message with each key and returns it for the transport. Without keys the message is not signed. Throws
 * RangeError for a domain or selector that is not a DNS name, any error of `pkcs8` and of the key import, and
 * ComposeError `attachment_changed`, which reading `chunks` can throw too.
 */
export async function signMessage(
  composed: ComposedMessage,
  keys: readonly SigningKey[],
  options: SigningOptions,
): Promise<OutgoingMessage> {
  const signatures = keys.length > 0 ? await createSignatures(composed, keys, options) : [];
  const fields = composed.headers.map((field) => field.raw);
  const head = binaryStringToBytes(`${signatures.join("")}${fields.join("")}\r\n`);
  const size = head.length + composed.bodySize;
  const { bodyInMemory } = composed;
  return {
    size,
    inMemory: bodyInMemory && [head, bodyInMemory],
    needsSmtpUtf8: composed.needsSmtpUtf8,
    needs8BitMime: composed.needs8BitMime,
    chunks: () =>
      size < SINGLE_CHUNK_LIMIT
        ? readAsOneChunk(head, composed)
        : readAsChunks(head, composed, options.reuseBuffer ?? false),
  };
}

async function createSignatures(composed: ComposedMessage, keys: readonly SigningKey[], options: SigningOptions) {
  const domains = keys.map((key) => canonicalDomain(key.domain ?? options.domain) ?? "");
  if (domains.includes("")) throw new RangeError("the signing domain is not a domain name");
  if (!keys.every((key) => SELECTOR.test(key.selector))) throw new RangeError("the selector is not a DNS name");
  const body = new BodyHash();
  if (composed.bodyInMemory) body.update(composed.bodyInMemory);
  else for await (const chunk of composed.body(true)) body.update(chunk);
  const input = { bodyHash: body.digest(), at: Math.floor(options.now.getTime() / 1000) };
  const signed = selectHeaders(composed.headers);
  return Promise.all(keys.map((key, index) => signatureField(key, signed, { ...input, domain: domains[index] ?? "" })));
}

async function* readAsOneChunk(head: Uint8Array, composed: ComposedMessage): AsyncGenerator<Uint8Array> {
  const parts = [head];
  for await (const chunk of composed.body()) parts.push(chunk);
  yield concat(parts);
}

async function* readAsChunks(head: Uint8Array, composed: ComposedMessage, reuseBuffer: boolean) {
  yield head;
  yield* composed.body(reuseBuffer);
}
