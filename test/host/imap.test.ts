/** Mail programs through the gateway (IMAP), with a real Worker behind it. */
import { queryObjects } from "node:v8";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Session } from "../../mail-gateway/imap/session.ts";
import { isFull } from "./support/extent.ts";
import { type GatewayRig, startRig } from "./support/gateway-rig.ts";
import { ImapClient } from "./support/imap-client.ts";

const PASSWORD = "correct horse battery staple";
let rig: GatewayRig;

beforeAll(async () => {
  const imap = [
    { port: 0, isImplicitTls: false },
    { port: 0, isImplicitTls: true },
  ];
  rig = await startRig("imap.test", {}, { imap });
  await rig.api("PUT", `/v1/mailboxes/${rig.seed.mailboxId}/password`, { password: PASSWORD });
}, 120_000);
afterAll(async () => {
  await rig?.close();
});

const connect = async (isImplicitTls = true) => {
  const [plain = 0, implicit = 0] = rig.gateway.ports.imap;
  return ImapClient.connect({ port: isImplicitTls ? implicit : plain, caFile: rig.caFile, isImplicitTls });
};

async function loggedIn(folder?: string, password = PASSWORD): Promise<ImapClient> {
  const { client } = await connect();
  expect((await client.command(`LOGIN ${rig.seed.mailbox} "${password}"`)).at(-1)).toMatch(/^OK \[CAPABILITY /);
  if (folder !== undefined) expect((await client.command(`SELECT ${folder}`)).at(-1)).toMatch(/^OK \[READ-WRITE\]/);
  return client;
}

/** Appends a message and returns its UID. */
async function append(client: ImapClient, folder: string, subject: string, flags = "()"): Promise<number> {
  const message = `From: Ada <ada@example.org>\r\nTo: hello@imap.test\r\nSubject: ${subject}\r\n\r\nText of ${subject}.\r\n`;
  const responses = await client.command(`APPEND ${folder} ${flags} {${message.length}+}\r\n${message}`);
  const [, uid] = /^OK \[APPENDUID \d+ (\d+)\]/.exec(responses.at(-1) ?? "") ?? [];
  if (uid === undefined) throw new Error(responses.join("; "));
  return Number(uid);
}

describe("a connection", () => {
  it("offers a login over TLS only, and one begins with STARTTLS", async () => {
    const { client, greeting } = await connect(false);
    expect(greeting).toContain("STARTTLS LOGINDISABLED");
    expect(await client.command(`LOGIN ${rig.seed.mailbox} "${PASSWORD}"`)).toEqual([
      "NO [PRIVACYREQUIRED] Use STARTTLS first",
    ]);
    expect((await client.command("STARTTLS")).at(-1)).toMatch(/^OK/);
    await client.startTls();
    expect((await client.command("CAPABILITY"))[0]).toContain("AUTH=PLAIN");
    expect((await client.command(`LOGIN ${rig.seed.mailbox} "${PASSWORD}"`)).at(-1)).toMatch(/^OK/);
    client.end();
  });

  it("ends when a client sends commands before TLS has begun", async () => {
    const { client } = await connect(false);
    client.write("a STARTTLS\r\nb NOOP\r\n");
    expect(await client.line()).toMatch(/^a OK/);
    await client.closed();
  });

  it("refuses a wrong password, and ends after three", async () => {
    const { client } = await connect();
    const wrong = `LOGIN ${rig.seed.mailbox} wrong`;
    expect(await client.command(wrong)).toEqual(["NO [AUTHENTICATIONFAILED] The address or the password is wrong"]);
    expect((await client.command("LOGIN unknown@imap.test wrong")).at(-1)).toMatch(/^NO \[AUTHENTICATIONFAILED\]/);
    const last = await client.command(
      `AUTHENTICATE PLAIN ${Buffer.from(`\0${rig.seed.mailbox}\0wrong`).toString("base64")}`,
    );
    expect(last).toEqual(["* BYE Too many failed logins", expect.stringMatching(/^NO \[AUTHENTICATIONFAILED\]/)]);
    await client.closed();
  });

  it("ends for a line without CRLF and for one that is too long", async () => {
    for (const bytes of ["a NOOP\nb NOOP\r\n", `a ${"x".repeat(5_000)}\r\n`, "a LOGIN {5000+}\r\n"]) {
      const { client } = await connect();
      client.write(bytes);
      expect(await client.line()).toMatch(/^\* BYE/);
      await client.closed();
    }
  });
});

describe("a login", () => {
  it("with a name that the Worker does not take is a wrong one, and one with a NUL is no command", async () => {
    const { client } = await connect();
    expect(await client.command(`LOGIN ${"x".repeat(401)} wrong`)).toEqual([
      "NO [AUTHENTICATIONFAILED] The address or the password is wrong",
    ]);
    expect(await client.command(`LOGIN ${rig.seed.mailbox} {3+}\r\na\0b`)).toEqual(["BAD A literal has a NUL"]);
    client.end();
  });
});

describe("a mailbox", () => {
  it("answers LOGOUT to its last client before the connection ends", async () => {
    const client = await loggedIn("INBOX");
    expect(await client.command("LOGOUT")).toEqual(["* BYE Goodbye", "OK LOGOUT is complete"]);
    await client.closed();
    expect(client.isTruncated).toBe(false);
  });

  it("lists its folders with their uses", async () => {
    const client = await loggedIn();
    expect(await client.command('LIST "" "*" RETURN (SUBSCRIBED STATUS (MESSAGES UIDNEXT))')).toEqual([
      '* LIST (\\HasNoChildren \\Subscribed) "/" INBOX',
      "* STATUS INBOX (MESSAGES 0 UIDNEXT 1)",
      ...["Sent", "Drafts", "Spam", "Trash", "Archive"].flatMap((name) => [
        `* LIST (\\HasNoChildren \\${name === "Spam" ? "Junk" : name} \\Subscribed) "/" ${name}`,
        `* STATUS ${name} (MESSAGES 0 UIDNEXT 1)`,
      ]),
      "OK LIST is complete",
    ]);
    client.end();
  });

  it("lists the folders above those that are subscribed, and says so", async () => {
    const client = await loggedIn();
    for (const folder of ["Above", "Above/Below", "Beside"]) await client.command(`CREATE ${folder}`);
    for (const folder of ["Above", "Beside"]) await client.command(`UNSUBSCRIBE ${folder}`);
    expect(await client.command('LIST (SUBSCRIBED RECURSIVEMATCH) "" ("Above" "Beside" "INBOX")')).toEqual([
      '* LIST (\\HasNoChildren \\Subscribed) "/" INBOX',
      '* LIST (\\HasChildren) "/" Above ("CHILDINFO" ("SUBSCRIBED"))',
      "OK LIST is complete",
    ]);
    expect(await client.command('LIST (SUBSCRIBED) "" (Above Beside)')).toEqual(["OK LIST is complete"]);
    expect((await client.command('LIST (RECURSIVEMATCH) "" "*"')).at(-1)).toMatch(/^BAD/);
    for (const folder of ["Above/Below", "Above", "Beside"]) await client.command(`DELETE ${folder}`);
    client.end();
  });

  it.runIf(isFull)("tells the clients of more logins than its object has sockets for gateways", async () => {
    // Each way to write the address is a login of its own.
    const { mailbox } = rig.seed;
    const names = Array.from({ length: 22 }, (_, n) =>
      [...mailbox].map((letter, at) => (at < 5 && n & (1 << at) ? letter.toUpperCase() : letter)).join(""),
    );
    const clients: ImapClient[] = [];
    for (const name of names) {
      const { client } = await connect();
      expect((await client.command(`LOGIN ${name} "${PASSWORD}"`)).at(-1)).toMatch(/^OK/);
      await client.command("SELECT Drafts");
      client.write("a IDLE\r\n");
      expect(await client.line()).toBe("+ idling");
      clients.push(client);
    }
    const one = await loggedIn();
    await append(one, "Drafts", "for all");
    for (const client of clients) expect(await client.line()).toBe("* 1 EXISTS");
    for (const client of [one, ...clients]) client.end();
  });

  it("serves clients that fetch more sections at once than the gateway has connections to the Worker", async () => {
    const first = await loggedIn("Archive");
    const uid = await append(first, "Archive", "in many sections");
    const clients = [first, ...(await Promise.all(Array.from({ length: 11 }, () => loggedIn("Archive"))))];
    const sections = Array.from({ length: 50 }, (_, n) => `BODY.PEEK[]<${n}.9>`).join(" ");
    const fetched = await Promise.all(clients.map((client) => client.command(`UID FETCH ${uid} (${sections})`)));
    expect(fetched.map((responses) => responses.at(-1))).toEqual(clients.map(() => "OK FETCH is complete"));
    await first.command(`UID STORE ${uid} +FLAGS.SILENT (\\Deleted)`);
    await first.command("EXPUNGE");
    for (const client of clients) client.end();
  });

  it("takes a message and shows it, flags and all", async () => {
    const client = await loggedIn();
    const uid = await append(client, "Archive", "first", "(\\Flagged $Forwarded)");
    await client.command("SELECT Archive");
    expect(await client.command(`UID FETCH ${uid} (FLAGS RFC822.SIZE BODY.PEEK[HEADER.FIELDS (Subject)])`)).toEqual([
      `* 1 FETCH (UID ${uid} FLAGS (\\Flagged $Forwarded) RFC822.SIZE 84 BODY[HEADER.FIELDS (Subject)] {18}\r\nSubject: first\r\n\r\n)`,
      "OK FETCH is complete",
    ]);
    const [fetched] = await client.command(`UID FETCH ${uid} BODY[TEXT]<8.5>`);
    expect(fetched).toBe(`* 1 FETCH (UID ${uid} FLAGS (\\Seen \\Flagged $Forwarded) BODY[TEXT]<8> {5}\r\nfirst)`);
    client.end();
  });

  it("tells one client what another did", async () => {
    const [one, other] = [await loggedIn("Archive"), await loggedIn("Archive")];
    const tag = other.nextTag();
    other.write(`${tag} IDLE\r\n`);
    expect(await other.line()).toBe("+ idling");
    const uid = await append(one, "Archive", "news");
    expect(await other.line()).toMatch(/^\* \d+ EXISTS$/);
    expect(await other.line()).toBe("* 0 RECENT");
    await one.command(`UID STORE ${uid} +FLAGS (\\Deleted)`);
    const told = await other.line();
    expect(told).toMatch(new RegExp(`^\\* \\d+ FETCH \\(UID ${uid} FLAGS \\(\\\\Deleted\\)\\)$`));
    await one.command("EXPUNGE");
    expect(await other.line()).toMatch(/^\* \d+ EXPUNGE$/);
    other.write("DONE\r\n");
    expect((await other.responses(tag)).at(-1)).toBe("OK IDLE is complete");
    for (const client of [one, other]) client.end();
  });

  it("tells no expunge in a UID FETCH, which mail programs overlook there, but after it", async () => {
    const [one, other, third] = [await loggedIn("Archive"), await loggedIn("Archive"), await loggedIn("Archive")];
    const [gone, stays] = [await append(one, "Archive", "gone"), await append(one, "Archive", "stays there")];
    await other.command("NOOP");
    await third.command("NOOP");
    await one.command(`UID STORE ${gone} +FLAGS.SILENT (\\Deleted)`);
    const tag = third.nextTag();
    third.write(`${tag} IDLE\r\n`);
    await one.command("EXPUNGE");
    for (let line = ""; !/^\* \d+ EXPUNGE$/.test(line); ) line = await third.line();
    for (const command of [
      `UID FETCH ${stays} (UID)`,
      "UID SEARCH SUBJECT there",
      `UID STORE ${stays} +FLAGS (\\Seen)`,
    ])
      expect((await other.command(command)).join("\n"), command).not.toContain("EXPUNGE");
    expect((await other.command("NOOP"))[0]).toMatch(/^\* \d+ EXPUNGE$/);
    for (const client of [one, other, third]) client.end();
  });

  it("tells a client that changes flags silently what another has changed", async () => {
    const [one, other] = [await loggedIn("Archive"), await loggedIn("Archive")];
    const uid = await append(one, "Archive", "silent");
    await other.command("NOOP");
    await one.command(`UID STORE ${uid} +FLAGS (\\Flagged)`);
    const [told, end] = await other.command(`UID STORE ${uid} +FLAGS.SILENT (\\Seen)`);
    expect(told).toMatch(new RegExp(`^\\* \\d+ FETCH \\(UID ${uid} FLAGS \\(\\\\Seen \\\\Flagged\\)\\)$`));
    expect(end).toBe("OK STORE is complete");
    expect(await other.command(`UID STORE ${uid} -FLAGS.SILENT (\\Seen)`)).toEqual(["OK STORE is complete"]);
    for (const client of [one, other]) client.end();
  });

  it("tells a client what another changes while it selects the folder", async () => {
    const [one, other] = [await loggedIn("Archive"), await loggedIn()];
    const uid = await append(one, "Archive", "selecting");
    for (let round = 0; round < 25; round += 1) {
      const flag = `$Round${round}`;
      const select = other.command("SELECT Archive");
      const store = one.command(`UID STORE ${uid} FLAGS (${flag})`);
      await Promise.all([select, store]);
      const told = [...(await select)];
      const known = await other.command(`UID FETCH ${uid} FLAGS`);
      const tag = other.nextTag();
      other.write(`${tag} IDLE\r\n`);
      for (let line = known.join("\n"); !line.includes(flag); line = await other.line()) told.push(line);
      other.write("DONE\r\n");
      await other.responses(tag);
    }
    for (const client of [one, other]) client.end();
  });

  it("goes on for others when a client leaves while it is told changes", async () => {
    const one = await loggedIn("Archive");
    for (let round = 0; round < 10; round += 1) {
      const other = await loggedIn("Archive");
      await append(one, "Archive", `left ${round}`);
      other.write("a IDLE\r\n");
      other.end();
    }
    expect(await one.command("UID SEARCH SUBJECT left")).toEqual([
      expect.stringMatching(/^\* SEARCH( \d+){10}$/),
      "OK SEARCH is complete",
    ]);
    one.end();
  });

  it("assigns no UID to a message that is moved to its own folder", async () => {
    const client = await loggedIn("Archive");
    const uid = await append(client, "Archive", "stays");
    expect(await client.command(`UID MOVE ${uid} Archive`)).toEqual(["OK MOVE is complete; the messages were there"]);
    client.end();
  });

  it("refuses for good what no mailbox takes, so that a client does not try it again", async () => {
    const client = await loggedIn();
    const refused = [expect.stringMatching(/^NO \[CANNOT\]/)];
    expect(await client.command('SELECT ""')).toEqual(refused);
    expect(await client.command('APPEND "" {5+}\r\nhello')).toEqual(refused);
    client.end();
  });

  it.runIf(isFull)("keeps nothing of clients that have left while another with their login stays", async () => {
    const stays = await loggedIn("Archive");
    for (let n = 0; n < 5; n += 1) await (await loggedIn("Archive")).command("LOGOUT");
    await expect.poll(() => queryObjects(Session, { format: "count" }), { timeout: 10_000 }).toBe(1);
    stays.end();
  });

  it("ends the connections of an app password that is deleted, and goes on to tell those of other logins what changes", async () => {
    const appPasswords = `/v1/mailboxes/${rig.seed.mailboxId}/app-passwords`;
    const create = async () =>
      (await rig.api("POST", appPasswords, { name: "A program" })) as { id: string; password: string };
    const [kept, deleted] = [await create(), await create()];
    const [one, other] = [await loggedIn("Archive"), await loggedIn("Archive", kept.password)];
    // The last to join: the socket of the mailbox is opened anew with the access of another.
    const client = await loggedIn("Archive", deleted.password);
    await rig.api("DELETE", `${appPasswords}/${deleted.id}`);
    expect(await client.line()).toBe("* BYE The access has ended");
    await client.closed();
    for (const idle of [one, other]) {
      idle.write("idle IDLE\r\n");
      expect(await idle.line()).toBe("+ idling");
    }
    const writer = await loggedIn();
    await append(writer, "Archive", "after the deletion");
    for (const idle of [one, other]) expect(await idle.line()).toMatch(/^\* \d+ EXISTS$/);
    for (const each of [one, other, writer]) each.end();
  });

  it("ends the connection when the password changes", async () => {
    const client = await loggedIn("INBOX");
    await rig.api("PUT", `/v1/mailboxes/${rig.seed.mailboxId}/password`, { password: PASSWORD });
    expect(await client.line()).toBe("* BYE The access has ended");
    await client.closed();
  });
});

describe("what follows a command in parts", () => {
  it.each([
    ["a line in IDLE", "a IDLE\r\n", "+ idling", `b CREATE ${"x".repeat(100)}\r\nc CREATE Ran\r\n`],
    ["a second message of APPEND", "", "", "a APPEND Archive {2+}\r\nab {15+}\r\nb CREATE Ran\r\n\r\nc CREATE Ran\r\n"],
  ])("%s that cannot be read ends the connection, and does not run", async (_, first, answer, then) => {
    const client = await loggedIn();
    client.write(first);
    if (answer) expect(await client.line()).toBe(answer);
    client.write(then);
    expect(await client.line()).toMatch(/^\* BYE /);
    await client.closed();
    const other = await loggedIn();
    expect(await other.command('LIST "" Ran')).toEqual(["OK LIST is complete"]);
    other.end();
  });
});
