import { binaryStringToBytes, toBase64 } from "../../lib/bytes.ts";
import { words } from "../../lib/words.ts";
import type { HeaderField } from "../mime/headers.ts";
import { relaxedHeader } from "./canonicalization.ts";
import { type SigningKey, signBytes } from "./keys.ts";

/** Listed in h= once more than they occur, even if absent, so none can be added later (RFC 6376 5.4.2, 8.15). */
const ALWAYS_SIGNED = ["From", "To", "Subject", "Date"];
/** Listed in h= once more than they occur, if present. If absent, mailing lists and relays may add them. */
const SIGNED_WHEN_PRESENT = words(`
  Message-ID Reply-To Cc MIME-Version Content-Type Content-Transfer-Encoding In-Reply-To References List-Id List-Unsubscribe
  List-Unsubscribe-Post Feedback-ID CFBL-Address CFBL-Feedback-ID Auto-Submitted`);
const SIGNED = [...ALWAYS_SIGNED, ...SIGNED_WHEN_PRESENT];
const FOLD_AT = 76;

/** The header part of the input of all signatures of one message. */
export interface SignedHeaders {
  /** The tag h=, folded, without CRLF. */
  readonly namesTag: string;
  /** The fields in relaxed form, each with CRLF. A binary string. */
  readonly canonical: string;
}

/** Selects the fields to sign, and those named in `more`. Repeated fields are signed from the bottom up (RFC 6376 5.4.2). */
export function selectHeaders(headers: readonly HeaderField[], more: readonly string[] = []): SignedHeaders {
  const names: string[] = [];
  let canonical = "";
  const byName = Map.groupBy(headers, (field) => field.name.toLowerCase());
  for (const name of [...SIGNED, ...more]) {
    const instances = byName.get(name.toLowerCase()) ?? [];
    if (instances.length === 0 && !ALWAYS_SIGNED.includes(name)) continue;
    for (const field of instances.reverse()) {
      names.push(name);
      canonical += `${relaxedHeader(field.raw)}\r\n`;
    }
    names.push(name);
  }
  return { namesTag: foldedNames(names), canonical };
}

/**
 * Returns one DKIM-Signature field, folded, with its CRLF, for relaxed/relaxed canonicalization (RFC 6376 3.5).
 * `bodyHash` is the SHA-256 of the relaxed body; `at` is in seconds since 1970.
 */
export async function signatureField(
  key: SigningKey,
  signed: SignedHeaders,
  input: { domain: string; bodyHash: Uint8Array; at: number },
): Promise<string> {
  const unsigned = [
    `DKIM-Signature: v=1; a=${key.algorithm}; c=relaxed/relaxed;`,
    ` d=${input.domain};`,
    ` s=${key.selector}; t=${input.at};`,
    signed.namesTag,
    ` bh=${toBase64(input.bodyHash)};`,
    " b=",
  ].join("\r\n");
  return withSignature(key, unsigned, signed.canonical);
}

/** Returns a field with its signature, which covers other fields and the field itself, with an empty b= and without CRLF (RFC 6376 3.7). */
export async function withSignature(key: SigningKey, unsigned: string, others: string): Promise<string> {
  const signature = toBase64(await signBytes(key, binaryStringToBytes(others + relaxedHeader(unsigned))));
  return `${unsigned}${signature.replace(/.{72}(?=.)/g, "$&\r\n ")}\r\n`;
}

function foldedNames(names: readonly string[]): string {
  const lines: string[] = [];
  let line = " h=";
  names.forEach((name, i) => {
    const token = i < names.length - 1 ? `${name}:` : `${name};`;
    if (line.length + token.length > FOLD_AT) {
      lines.push(line);
      line = "  ";
    }
    line += token;
  });
  return [...lines, line].join("\r\n");
}
