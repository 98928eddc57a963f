/** Random commands of IMAP: valid ones, such with wrong parts, and bytes that are no command. */

const ATOMS = [
  "INBOX",
  "Archive",
  "Work/../Work",
  "*",
  "%",
  "NIL",
  "&AOQ-",
  "&bad",
  "&AA0ACg-",
  "\\Seen",
  "$Fuzz",
  "1:*",
  "*:1",
  "0",
  "4294967296",
];
const STRINGS = [
  '""',
  '"a\\"b"',
  '"unclosed',
  "\xc3\xa4",
  "{3}\r\nabc",
  "{3+}\r\nabc",
  "{5+}\r\nab\r\n\0",
  "~{2+}\r\nab",
  "{0+}\r\n",
  "{9",
  '"\xc3\xa4\xff"',
  "{4+}\r\na\r\nb",
  "{3}\r\n\xff\0\n",
  "{70000}",
  "{4294967296}",
  "{9999999999+}",
];
const COMMANDS = [
  "NOOP",
  "LOGOUT",
  "CAPABILITY",
  "SELECT INBOX",
  "EXAMINE Archive",
  "SELECT @s",
  "CREATE @s",
  "DELETE @s",
  "RENAME @s @a",
  "SUBSCRIBE @s",
  'LIST "" @s',
  "LIST (@a) @s (@s @s) RETURN (STATUS (@a))",
  "LSUB @s @s",
  "STATUS @s (MESSAGES @a)",
  "APPEND INBOX (@a) {5+}\r\nhello",
  "APPEND @s {5+}\r\nhello",
  'APPEND INBOX "01-Jan-2026 00:00:00 +0000" {30+}\r\nSubject: fuzz\r\n\r\na text of it.',
  "FETCH @n (FLAGS UID ENVELOPE BODYSTRUCTURE)",
  "UID FETCH @n BODY.PEEK[@a]<@n.@n>",
  "FETCH @n BODY[1.@n.TEXT]",
  "FETCH @n BODY.PEEK[HEADER.FIELDS (@s @s)]",
  "UID FETCH @n (FLAGS) (CHANGEDSINCE @n)",
  "STORE @n +FLAGS (@a)",
  "UID STORE @n (UNCHANGEDSINCE @n) FLAGS.SILENT (@a @a)",
  "SEARCH @a @s",
  "SEARCH OR (NOT SUBJECT @s) (HEADER @s @s)",
  "UID SEARCH RETURN (ALL COUNT) CHARSET @s TEXT @s",
  "COPY @n @s",
  "UID MOVE @n Archive",
  "UID EXPUNGE @n",
  "EXPUNGE",
  "CLOSE",
  "ENABLE @a CONDSTORE",
  "GETQUOTAROOT @s",
  "ID (@s @s)",
  "IDLE\r\nDONE",
  "AUTHENTICATE PLAIN @s",
  "AUTHENTICATE PLAIN\r\n@b",
  "AUTHENTICATE PLAIN @b",
  "AUTHENTICATE @a @b",
  "ENABLE UTF8=ACCEPT",
  "STARTTLS",
  "SELECT INBOX (CONDSTORE)",
  "IDLE\r\n@l",
  "FETCH 1 (@m)",
  "UID FETCH * (@m)",
  "SEARCH RETURN (@r) @k",
  "UID SEARCH @k",
  "STORE @q +FLAGS.SILENT (\\Deleted)",
  "UID FETCH @q (FLAGS)",
  'LIST "" (@p) RETURN (STATUS (@t))',
  "LOGIN @s @s",
];

type Random = () => number;

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** Lines behind AUTHENTICATE: base64, right and broken. */
const BASE64 = [
  "",
  "=",
  "*",
  "AGEAYg==",
  "AGEAYg",
  "A",
  "AAAA====",
  "!!!",
  "\xff\xfe",
  "AGEAYg==\0",
  "YQ==".repeat(2_000),
];

/** Returns a text several times, as often as commands of no mail program have it. */
const manyOf = (text: string, separator: string, random: Random, most: number) =>
  Array(1 + Math.floor(random() * most))
    .fill(text)
    .join(separator);

/** Returns a condition of SEARCH within levels of parentheses, NOT and OR. */
function nested(random: Random): string {
  const levels = Math.floor(random() * 40);
  const [before, after] = pick(
    [
      ["(", ")"],
      ["NOT ", ""],
      ["OR ALL (", ")"],
      ["(((", ")))"],
      ["(", ""],
    ],
    random,
  ) as [string, string];
  return `${before.repeat(levels)}${pick(["ALL", "UNSEEN", "TEXT a", "1:*", "BEFORE 1-Jan-2026"], random)}${after.repeat(levels)}`;
}

/** Parts of commands that are long, deep, or repeat something. */
const LARGE: Readonly<Record<string, (random: Random) => string>> = {
  b: (random) => pick(BASE64, random),
  l: (random) => pick(["DONE", "done", "NOOP", "f NOOP", "DONE".repeat(100), "\0", "D\nDONE", ""], random),
  m: (random) =>
    pick(
      [
        manyOf("FLAGS", " ", random, 60),
        manyOf("BODY.PEEK[]<0.9>", " ", random, 60),
        `BODY.PEEK[${manyOf("1", ".", random, 120)}]`,
        `BODY.PEEK[HEADER.FIELDS (${manyOf("Subject", " ", random, 120)})]`,
        manyOf("(", "", random, 3_000),
        "BODY.PEEK[1.MIME] BODY[]<4294967295.4294967295> BODY.PEEK[TEXT]<0.0>",
      ],
      random,
    ),
  r: (random) => manyOf("ALL", " ", random, 10_000),
  t: (random) => manyOf("MESSAGES", " ", random, 5_000),
  p: (random) => manyOf(pick(['""', "%", "*%*", "a"], random), " ", random, 10_000),
  k: (random) =>
    pick([nested(random), manyOf("ALL", " ", random, 250), manyOf(nested(random), " ", random, 20)], random),
  q: (random) =>
    pick([manyOf("1:*", ",", random, 15_000), manyOf("4294967295:1", ",", random, 4_000), "9".repeat(5_000)], random),
};

function part(kind: string, random: Random): string {
  const large = LARGE[kind];
  if (large) return large(random);
  if (kind === "n")
    return pick(["1", "1:*", "*", "0", "1,2,3:5", "4294967295", "99999999999999999999", "-1", "1:"], random);
  return random() < 0.5 ? pick(ATOMS, random) : pick(STRINGS, random);
}

/** Returns a command with its tag and its CRLF, as one character for each byte. */
export function aCommand(random: Random): string {
  const kind = random();
  const bytes = (most: number) =>
    String.fromCharCode(...Array.from({ length: Math.floor(random() * most) }, () => Math.floor(random() * 256)));
  if (kind < 0.03) return `${bytes(200)}\r\n`;
  if (kind < 0.04) return `f SEARCH ${"(".repeat(Math.floor(random() * 3_000))}ALL\r\n`;
  if (kind < 0.05) return `f FETCH 1 (${"FLAGS ".repeat(Math.floor(random() * 2_000))})\r\n`;
  if (kind < 0.053) return `f SEARCH SUBJECT ${"x".repeat(Math.floor(random() * 90_000))}\r\n`;
  if (kind < 0.057) return `f APPEND INBOX {${Math.floor(random() * 1e10)}}\r\n`;
  const command = pick(COMMANDS, random).replace(/@([a-z])/g, (_, name: string) => part(name, random));
  const line = `f${Math.floor(random() * 1e6)} ${command}\r\n`;
  if (kind > 0.15) return line;
  const at = Math.floor(random() * line.length);
  return line.slice(0, at) + (random() < 0.5 ? bytes(4) : "") + line.slice(at + 1);
}
