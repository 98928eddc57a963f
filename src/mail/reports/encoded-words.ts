import { decodeHeader } from "./fields.ts";

const WORD = /=\?([^?\s*]{1,40})(?:\*[^?\s]{0,20})?\?([bq])\?([^?\s]*)\?=/gi;

/** Text of a field with its encoded words (RFC 2047) read. What is malformed stays as it is. */
export function decodeWords(value: string): string {
  return value.replace(/\?=\s+=\?/g, "?==?").replace(WORD, (whole, charset: string, encoding: string, text: string) => {
    try {
      const octets = encoding.toLowerCase() === "b" ? binary(atob(text)) : fromQ(text);
      return /^(?:utf-8|us-ascii)$/i.test(charset) ? decodeHeader(octets) : new TextDecoder(charset).decode(octets);
    } catch {
      return whole;
    }
  });
}

const binary = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

const fromQ = (text: string) =>
  binary(
    text
      .replaceAll("_", " ")
      .replace(/=([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  );
