/** Commands of SMTP by a grammar, mixed with broken ones, for tests of the gateway. */

/** Returns a number from 0 up to 1. */
type Random = () => number;

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

const LOCALS = [
  "hello",
  "nobody",
  "a",
  '"a b"',
  '"a\\"b"',
  "..",
  "a..b",
  "x".repeat(70),
  "",
  "müller",
  "=?utf-8?q?x?=",
  "%s%n",
];
const DOMAINS = [
  "gateway.test",
  "example.org",
  "[127.0.0.1]",
  "[IPv6:::1]",
  "-",
  "a".repeat(300),
  "bücher.example",
  "",
  "x@y",
  "GATEWAY.TEST.",
];
const PARAMETERS = [
  "",
  "",
  "",
  " SIZE=1",
  " SIZE=99999999999999999999",
  " BODY=8BITMIME",
  " SMTPUTF8",
  " AUTH=<>",
  " X=Y",
  " SIZE=",
  " RET=FULL ENVID=x",
  " NOTIFY=NEVER",
];

function address(random: Random): string {
  const text = `${pick(random, LOCALS)}@${pick(random, DOMAINS)}`;
  return pick(random, [
    `<${text}>`,
    `<${text}>`,
    text,
    "<>",
    `<${text}`,
    `<@a,@b:${text}>`,
    `<${text}>>`,
    " ",
    "<\x01>",
  ]);
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Returns commands up to a message, and its first lines, which differ: an equal message of another connection is the same email. */
const toMessage = (random: Random) =>
  `RSET\r\nMAIL FROM:<hello@gateway.test>\r\nRCPT TO:<hello@gateway.test>\r\nDATA\r\nFrom: hello@gateway.test\r\nSubject: ${random()}\r\n\r\n`;
/** Lines of a message: dots, stuffed and not, 8-bit bytes, and long ones. */
const LINES = [
  "",
  "..",
  "...",
  ".x",
  "..\r\n..",
  ". ",
  "\xff\xfe",
  "From nobody",
  "x".repeat(70_000),
  ".".repeat(3_000),
];
/** Ends of a message that are none. */
const ENDS = ["\n.\n", "\r.\r", "\r\n.\n", "\n.\r\n", "\r\r\n.\r\n", "\0", "\r\n.\0\r\n", "..\r\n", "x"];

const GRAMMAR: readonly ((random: Random) => string)[] = [
  (random) => `EHLO ${pick(random, [...DOMAINS, "a b", "\x7f"])}`,
  (random) => `HELO ${pick(random, DOMAINS)}`,
  (random) => `MAIL FROM:${address(random)}${pick(random, PARAMETERS)}`,
  (random) => `RCPT TO:${address(random)}${pick(random, PARAMETERS)}`,
  (random) => `mail from: ${address(random)}`,
  () => "EHLO fuzz.example",
  () => "MAIL FROM:<hello@gateway.test>",
  () => "RSET\r\nMAIL FROM:<hello@gateway.test> BODY=8BITMIME\r\nRCPT TO:<hello@gateway.test>",
  (random) =>
    `RSET\r\nMAIL FROM:<hello@gateway.test>\r\nRCPT TO:<hello@gateway.test>\r\nDATA\r\nFrom: hello@gateway.test\r\n\r\n${random()}\r\n.`,
  (random) => pick(random, ["DATA", "DATA x", "BDAT 10", "BDAT 0 LAST", "BDAT -1", "BDAT 3 LAST\r\nabc"]),
  (random) => `${toMessage(random)}${pick(random, LINES)}\r\n${pick(random, LINES)}\r\n.`,
  (random) => `${toMessage(random)}${pick(random, ENDS)}${pick(random, ENDS)}\r\n.`,
  (random) => pick(random, [".", "..", ".x", "Subject: x", "From: hello@gateway.test", ""]),
  (random) =>
    pick(random, ["RSET", "NOOP", "NOOP x", "VRFY a", "EXPN b", "HELP", "TURN", "ETRN x", "XCLIENT A=B", "QUIT"]),
  (random) =>
    pick(random, [
      "AUTH PLAIN",
      "AUTH LOGIN",
      "AUTH",
      "AUTH CRAM-MD5",
      "*",
      `AUTH PLAIN ${base64("\0a\0b")}`,
      `AUTH LOGIN ${base64("a")}`,
      base64("x"),
      "AUTH PLAIN ====",
      "AUTH XOAUTH2 e30=",
      "AUTH PLAIN \xff\xfe",
      `AUTH PLAIN\r\n${base64(`\0${"a".repeat(500)}\0b`)}`,
      `AUTH PLAIN ${base64(`\0a\0${"b".repeat(2_000)}`)}`,
      `AUTH LOGIN\r\n${base64("a")}\r\n!!!`,
      "AUTH LOGIN\r\n=\r\n=",
    ]),
  (random) => pick(random, ["STARTTLS", "STARTTLS x", "GET / HTTP/1.1", "LHLO a", "PROXY TCP4 1.1.1.1 2.2.2.2 1 2"]),
  (random) => Array.from({ length: Math.floor(random() * 40) }, () => String.fromCharCode(random() * 256)).join(""),
  (random) => "A".repeat(Math.floor(random() * 6_000)),
];

/** Returns a command with its line end, which is sometimes another than CRLF. */
export function aCommand(random: Random): string {
  const end = random() < 0.985 ? "\r\n" : pick(random, ["\n", "\r", "\0\r\n", "\r\r\n", "", "\n\r\n"]);
  let line = pick(random, GRAMMAR)(random);
  if (random() < 0.05) {
    const at = Math.floor(random() * line.length);
    line = line.slice(0, at) + String.fromCharCode(random() * 256) + line.slice(at + 1);
  }
  // A random CR or LF inside a line is an issue that ends the connection: mostly left out, so that others are reached.
  return (random() < 0.9 ? line.replace(/\r(?!\n)|(?<!\r)\n|\0/g, "?") : line) + end;
}

/** Cuts bytes into pieces of random sizes. */
export function inPieces(bytes: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + Math.floor(random() * random() * 2_000);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}
