/** Hostile messages of about `size` bytes, for tests and for the bench, and what must be said about each. */

const encode = (text: string) => new TextEncoder().encode(text);

/** Repeats a text up to a size. */
const fill = (text: string, size: number) => text.repeat(Math.max(1, Math.floor(size / text.length)));

const nested = (depth: number) => {
  const opening = Array.from(
    { length: depth },
    (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`,
  );
  return `${opening.join("")}Content-Type: text/plain\r\n\r\ndeep\r\n`;
};
const mixed = (body: string) => `Content-Type: multipart/mixed; boundary=x\r\n\r\n${body}`;
const as = (encoding: string, body: string) => `Content-Transfer-Encoding: ${encoding}\r\n\r\n${body}`;

const texts: Readonly<Record<string, readonly [message: (size: number) => string, problem: RegExp | null]>> = {
  "100,000 parts": [() => mixed(`${"--x\r\n\r\na\r\n".repeat(100_000)}--x--\r\n`), /more than 1000 parts/],
  "parts of one byte": [(size) => mixed(fill("--x\r\n\r\na\r\n", size)), /more than 1000 parts/],
  "1,000 levels of multiparts": [() => nested(1_000), /nested deeper/],
  "30 levels and lines of dashes": [(size) => `${nested(30)}${fill("--b\r\n", size)}`, null],
  "one header": [(size) => `X-A: ${fill("a", size)}\r\nSubject: late\r\n\r\nbody`, /header is larger/],
  "header fields": [(size) => `${fill("X-A: b\r\n", size)}\r\nbody`, /header is larger/],
  "a folded header": [(size) => `Subject: a${fill("\r\n a", size)}\r\n\r\nbody`, /header is larger/],
  "encoded-words in a subject": [(size) => `Subject: ${fill("=?utf-8?q?a?= ", size)}\r\n\r\nbody`, /header is larger/],
  "one encoded-word": [(size) => `Subject: =?utf-8?b?${fill("QUJD", size)}?=\r\n\r\nbody`, /header is larger/],
  CR: [(size) => fill("\r", size), null],
  LF: [(size) => `Subject: a\n\n${fill("\n", size)}`, null],
  "LF inside a multipart": [(size) => mixed(`--x\r\n\r\n${fill("\n", size)}`), null],
  "dashes inside a multipart": [(size) => mixed(`--x\r\n\r\n${fill("--\n", size)}`), null],
  "dashes in a header": [(size) => `X-A: b\r\n${fill("--\n", size)}\r\nbody`, /header is larger/],
  "CR inside a multipart": [(size) => mixed(`--x\r\n\r\n${fill("\r", size)}`), null],
  "a long boundary": [
    (size) =>
      `Content-Type: multipart/mixed; boundary="${"b".repeat(60_000)}"\r\n\r\n${fill(`--${"b".repeat(50)}\r\n`, size)}`,
    null,
  ],
  "10,000 recipients": [() => `To: ${"a@b.example, ".repeat(10_000)}\r\n\r\nbody`, null],
  "nested groups and comments": [() => `To: ${"a:(".repeat(30_000)}\r\nFrom: ${"(".repeat(60_000)}\r\n\r\nbody`, null],
  "5,000 continued parameters": [
    () => `Content-Type: text/plain; ${Array.from({ length: 5_000 }, (_, i) => `name*${i}=a`).join("; ")}\r\n\r\nbody`,
    null,
  ],
  "equals signs in quoted-printable": [(size) => as("quoted-printable", fill("=", size)), null],
  "soft line breaks in quoted-printable": [(size) => as("quoted-printable", fill("=\r\n", size)), null],
  "one line of base64": [(size) => as("base64", fill("QUJD", size)), null],
  "open tags": [(size) => `Content-Type: text/html\r\n\r\n${fill("<a ", size)}`, null],
  "a long charset": [() => `Content-Type: text/plain; charset="${"x".repeat(7_000)}"\r\n\r\nbody`, null],
  "enclosed messages in each other": [(size) => fill("Content-Type: message/rfc822\r\n\r\n", size), null],
};

/** A hostile message, and what is said about it: null when all of it is read. */
export interface BombMessage {
  name: string;
  make(size: number): Uint8Array;
  problem: RegExp | null;
}

export const bombMessages: readonly BombMessage[] = Object.entries(texts).map(([name, [make, problem]]) => ({
  name,
  make: (size) => encode(make(size)).subarray(0, Math.max(size, 2_000_000)),
  problem,
}));
