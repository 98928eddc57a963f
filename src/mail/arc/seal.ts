/** Seals a message with ARC (RFC 8617): a set of three fields that records how it was checked before it was forwarded. */
import { toBase64 } from "../../lib/bytes.ts";
import { relaxedHeader } from "../dkim/canonicalization.ts";
import type { SigningKey } from "../dkim/keys.ts";
import { selectHeaders, withSignature } from "../dkim/signature.ts";
import type { HeaderField } from "../mime/headers.ts";

/** Sets of one message (RFC 8617 4.2.1). */
const MAX_INSTANCE = 50;
const NAMES = ["ARC-Authentication-Results", "ARC-Message-Signature", "ARC-Seal"] as const;

/** The statements of a seal. */
export interface ArcInput {
  key: SigningKey;
  /** d=, in A-labels. */
  domain: string;
  /** Host name of the server that checked the message. */
  authservId: string;
  /** The results of its checks without the authserv-id (RFC 8601 2.2), in one line of ASCII. */
  results: string;
  /** Result of that server's check of the seals that the message has already. Null: it did not check them. */
  chain: string | null;
  /** SHA-256 of the body in relaxed form. */
  bodyHash: Uint8Array;
  /** Seconds since 1970. */
  at: number;
}

/**
 * Returns the fields of a new ARC set as a binary string, to be written before all other fields. Returns an empty string when
 * the message has seals that were not found valid: it must not be sealed then (RFC 8617 5.1.2).
 */
export async function sealArc(fields: readonly HeaderField[], input: ArcInput): Promise<string> {
  const previous = setsOf(fields);
  const instance = previous.length + 1;
  if (previous.some((set) => set === null) || (instance > 1 && input.chain !== "pass") || instance > MAX_INSTANCE)
    return "";
  const results = `ARC-Authentication-Results: i=${instance}; ${input.authservId};\r\n ${input.results}\r\n`;
  const message = await messageSignature(fields, instance, input);
  const chain = previous.flatMap((set) => set ?? []).map((field) => field.raw);
  const unsigned = [
    `ARC-Seal: i=${instance}; a=${input.key.algorithm}; t=${input.at}; cv=${instance === 1 ? "none" : "pass"};`,
    ` d=${input.domain}; s=${input.key.selector};`,
    " b=",
  ].join("\r\n");
  const signed = [...chain, results, message].map((raw) => `${relaxedHeader(raw)}\r\n`).join("");
  return `${await withSignature(input.key, unsigned, signed)}${message}${results}`;
}

/** Signs the message as it is forwarded (RFC 8617 4.1.2). */
function messageSignature(fields: readonly HeaderField[], instance: number, input: ArcInput): Promise<string> {
  const { namesTag, canonical } = selectHeaders(fields, ["DKIM-Signature"]);
  const unsigned = [
    `ARC-Message-Signature: i=${instance}; a=${input.key.algorithm}; c=relaxed/relaxed;`,
    ` d=${input.domain};`,
    ` s=${input.key.selector}; t=${input.at};`,
    namesTag,
    ` bh=${toBase64(input.bodyHash)};`,
    " b=",
  ].join("\r\n");
  return withSignature(input.key, unsigned, canonical);
}

/** Returns the ARC sets of a message by instance. One that is not complete, or there twice, is null. */
function setsOf(fields: readonly HeaderField[]): (HeaderField[] | null)[] {
  const arc = fields.filter(({ name }) => /^arc-/i.test(name));
  const instances = arc.map(instanceOf);
  const last = Math.max(0, ...instances);
  if (last > MAX_INSTANCE) return [null];
  return Array.from({ length: last }, (_, index) => {
    const set = NAMES.map((name) =>
      arc.filter((field, at) => instances[at] === index + 1 && field.name.toLowerCase() === name.toLowerCase()),
    );
    return set.every(({ length }) => length === 1) ? set.flat() : null;
  });
}

function instanceOf({ raw }: HeaderField): number {
  const [, instance] = /(?:^[^:;]*:|;)\s*i\s*=\s*(\d{1,3})\s*(?:;|$)/i.exec(raw) ?? [];
  return instance === undefined ? MAX_INSTANCE + 1 : Number(instance);
}
