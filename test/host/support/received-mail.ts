/** Real-looking and malformed messages for the comparison with Python's email, from a seed. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { createMimeMessage } from "mimetext/node";
import MailComposer from "nodemailer/lib/mail-composer/index.js";

export interface ReceivedMail {
  /** Who made it, and which number it has. */
  name: string;
  raw: Uint8Array;
}

/** Returns pseudo-random numbers in [0, 1) from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Random = () => number;
const pick = <Value>(random: Random, list: readonly Value[]) => list[Math.floor(random() * list.length)] as Value;
const times = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, n) => make(n));

const SUBJECTS = [
  "Your receipt",
  "Größe und Straße",
  "日本語の件名です。とても長いので折り返されます。".repeat(3),
  "Re: Fwd: [list] a  b",
  '50% off! "quotes" (and comments)',
  "😀 emoji",
  "x".repeat(300),
  "",
];
const NAMES = ["Ada Lovelace", "Müller, Jörg", 'The "Best" (Shop)', "山田太郎", "", "a@b inside"];
const address = (random: Random) => ({
  name: pick(random, NAMES),
  address: `user${Math.floor(random() * 99)}@${pick(random, ["example.org", "mail.example.com"])}`,
});

async function byNodemailer(random: Random): Promise<Uint8Array> {
  const composer = new MailComposer({
    from: address(random),
    to: times(1 + Math.floor(random() * 5), () => address(random)),
    cc: times(Math.floor(random() * 3), () => address(random)),
    subject: pick(random, SUBJECTS),
    text: random() < 0.8 ? `Text ${pick(random, SUBJECTS)}` : undefined,
    html: random() < 0.6 ? "<p>Hello <img src='cid:a@b'></p>" : undefined,
    textEncoding: pick(random, ["base64", "quoted-printable"] as const),
    attachments: times(Math.floor(random() * 4), (n) => ({
      filename: pick(random, ["a.pdf", "Ünï cödé.txt", "日本.csv", "x".repeat(150)]),
      content: Buffer.from(`content ${n}`),
      cid: random() < 0.3 ? `a${n}@b` : undefined,
    })),
    icalEvent: random() < 0.15 ? { method: "REQUEST", content: "BEGIN:VCALENDAR\r\nEND:VCALENDAR" } : undefined,
    newline: pick(random, ["windows", "unix"]),
  } as ConstructorParameters<typeof MailComposer>[0]);
  return composer.compile().build();
}

function byMimetext(random: Random): Uint8Array {
  const message = createMimeMessage();
  message.setSender({ name: pick(random, NAMES) || "Ada", addr: "ada@example.org" });
  message.setRecipients(
    times(1 + Math.floor(random() * 3), (n) => ({ addr: `u${n}@example.org`, name: pick(random, NAMES) })),
  );
  if (random() < 0.4) message.setCc("cc@example.org");
  message.setSubject(pick(random, SUBJECTS) || "a");
  message.addMessage({ contentType: "text/plain", data: "Text" });
  if (random() < 0.6) message.addMessage({ contentType: "text/html", data: "<b>Text</b>" });
  for (let n = Math.floor(random() * 3); n > 0; n--)
    message.addAttachment({ filename: `f${n}.bin`, contentType: "application/octet-stream", data: "QUJD" });
  return new TextEncoder().encode(message.asRaw());
}

const ENDS = ["\r\n", "\n"];
const FIELDS = [
  "Subject: plain",
  "Subject: =?utf-8?Q?Gr=C3=B6=C3=9Fe?= =?utf-8?B?w7xiZXI=?=",
  "Subject: =?iso-8859-1?Q?caf=E9?= and =?windows-1252?Q?=80?=",
  "Subject:no space",
  "Subject: folded\r\n  twice\r\n\tthrice",
  "Subject: Rohe Umlaute äöü",
  "Subject: =?utf-8?Q?open",
  "Subject: =?utf-8?B?!!!?=",
  "SUBJECT: upper case",
  "Subject: =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=",
  "Subject: =?utf-8?Q?split_=F0=9F?= =?utf-8?Q?=98=80?=",
];
/** Forms that programs read in different ways. */
const SELDOM_FIELDS = ["Subject : space before the colon", "Subject: (a comment) =?us-ascii?q?x?=y"];
const SENDERS = [
  "From: ada@example.org",
  'From: "Lovelace, Ada" <ada@example.org>',
  "From: Ada (at home) <ada@example.org>",
  "From: =?utf-8?Q?J=C3=B6rg?= <jorg@example.org>",
  "From: <ada@example.org>",
  "From: ada@example.org (Ada)",
  'From: "a\\"b" <ada@example.org>',
  "From: Ada Lovelace\r\n <ada@example.org>",
  "From: ada@example.org, bob@example.org",
  "X-None: here",
];
const RECIPIENTS = [
  "To: a@example.org, b@example.org",
  "To: a@example.org,\r\n\tB <b@example.org>",
  "To: undisclosed-recipients:;",
  "To: Team: a@example.org, B <b@example.org>;, c@example.org",
  'To: "c, d" <c@example.org>; d@example.org',
  "To: ",
  "To: =?utf-8?B?w7w=?= <u@example.org>",
  "Cc: only@example.org",
];
const BODIES: readonly [string, string][] = [
  ["Content-Type: text/plain; charset=utf-8", "Text\r\n"],
  ['Content-Type: text/html; charset="iso-8859-1"\r\nContent-Transfer-Encoding: quoted-printable', "<p>caf=E9</p>"],
  [
    "Content-Type: multipart/mixed; boundary=b",
    "pre\r\n--b\r\n\r\none\r\n--b\r\nContent-Type: image/png\r\n\r\nx\r\n--b--\r\nepi",
  ],
  [
    'Content-Type: multipart/alternative;\r\n boundary="=_x y"',
    "--=_x y\r\n\r\none\r\n--=_x y\r\nContent-Type: text/html\r\n\r\n<p>\r\n--=_x y--\r\n",
  ],
  [
    "Content-Type: multipart/mixed; boundary=b",
    "--b\r\nContent-Type: multipart/related; boundary=c\r\n\r\n--c\r\n\r\nx\r\n--c\r\n\r\ny\r\n--c--\r\n--b\r\n\r\nz\r\n--b--",
  ],
  ["Content-Type: multipart/mixed; boundary=b", "--b\r\n\r\nno end"],
  [
    "Content-Type: multipart/mixed; boundary=b",
    "--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: in\r\n\r\nx\r\n--b--",
  ],
  [
    "Content-Type: multipart/report; report-type=delivery-status; boundary=b",
    "--b\r\n\r\nx\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\nAction: failed\r\n--b--",
  ],
  ["Content-Type: multipart/mixed", "no boundary\r\n"],
  ["Content-Type: nonsense", "x"],
  ["Content-Type: text/plain; name=a.txt; name*=utf-8''b", "x"],
  ["X-No-Type: 1", "From the start\r\n"],
  ["Content-Type: multipart/mixed; boundary=b", "--b--\r\n"],
  [
    "Content-Type: multipart/digest; boundary=b",
    "--b\r\n\r\nSubject: a\r\n\r\nx\r\n--b\r\n\r\nSubject: b\r\n\r\ny\r\n--b--",
  ],
];

function byHand(random: Random): Uint8Array {
  const [type, body] = pick(random, BODIES);
  const fields = [
    ...(random() < 0.2 ? ["Received: from a by b; Sat, 21 Nov 2026 14:00:00 +0000"] : []),
    pick(random, SENDERS),
    pick(random, RECIPIENTS),
    pick(random, random() < 0.04 ? SELDOM_FIELDS : FIELDS),
    "Date: Sat, 21 Nov 2026 14:00:00 +0000",
    "MIME-Version: 1.0",
    type,
  ];
  const text = `${fields.join("\r\n")}\r\n\r\n${body}`.replaceAll("\r\n", pick(random, ENDS));
  if (random() < 0.1) return Uint8Array.from(text, (char) => (char.charCodeAt(0) < 256 ? char.charCodeAt(0) : 63));
  return new TextEncoder().encode(text);
}

function byPython(seed: number, count: number): Uint8Array[] {
  const script = path.join(import.meta.dirname, "read_mail.py");
  const { stdout, stderr, status } = spawnSync("python3", [script, "write", `${seed}`, `${count}`], {
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(String(stderr));
  const lines = String(stdout).trimEnd().split("\n");
  return lines.filter((line) => line !== "").map((line) => Buffer.from(line, "base64"));
}

/** Returns messages of all makers, `count` of each. */
export async function receivedMail(seed: number, count: number): Promise<ReceivedMail[]> {
  const random = randomFrom(seed);
  const made: ReceivedMail[] = [];
  for (let n = 0; n < count; n++) {
    made.push({ name: `nodemailer ${n}`, raw: await byNodemailer(random) });
    made.push({ name: `mimetext ${n}`, raw: byMimetext(random) });
    made.push({ name: `by hand ${n}`, raw: byHand(random) });
  }
  for (const [n, raw] of byPython(seed, count).entries()) made.push({ name: `Python ${n}`, raw });
  return made;
}
