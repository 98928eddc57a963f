/** Parses messages with postal-mime, and checks their bytes without a parser. */
import PostalMime from "postal-mime";
import { toBase64 } from "../../../src/lib/bytes.ts";
import type { ExpectedPart } from "./expected-mail.ts";

/** A parsed message. Header names are in lower case, values are unfolded and decoded by the parser. */
export interface ParsedMail {
  headers: [string, string][];
  subject: string;
  addresses: { [header: string]: { name: string; address: string }[] };
  tree: ExpectedPart;
}

interface Node {
  childNodes: Node[];
  contentType: { parsed: { value: string; params: Record<string, string> } };
  contentDisposition: { parsed: { value: string; params: Record<string, string> } };
  contentTransferEncoding: { encoding: string };
  contentId?: string;
  content: ArrayBuffer | null;
  headers: { key: string; value: string }[];
}

/** Returns the format errors of a message: line ends, line lengths, bytes above 127. */
export function formatIssues(message: Uint8Array, utf8Headers: boolean): string[] {
  const issues = new Set<string>();
  let body = false;
  let start = 0;
  for (let i = 0; i < message.length; i++) {
    const byte = message[i] ?? 0;
    if (byte === 13 && message[i + 1] !== 10) issues.add("bare CR");
    if (byte === 0) issues.add("NUL");
    if (byte > 127 && (body || !utf8Headers)) issues.add("8-bit");
    if (byte !== 10) continue;
    if (message[i - 1] !== 13) issues.add("bare LF");
    if (i - 1 - start > 998) issues.add("long line");
    if (i - 1 === start) body = true;
    start = i + 1;
  }
  if (start !== message.length) issues.add("unfinished line");
  return [...issues];
}

/** Parses a message with postal-mime. */
export async function readWithPostalMime(message: Uint8Array): Promise<ParsedMail> {
  const parser = new PostalMime({ rfc822Attachments: true });
  const email = await parser.parse(message);
  const root = (parser as unknown as { root: Node }).root;
  const addresses: ParsedMail["addresses"] = {};
  for (const key of ["from", "to", "cc", "replyTo"] as const) {
    const list = key === "from" ? [email.from] : (email[key] ?? []);
    addresses[key] = list.flatMap((a) => (a?.address ? [{ name: a.name ?? "", address: a.address }] : []));
  }
  return {
    headers: root.headers.map((h) => [h.key, h.value]),
    subject: email.subject ?? "",
    addresses,
    tree: toPart(root, true),
  };
}

function toPart(node: Node, isRoot = false): ExpectedPart {
  const type = node.contentType.parsed.value;
  if (type.startsWith("multipart/")) return { type, children: node.childNodes.map((child) => toPart(child)) };
  const bytes = new Uint8Array(node.content ?? new ArrayBuffer(0));
  const disposition = node.contentDisposition.parsed.value;
  if (disposition === "") {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    // postal-mime includes the line end before a boundary in the part, except for base64; RFC 2046 5.1.1 does not. A
    // single-part message ends its last line even if the text does not.
    const extra = isRoot || node.contentTransferEncoding.encoding !== "base64";
    return { type, text: lf(text).replace(extra ? /\n$/ : /$^/, "") };
  }
  const part = {
    type,
    bytes: toBase64(bytes),
    filename: node.contentDisposition.parsed.params.filename ?? "",
    disposition,
  };
  return node.contentId ? { ...part, contentId: node.contentId } : part;
}

function lf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** Removes U+FEFF, which postal-mime drops as a byte order mark at the start of each encoded-word. */
export function withoutBom<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll("\ufeff", "")) as T;
}

/** Removes U+FEFF from the file names of a part tree; see withoutBom. */
export function treeWithoutBom(part: ExpectedPart): ExpectedPart {
  if (part.children) return { ...part, children: part.children.map(treeWithoutBom) };
  return part.filename === undefined ? part : { ...part, filename: withoutBom(part.filename) };
}

/** Returns whether both arrays have the same bytes. */
export function equalBytes(one: Uint8Array, two: Uint8Array): boolean {
  return one.length === two.length && one.every((byte, i) => byte === two[i]);
}

/** Returns all bytes of a message or a body. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk.slice());
    size += chunk.length;
  }
  const out = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
