/** Bytes of one string of a TXT record (RFC 1035 3.3). */
const STRING_BYTES = 255;

/** Returns an ASCII value as quoted strings of at most 255 bytes, as the DNS API takes it (RFC 1035 5.1). Pure. */
export function toQuotedStrings(value: string): string {
  const strings = value.match(new RegExp(`.{1,${STRING_BYTES}}`, "gs")) ?? [""];
  return strings.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join(" ");
}

/** Returns the value of quoted strings; text without quotes, as older records have it, is the value itself. Pure. */
export function fromQuotedStrings(content: string): string {
  const strings = content.match(/"(?:[^"\\]|\\.)*"/gs);
  if (!strings || !content.startsWith('"')) return content;
  return strings.map((text) => text.slice(1, -1).replace(/\\(.)/gs, "$1")).join("");
}
