import { toBase64, toBase64Url } from "../../lib/bytes.ts";

const utf8 = new TextEncoder();

/** Replaces the package js-base64 for mimetext (wrangler.toml, alias). Both functions encode the UTF-8 of a text. */
export const Base64 = {
  encode: (text: string): string => toBase64(utf8.encode(text)),
  encodeURI: (text: string): string => toBase64Url(utf8.encode(text)),
};
