/**
 * Base64 as the API accepts it, strictly by RFC 4648 section 4: standard alphabet, padding required, no white space or
 * line breaks (3.3), unused bits zero (3.5), so that one content has one encoding. The URL-safe alphabet and `data:`
 * prefixes are refused. Empty text is empty content.
 */

import { Base64Decoder } from "./json-extract/base64.ts";

/** Decodes a text. Returns null when it is not valid base64 by the rules above. */
export function decodeBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const decoder = new Base64Decoder((text.length / 4) * 3 - padding);
  const bytes = new TextEncoder().encode(text);
  for (let at = decoder.decodeGroups(bytes, 0); at < bytes.length; at++) {
    if (!decoder.decodeCharacter(bytes[at] as number)) return null;
  }
  return decoder.isComplete ? decoder.bytes : null;
}
