/** Transcripts of mail programs: each row says which section of the RFCs it shows. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayRig, startRig } from "./support/gateway-rig.ts";
import { ImapClient } from "./support/imap-client.ts";

const PASSWORD = "correct horse battery staple";
let rig: GatewayRig;

beforeAll(async () => {
  rig = await startRig("imap-programs.test", {}, { imap: [{ port: 0, isImplicitTls: true }] });
  await rig.api("PUT", `/v1/mailboxes/${rig.seed.mailboxId}/password`, { password: PASSWORD });
}, 120_000);
afterAll(async () => {
  await rig?.close();
});

/** The client, its command, and the responses: the untagged ones as they are, and how the tagged one begins. `$F`: a folder of the row. */
type Step = readonly [client: 1 | 2, command: string, ...responses: string[]];

interface Row {
  section: string;
  shows: string;
  /** Messages of the folder that both clients have selected, with line breaks of LF. */
  messages?: readonly string[];
  steps: readonly Step[];
}

const headers = (...lines: string[]) => `${lines.join("\n")}\n\ntext\n`;
const four = ["one", "two", "three", "four"].map((subject) => headers(`Subject: ${subject}`));
const attached = (fields: string, content: string) =>
  `Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n${fields}\n${content}\n--b--\n`;
const LUNCH = headers("From: Ann <ann@example.org>", "Subject: Lunch", "Date: Mon, 3 Feb 2025 18:28:47 +0000");
const literal = (text: string) => `{${Buffer.byteLength(text)}+}\r\n${Buffer.from(text, "utf8").toString("latin1")}`;
const crlf = (text: string) => text.replaceAll("\n", "\r\n");
const append = (date: string) => `APPEND "$F" (\\Seen) "${date}" ${literal(crlf(LUNCH))}`;

const NOTHING_KNOWN = '(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL) ("text" "plain" ("charset" "us-ascii") NIL NIL';

const rows: readonly Row[] = [
  {
    section: "RFC 3501 7.4.2",
    shows:
      "BODYSTRUCTURE of a message/rfc822 that is encoded has an envelope, a body and lines, and its text is the encoded one",
    messages: [attached("Content-Transfer-Encoding: base64\n", "U3ViamVjdDogeA0KDQp0ZXh0DQo=")],
    steps: [
      [
        1,
        "FETCH 1 BODY",
        `* 1 FETCH (BODY (("message" "rfc822" NIL NIL NIL "base64" 28 ${NOTHING_KNOWN} "base64" 28 0) 0) "mixed"))`,
        "OK",
      ],
      [1, "FETCH 1 BODY.PEEK[1.1]", "* 1 FETCH (BODY[1.1] {28}\r\nU3ViamVjdDogeA0KDQp0ZXh0DQo=)", "OK"],
      [1, "FETCH 1 BODY.PEEK[1.HEADER]", "* 1 FETCH (BODY[1.HEADER] {0}\r\n)", "OK"],
    ],
  },
  {
    section: "RFC 3501 6.4.4",
    shows: "SENTON, SENTBEFORE and SENTSINCE use the date as it is written, without time and zone",
    messages: [
      headers("Date: Sun, 25 Mar 2007 00:30:00 +0200"),
      headers("Date: 24 Mar 2007 23:30:00 -0700 (a comment)"),
      headers("Date: Sat, 24 Mar 07", "Subject: no time"),
    ],
    steps: [
      [1, "SEARCH SENTON 25-Mar-2007", "* SEARCH 1", "OK"],
      [1, "SEARCH SENTON 24-Mar-2007", "* SEARCH 2 3", "OK"],
      [1, 'SEARCH SENTBEFORE "25-Mar-2007"', "* SEARCH 2 3", "OK"],
      [1, "SEARCH SENTSINCE 25-Mar-2007", "* SEARCH 1", "OK"],
      [1, "SEARCH NOT SENTSINCE 24-Mar-2007", "* SEARCH", "OK"],
    ],
  },
  {
    section: "RFC 2180 4.4.1",
    shows:
      "COPY and MOVE by number of a message that another client has expunged say NO and change nothing; by UID it is left out",
    messages: four,
    steps: [
      [1, 'CREATE "$F target"', "OK"],
      [1, "STORE 2 +FLAGS.SILENT (\\Deleted)", "OK"],
      [1, "EXPUNGE", "* 2 EXPUNGE", "OK"],
      [2, 'COPY 1:3 "$F target"', "NO [EXPUNGEISSUED]"],
      [2, 'MOVE 1:3 "$F target"', "NO [EXPUNGEISSUED]"],
      [1, 'STATUS "$F target" (MESSAGES)', '* STATUS "$F target" (MESSAGES 0)', "OK"],
      [1, 'STATUS "$F" (MESSAGES)', '* STATUS "$F" (MESSAGES 3)', "OK"],
      [2, "UID COPY 1:2 INBOX", "* 2 EXPUNGE", "OK [COPYUID"],
    ],
  },
  {
    section: "RFC 3501 6.3.11",
    shows: "APPEND takes a day of one digit as phones write it, and keeps it as INTERNALDATE",
    steps: [
      [1, append("3-Feb-2025 18:28:47 +0000"), "* 1 EXISTS", "* 0 RECENT", "OK [APPENDUID"],
      [1, append(" 3-Feb-2025 18:28:47 +0200"), "* 2 EXISTS", "* 0 RECENT", "OK [APPENDUID"],
      [1, append("31-Dec-1969 23:00:00 +0000"), "* 3 EXISTS", "* 0 RECENT", "OK [APPENDUID"],
      [1, append("31-Dec-9999 23:59:59 -1200"), "* 4 EXISTS", "* 0 RECENT", "OK [APPENDUID"],
      [
        1,
        "FETCH 1:* INTERNALDATE",
        '* 1 FETCH (INTERNALDATE " 3-Feb-2025 18:28:47 +0000")',
        '* 2 FETCH (INTERNALDATE " 3-Feb-2025 16:28:47 +0000")',
        '* 3 FETCH (INTERNALDATE " 1-Jan-1970 00:00:00 +0000")',
        '* 4 FETCH (INTERNALDATE "31-Dec-9999 23:59:59 +0000")',
        "OK",
      ],
      [1, append("30-Feb-2025 18:28:47 +0000"), "BAD"],
    ],
  },
  {
    section: "RFC 3501 5.1",
    shows: "folder names have quotes, percent and the joiners of Persian and of emoji",
    steps: [
      [1, 'CREATE "$F \\"new\\" 100%"', "OK"],
      [1, 'CREATE "$F/&BkUGzCAMBjEGSAZF-"', "OK"],
      [1, 'CREATE "$F/&2D3caSAN2D3cZyAN2D3cZg-"', "OK"],
      [1, 'STATUS "$F \\"new\\" 100%" (MESSAGES)', '* STATUS "$F \\"new\\" 100%" (MESSAGES 0)', "OK"],
      [
        1,
        'LIST "$F/" "*"',
        '* LIST (\\HasNoChildren) "/" "$F/&BkUGzCAMBjEGSAZF-"',
        '* LIST (\\HasNoChildren) "/" "$F/&2D3caSAN2D3cZyAN2D3cZg-"',
        "OK",
      ],
      [1, 'CREATE "$F*"', "NO [CANNOT]"],
      [1, 'CREATE "$F &IA4-"', "NO [CANNOT]"],
    ],
  },
  {
    section: "RFC 3501 5.1.3",
    shows: "a name that is no modified UTF-7 exists nowhere: NO, not a broken command",
    steps: [
      [1, "STATUS &Jjo (MESSAGES)", "NO [CANNOT]"],
      [1, "CREATE a&b", "NO [CANNOT]"],
      [1, 'LIST "" &AGE-', "NO [CANNOT]"],
      [1, `STATUS ${literal("ü")} (MESSAGES)`, "NO [CANNOT]"],
      [1, "STATUS &AAo- (MESSAGES)", "NO [CANNOT]"],
    ],
  },
  {
    section: "RFC 3501 4.3.1",
    shows: "no literal has a NUL: one of a command is refused, and one of a stored message is read as 0x80",
    messages: ["Subject: x\n\na\0b\n"],
    steps: [
      [1, `STATUS ${literal("a\0b")} (MESSAGES)`, "BAD"],
      [1, "FETCH 1 BODY.PEEK[TEXT]", "* 1 FETCH (BODY[TEXT] {5}\r\na\x80b\r\n)", "OK"],
      [1, "FETCH 1 BODY.PEEK[TEXT]<1.2>", "* 1 FETCH (BODY[TEXT]<1> {2}\r\n\x80b)", "OK"],
    ],
  },
  {
    section: "RFC 3501 6.4.4",
    shows: "SEARCH finds every address of a field, group names and addresses with comments",
    messages: [
      headers("From: one@example.org, Two <two@example.org>", "Cc: third@example.org"),
      headers("From: <three (c)@ (c) example.org>", "To: team: four@example.org,\n five@example.org;"),
      headers("From: six@example.org (Six)", "To: one@example.net", "To: seven@example.net"),
    ],
    steps: [
      [1, "SEARCH FROM two@example.org", "* SEARCH 1", "OK"],
      [1, "SEARCH FROM three@example.org", "* SEARCH 2", "OK"],
      [1, "SEARCH FROM six", "* SEARCH 3", "OK"],
      [1, "SEARCH TO team", "* SEARCH 2", "OK"],
      [1, "SEARCH TO five", "* SEARCH 2", "OK"],
      [1, "SEARCH TO seven", "* SEARCH 3", "OK"],
      [1, "SEARCH CC third", "* SEARCH 1", "OK"],
      [1, "SEARCH FROM four", "* SEARCH", "OK"],
    ],
  },
  {
    section: "RFC 3501 6.4.4",
    shows: "HEADER with an empty text finds the messages that have the field, an empty one too",
    messages: [
      headers("Subject:", "X-Tag: one\n two"),
      headers("From: a@example.org", "X-Tag:"),
      headers("To:", "X-Tag: a", "X-Tag: b"),
    ],
    steps: [
      [1, 'SEARCH HEADER Subject ""', "* SEARCH 1", "OK"],
      [1, 'SEARCH NOT HEADER Subject ""', "* SEARCH 2 3", "OK"],
      [1, 'SEARCH HEADER From ""', "* SEARCH 2", "OK"],
      [1, 'SEARCH HEADER To ""', "* SEARCH 3", "OK"],
      [1, 'SEARCH HEADER X-Tag ""', "* SEARCH 1 2 3", "OK"],
      [1, 'SEARCH HEADER X-Tag "one two"', "* SEARCH 1", "OK"],
      [1, "SEARCH HEADER X-Tag b", "* SEARCH 3", "OK"],
      [1, "SEARCH HEADER X-Tag Tag", "* SEARCH", "OK"],
    ],
  },
  {
    section: "RFC 3501 6.4.8",
    shows: "SEARCH of numbers and of UIDs means what is there, around the gaps of expunged messages",
    messages: [...four, ...four.slice(0, 2)],
    steps: [
      [1, "STORE 2 +FLAGS.SILENT (\\Deleted)", "OK"],
      [1, "EXPUNGE", "* 2 EXPUNGE", "OK"],
      [1, "SEARCH 1:3,5", "* SEARCH 1 2 3 5", "OK"],
      [1, "SEARCH UID 1:3,5", "* SEARCH 1 2 4", "OK"],
      [1, "SEARCH UID 4:2", "* SEARCH 2 3", "OK"],
      [1, "SEARCH 1:3 NOT UID 3", "* SEARCH 1 3", "OK"],
      [1, "SEARCH NOT 2,4", "* SEARCH 1 3 5", "OK"],
      [1, "SEARCH OR 1 UID 3", "* SEARCH 1 2", "OK"],
      [1, "SEARCH UID 2", "* SEARCH", "OK"],
      [1, "SEARCH UID 9:*", "* SEARCH 5", "OK"],
      [1, "SEARCH *:3", "* SEARCH 3 4 5", "OK"],
      [1, "UID SEARCH 1,4,*", "* SEARCH 1 5 6", "OK"],
    ],
  },
  {
    section: "RFC 3501 6.3.6",
    shows: "DELETE keeps the subscription, until UNSUBSCRIBE ends it or a folder has the name again",
    steps: [
      [1, 'CREATE "$F/X"', "OK"],
      [1, 'SUBSCRIBE "$F/X"', "OK"],
      [1, 'DELETE "$F/X"', "OK"],
      [1, 'LSUB "" "$F/*"', '* LSUB (\\Noselect) "/" "$F/X"', "OK"],
      [1, 'LIST (SUBSCRIBED) "" "$F/*"', '* LIST (\\NonExistent \\HasNoChildren \\Subscribed) "/" "$F/X"', "OK"],
      [1, 'LIST "" "$F/*"', "OK"],
      [1, 'LIST "" "$F"', '* LIST (\\HasNoChildren) "/" "$F"', "OK"],
      [1, 'STATUS "$F/X" (MESSAGES)', "NO [NONEXISTENT]"],
      [1, 'SUBSCRIBE "$F/X"', "NO [NONEXISTENT]"],
      [1, 'UNSUBSCRIBE "$F/X"', "OK"],
      [1, 'LSUB "" "$F/*"', "OK"],
      [1, 'CREATE "$F/Y"', "OK"],
      [1, 'DELETE "$F/Y"', "OK"],
      [1, 'CREATE "$F/Y"', "OK"],
      [1, 'LSUB "" "$F/*"', '* LSUB () "/" "$F/Y"', "OK"],
      [1, 'UNSUBSCRIBE "$F/Y"', "OK"],
      [1, 'DELETE "$F/Y"', "OK"],
      [1, 'LSUB "" "$F/*"', "OK"],
    ],
  },
];

async function loggedIn(): Promise<ImapClient> {
  const [port = 0] = rig.gateway.ports.imap;
  const { client } = await ImapClient.connect({ port, caFile: rig.caFile });
  expect((await client.command(`LOGIN ${rig.seed.mailbox} "${PASSWORD}"`)).at(-1)).toMatch(/^OK/);
  return client;
}

describe("what mail programs meet", () => {
  it.each(rows.map((row, n) => [row.section, row.shows, { ...row, folder: `Row ${n}` }] as const))(
    "%s: %s",
    async (_section, _shows, { messages = [], steps, folder }) => {
      const clients = { 1: await loggedIn(), 2: await loggedIn() };
      await clients[1].command(`CREATE "${folder}"`);
      for (const message of messages)
        expect((await clients[1].command(`APPEND "${folder}" ${literal(crlf(message))}`)).at(-1)).toMatch(/^OK/);
      for (const client of [clients[1], clients[2]]) await client.command(`SELECT "${folder}"`);
      for (const [client, command, ...responses] of steps) {
        const [end = "", ...untagged] = responses.map((text) => text.replaceAll("$F", folder)).reverse();
        const answers = await clients[client].command(command.replaceAll("$F", folder));
        expect(answers, command).toEqual([...untagged.reverse(), expect.stringMatching(startingWith(end))]);
      }
      for (const client of [clients[1], clients[2]]) client.end();
    },
  );
});

const startingWith = (text: string) => new RegExp(`^${text.replace(/[[\]]/g, "\\$&")}`);
