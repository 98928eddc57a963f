const MEBI = 1024 * 1024;
const DAEMON = "From: MAILER-DAEMON@y.test\nSubject: failure notice\n";
export const MIXED = `${DAEMON}Content-Type: multipart/mixed; boundary=b\n\n`;
const REPORT = `${DAEMON}Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n`;
const times = (text: string, count: number) => text.repeat(count);
const full = (head: string, unit: string) => head + unit.repeat(Math.ceil((2 * MEBI) / unit.length));
export const nested = (depth: number) =>
  DAEMON +
  Array.from({ length: depth }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`).join("") +
  "\nyour message could not be delivered\n";
const enclosed = (depth: number) => DAEMON + times("Content-Type: message/rfc822\n\n", depth);
const STATUS = "--b\nContent-Type: message/delivery-status\n\n";
const QMAIL = `${DAEMON}\nHi. This is the qmail-send program at y.test.\n`;

/** Hostile messages by name: the parser of reports is linear in their length, and bounds what it keeps. */
export const REPORT_BOMBS: [name: string, mail: () => string][] = [
  ["100k parts", () => MIXED + times("--b\n\nx\n", 100_000)],
  ["100k parts, each the beginning of a part", () => MIXED + times("--b\n", 300_000)],
  ["200k header fields", () => times("X-A: b\n", 200_000)],
  ["200k header fields of one part", () => `${MIXED}--b\n${times("X-A: b\n", 200_000)}`],
  ["one header field of 2 MiB, folded", () => full("Subject: x", "\n y")],
  ["a header field of encoded words", () => full("Subject: ", "=?utf-8?q?=")],
  ["nested 2,000 deep", () => nested(2000)],
  ["message/rfc822 10,000 deep", () => enclosed(10_000)],
  ["a boundary of 1 MiB", () => `${DAEMON}Content-Type: multipart/mixed; boundary="${times("b", MEBI)}"\n\n--b\n\nx`],
  ["a charset of 1 MiB", () => `${DAEMON}Content-Type: text/plain; charset=${times("u", MEBI)}\n\nx`],
  ["parameters without end", () => full(`${DAEMON}Content-Type: multipart/mixed`, ';a="')],
  ["almost delimiters", () => full(MIXED, "--bb\n")],
  [
    "100k recipients in one block each",
    () => REPORT + STATUS + times("Final-Recipient: rfc822; a@y.test\n\n", 100_000),
  ],
  ["100k recipients in one block", () => REPORT + STATUS + times("Final-Recipient: rfc822; a@y.test\n", 100_000)],
  ["escapes in an address", () => full(`${REPORT}${STATUS}Final-Recipient: utf-8; `, "\\x{41}")],
  [
    "100k listed recipients",
    () => QMAIL + Array.from({ length: 100_000 }, (_, i) => `<a${i}@y.test>:\nfull\n`).join(""),
  ],
  ["a line of at signs", () => full(QMAIL, "@")],
  ["long words before at signs", () => full(QMAIL, `${times("a", 70)}@`)],
  ["lines that nearly list", () => full(QMAIL, `Name ${times("a ", 40)}(a@y.test\n`)],
  ["indents", () => full(QMAIL, `${times(" ", 900)}a@y.test x\n`)],
  ["digits and dots", () => full(QMAIL, "5.1.1.5 5.1.")],
  ["angle brackets in HTML", () => full(`${DAEMON}Content-Type: text/html\n\n`, "<")],
  ["unended tags in HTML", () => full(`${DAEMON}Content-Type: text/html\n\n`, "<p ")],
  ["unended style sheets", () => full(`${DAEMON}Content-Type: text/html\n\n`, "<style>")],
  ["many style sheets", () => full(`${DAEMON}Content-Type: text/html\n\n`, "<style></style>")],
  ["white space", () => full(DAEMON, " ")],
  ["CR only", () => full(DAEMON, "\r")],
  ["equals signs in quoted-printable", () => full(`${DAEMON}Content-Transfer-Encoding: quoted-printable\n\n`, "= ")],
  ["NULs", () => full("", "\0")],
];

/** 25 MiB of lines of base64 after each of these headers. */
export const LARGE_REPORTS: [name: string, raw: () => Uint8Array][] = ["", DAEMON, REPORT, MIXED].map((head) => [
  `25 MiB of base64 after ${JSON.stringify(head)}`,
  () => {
    const raw = new Uint8Array(25 * MEBI).fill(0x41);
    raw.set(new TextEncoder().encode(`${head}Content-Transfer-Encoding: base64\n\n`));
    for (let at = 500; at < raw.length; at += 77) raw[at] = 0x0a;
    return raw;
  },
]);
