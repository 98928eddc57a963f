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
];
const COMMANDS = [
  "NOOP",
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
  "LOGIN @s @s",
];

type Random = () => number;

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

function part(kind: string, random: Random): string {
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
  if (kind < 0.055) return `f APPEND INBOX {${Math.floor(random() * 1e10)}}\r\n`;
  const command = pick(COMMANDS, random).replace(/@([sna])/g, (_, name: string) => part(name, random));
  const line = `f${Math.floor(random() * 1e6)} ${command}\r\n`;
  if (kind > 0.15) return line;
  const at = Math.floor(random() * line.length);
  return line.slice(0, at) + (random() < 0.5 ? bytes(4) : "") + line.slice(at + 1);
}
