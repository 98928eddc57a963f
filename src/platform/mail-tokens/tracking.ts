/**
 * Tokens of tracking pixels and links, in base64url. The payload of a link's token is its target, so a link redirects
 * without a lookup. The first 44 characters identify the email and, through the MAC, the target.
 */

import { fromBase64Url, toBase64Url, utf8 } from "../../lib/bytes.ts";
import type { RootKey } from "../../lib/derive-key.ts";
import { isWebUrl } from "../../lib/web-url.ts";
import { headBytes, type MailReference, readToken, signToken, type TokenFormat } from "./codec.ts";

/** A link's target, and the email that contains the link. */
export interface TrackedLink extends MailReference {
  url: string;
}

export type HitKind = "open" | "click";

/** Longest target of a tracking link, in bytes: base64 adds a third, and Cloudflare's edge takes URLs of 16 KB. */
export const MAX_TARGET_BYTES = 8000;

const formatOf = (purpose: string): TokenFormat => ({
  purpose,
  recipientBytes: 1,
  encode: toBase64Url,
  decode: fromBase64Url,
});

const FORMATS: Record<HitKind, TokenFormat> = { open: formatOf("track-open"), click: formatOf("track-click") };
const HEAD_CHARACTERS = (headBytes(FORMATS.click) * 4) / 3;
const MAX_CHARACTERS = HEAD_CHARACTERS + Math.ceil((MAX_TARGET_BYTES * 4) / 3);

/** Returns the part of a token that two tokens share exactly when their email and target are equal. */
export const tokenName = (token: string) => token.slice(0, HEAD_CHARACTERS);

/** Returns the token of a pixel. The same reference gives the same token. */
export function newOpenToken(roots: readonly RootKey[], mail: MailReference): Promise<string> {
  return signToken(roots, FORMATS.open, mail);
}

/** Returns the token of a link. The same reference and target give the same token. */
export function newClickToken(roots: readonly RootKey[], link: TrackedLink): Promise<string> {
  return signToken(roots, FORMATS.click, link, utf8(link.url));
}

/** Reads a pixel's token. Returns null when this service did not sign it. */
export async function readOpenToken(roots: readonly RootKey[], token: string): Promise<MailReference | null> {
  const read = await readBounded(roots, "open", token);
  return read?.payload.length === 0 ? read.reference : null;
}

/** Reads a link's token. Returns null when this service did not sign it, or when the target is no web address. */
export async function readClickToken(roots: readonly RootKey[], token: string): Promise<TrackedLink | null> {
  const read = await readBounded(roots, "click", token);
  if (!read) return null;
  // ignoreBOM: without it the decoder drops a byte order mark that belongs to the target.
  const url = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(read.payload);
  return isWebUrl(url) ? { ...read.reference, url } : null;
}

async function readBounded(roots: readonly RootKey[], kind: HitKind, token: string) {
  return token.length > MAX_CHARACTERS ? null : readToken(roots, FORMATS[kind], token);
}
