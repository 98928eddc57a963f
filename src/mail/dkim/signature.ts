import { toBase64 } from "../../lib/bytes.ts";
import { binaryStringToBytes, type HeaderField } from "../mime/index.ts";
import { relaxedHeader } from "./canonicalization.ts";
import { type SigningKey, signBytes } from "./keys.ts";

/** Signed one time more than they occur, even when they do not: none can be added (RFC 6376 5.4.2, 8.15). */
const ALWAYS_SIGNED = ["From", "To", "Subject", "Date"];
/** The same when they occur. Absent they stay open, since mailing lists and relays add some of them rightly. */
const SIGNED_WHEN_PRESENT = [
  "Message-ID",
  "Reply-To",
  "Cc",
  "MIME-Version",
  "Content-Type",
  "Content-Transfer-Encoding",
  "In-Reply-To",
  "References",
  "List-Id",
  "List-Unsubscribe",
  "List-Unsubscribe-Post",
  "Feedback-ID",
  "Auto-Submitted",
];
const FOLD_AT = 76;

/** What all signatures of one message share. */
export interface SignedHeaders {
  /** For h=. */
  readonly names: readonly string[];
  /** The fields in relaxed form, each with CRLF. */
  readonly canonical: string;
}

/** Chooses the fields to sign; of a repeated one the instances from the bottom up (RFC 6376 5.4.2). */
export function selectHeaders(headers: readonly HeaderField[]): SignedHeaders {
  const names: string[] = [];
  let canonical = "";
  for (const name of [...ALWAYS_SIGNED, ...SIGNED_WHEN_PRESENT]) {
    const instances = headers.filter((field) => field.name.toLowerCase() === name.toLowerCase());
    if (instances.length === 0 && !ALWAYS_SIGNED.includes(name)) continue;
    for (const field of instances.reverse()) {
      names.push(name);
      canonical += `${relaxedHeader(field.raw)}\r\n`;
    }
    names.push(name);
  }
  return { names, canonical };
}

/** One DKIM-Signature field with its CRLF, folded, relaxed/relaxed (RFC 6376 3.5). `bodyHash`: SHA-256; `at`: seconds since 1970. */
export async function signatureField(
  key: SigningKey,
  signed: SignedHeaders,
  about: { domain: string; bodyHash: Uint8Array; at: number },
): Promise<string> {
  const bare = [
    `DKIM-Signature: v=1; a=${key.algorithm}; c=relaxed/relaxed;`,
    ` d=${about.domain};`,
    ` s=${key.selector}; t=${about.at};`,
    ...foldedNames(signed.names),
    ` bh=${toBase64(about.bodyHash)};`,
    " b=",
  ].join("\r\n");
  // The field itself is signed with b= empty and without its CRLF (RFC 6376 3.7).
  const signature = toBase64(await signBytes(key, binaryStringToBytes(signed.canonical + relaxedHeader(bare))));
  return `${bare}${signature.replace(/.{72}(?=.)/g, "$&\r\n ")}\r\n`;
}

function foldedNames(names: readonly string[]): string[] {
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
  return [...lines, line];
}
