/** Attacks on the mail gateway: smuggling, STARTTLS injection, AUTH before TLS, open relay, slow and many clients. */
import { beforeAll, describe, expect, it } from "vitest";
import { isFull } from "./support/extent.ts";
import { startRig } from "./support/gateway-rig.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { SmtpClient } from "./support/smtp-client.ts";
import { perSuite } from "./support/suite.ts";

const rig = perSuite(() => startRig("attacked.test", { connectionsPerIp: 30, connectionsPerMinute: 10_000 }));
let sender: string;

beforeAll(async () => {
  sender = rig.seed.mailbox;
});

const emails = async () => {
  const results = await rig.sql<{ n: number }>("SELECT count(*) AS n FROM emails");
  return results.reduce((sum, { n }) => sum + n, 0);
};
const health = async () => {
  const response = await fetch(`http://127.0.0.1:${rig.ports.health}/health`);
  return (await response.json()) as { status: string; connections: number };
};
const message = () => `From: ${sender}\r\nTo: a@example.org\r\nSubject: outer\r\n\r\nouter\r\n`;

/** Ends of data that some server takes for one and another does not; `<CR><LF>.<CR><LF>` is the only real one. */
const fakeEnds: [string, string][] = [
  ["LF . LF", "\n.\n"],
  ["LF . CRLF", "\n.\r\n"],
  ["CRLF . LF", "\r\n.\n"],
  ["CR . CR", "\r.\r"],
  ["CR . CRLF", "\r.\r\n"],
  ["CRLF . CR", "\r\n.\r"],
  ["CR . LF", "\r.\n"],
  ["LF . CR", "\n.\r"],
  ["CR LF . CR CR LF", "\r\n.\r\r\n"],
  // The real end behind a bare CR: the message is refused, and what follows does not run.
  ["CR CR LF . CR LF", "\r\r\n.\r\n"],
  ["CR CR LF . CR CR LF", "\r\r\n.\r\r\n"],
  ["CRLF NUL . CRLF", "\r\n\0.\r\n"],
  ["CRLF . NUL CRLF", "\r\n.\0\r\n"],
  ["CR NUL LF . CRLF", "\r\0\n.\r\n"],
  ["CRLF . CR NUL LF", "\r\n.\r\0\n"],
  ["LF NUL . LF", "\n\0.\n"],
  ["NUL alone around the dot", "\0.\0"],
  ["LF LF . LF LF", "\n\n.\n\n"],
  ["LF CR . LF CR", "\n\r.\n\r"],
  ["CRLF . SP CRLF", "\r\n. \r\n"],
  ["CRLF .. CRLF", "\r\n..\r\n"],
  ["VT and FF", "\r\n.\v\r\n"],
];

describe("an end of data in another form", () => {
  for (const [at, [name, end]] of fakeEnds.entries()) {
    // npm test sends every second form at once, and the others byte by byte.
    for (const split of isFull ? [false, true] : [at % 2 === 1]) {
      it(`${name}${split ? ", one byte at a time" : ""}: at most one message, and no command of it runs`, async () => {
        const before = await emails();
        const client = await SmtpClient.loggedIn(rig);
        await client.begin(sender, "a@example.org");
        const inner = `MAIL FROM:<${sender}>\r\nRCPT TO:<victim@example.org>\r\nDATA\r\nFrom: ${sender}\r\nSubject: inner\r\n\r\ninner\r\n`;
        const data = `${message()}smuggled${end}${inner}.\r\n`;
        if (split) for (const byte of data) client.write(byte);
        else client.write(data);
        const reply = await client.reply();
        expect(reply).toMatch(/^(250 2\.|554 5\.6\.0 |500 5\.5\.2 )/);
        const isTaken = reply.startsWith("250");
        // A refusal closes the connection.
        if (isTaken) expect(await client.command("QUIT")).toMatch(/^221/);
        await client.closed();
        // 354 would mean that a command inside the message ran.
        expect(client.unread).not.toMatch(/354|Queued/);
        expect(await emails()).toBe(before + (isTaken ? 1 : 0));
        expect(rig.sent.some(({ to }) => to.includes("victim@example.org"))).toBe(false);
      });
    }
  }

  it("a message of dots alone arrives as it was sent", async () => {
    const client = await SmtpClient.loggedIn(rig);
    await client.begin(sender, "a@example.org");
    client.write(`From: ${sender}\r\nSubject: dots\r\n\r\n..\r\n...\r\n.`.concat("\r\n"));
    expect(await client.reply()).toMatch(/^250 2\.\d\.\d Queued as /);
    client.end();
  });
});

describe("commands", () => {
  for (const [name, line] of [
    ["a bare LF", "NOOP\nNOOP\r\n"],
    ["a bare CR", "NOOP\rNOOP\r\n"],
    ["a NUL", "NOOP\0\r\n"],
    ["a bare LF after the first bytes", "RSET\r\nRCPT TO:<a@b>\n"],
  ] as const)
    it(`with ${name} are refused, and the connection is closed`, async () => {
      const client = await SmtpClient.connect(rig.ports.starttls);
      client.write(line);
      expect(await client.reply()).toMatch(/^500 5\.5\.2 Lines must end in CRLF/);
      await client.closed();
    });

  it("longer than 4,096 bytes are refused", async () => {
    const client = await SmtpClient.connect(rig.ports.starttls);
    client.write("x".repeat(5_000));
    expect(await client.reply()).toMatch(/^421 /);
  });

  it("of sendmail and of other servers are not known", async () => {
    for (const command of ["WIZ", "SHELL ls", "XCLIENT ADDR=1.2.3.4", "BDAT 5 LAST", "TURN"]) {
      const client = await SmtpClient.connect(rig.ports.starttls);
      expect(await client.command(command), command).toMatch(/^500 /);
      client.end();
    }
  });
});

describe("before TLS", () => {
  it("AUTH is neither offered nor taken, in any form", async () => {
    const token = Buffer.from(`\0${rig.login.username}\0${rig.login.password}`).toString("base64");
    for (const command of [`AUTH PLAIN ${token}`, "AUTH LOGIN", "AUTH PLAIN", "auth plain"]) {
      const client = await SmtpClient.connect(rig.ports.starttls);
      expect(await client.command("EHLO client.test")).not.toContain("AUTH");
      expect(await client.command(command), command).toBe("530 5.7.0 Must issue a STARTTLS command first");
      expect(await client.command(`MAIL FROM:<${sender}>`)).toMatch(/^530 5\.7\.0/);
      client.end();
    }
  });

  it("AUTH closes the connection when it comes again and again", async () => {
    const client = await SmtpClient.connect(rig.ports.starttls);
    await client.command("EHLO client.test");
    const replies = [];
    for (let n = 0; n < 10; n++) replies.push((await client.command("AUTH PLAIN AGEAYg==")).slice(0, 3));
    expect(replies).toEqual([...Array(9).fill("530"), "421"]);
    await client.closed();
  });

  it("commands behind STARTTLS in one packet are discarded", async () => {
    const client = await SmtpClient.connect(rig.ports.starttls);
    await client.command("EHLO client.test");
    client.write(`STARTTLS\r\nEHLO injected.test\r\nMAIL FROM:<${sender}>\r\nRCPT TO:<victim@example.org>\r\n`);
    expect(await client.reply()).toMatch(/^220 /);
    const injected = client.unread;
    await client.startTls(rig.caFile).catch(() => client.end());
    expect(injected).toBe("");
    if (client.isClosed) return;
    expect(await client.command("RCPT TO:<victim@example.org>")).toMatch(/^5\d\d /);
    client.end();
  });

  it("STARTTLS with an argument, twice, and on a port of implicit TLS is refused", async () => {
    const client = await SmtpClient.connect(rig.ports.starttls);
    expect(await client.command("STARTTLS now")).toMatch(/^501 /);
    expect(await client.command("STARTTLS")).toMatch(/^220 /);
    await client.startTls(rig.caFile);
    expect(await client.command("EHLO client.test")).toContain("AUTH PLAIN LOGIN");
    expect(await client.command("STARTTLS")).toMatch(/^50[03] /);
    client.end();
    const implicit = await SmtpClient.connect(rig.ports.implicit, { ca: rig.caFile });
    expect(await implicit.command("EHLO client.test")).not.toContain("STARTTLS");
    implicit.end();
  });
});

describe("EHLO", () => {
  it("offers the extensions of the contract and no other", async () => {
    const client = await SmtpClient.connect(rig.ports.implicit, { ca: rig.caFile });
    const [, ...extensions] = (await client.command("EHLO client.test")).split("\r\n").map((line) => line.slice(4));
    expect(extensions.sort()).toEqual([
      "8BITMIME",
      "AUTH PLAIN LOGIN",
      "ENHANCEDSTATUSCODES",
      "PIPELINING",
      "SIZE 37748736",
      "SMTPUTF8",
    ]);
    client.end();
  });
});

describe("an open relay", () => {
  it("submission takes no sender and no message without login", async () => {
    for (const [port, ca] of [
      [rig.ports.starttls, undefined],
      [rig.ports.implicit, rig.caFile],
    ] as const) {
      const client = await SmtpClient.connect(port, ca ? { ca } : {});
      await client.command("EHLO client.test");
      for (const from of [sender, "", "root@localhost"])
        expect(await client.command(`MAIL FROM:<${from}>`)).toMatch(/^530 5\.7\.0/);
      expect(await client.command("RCPT TO:<victim@example.org>")).toMatch(/^5\d\d /);
      expect(await client.command("DATA")).toMatch(/^5\d\d /);
      client.end();
    }
  });

  it("MX takes mail for its own domains only, in every spelling", async () => {
    const client = await SmtpClient.connect(rig.ports.mx);
    await client.command("EHLO client.test");
    await client.command("MAIL FROM:<>");
    const recipients = [
      "victim@example.org",
      "victim%example.org@attacked.test",
      "@attacked.test:victim@example.org",
      "victim@example.org@attacked.test",
      '"victim@example.org"@attacked.test',
      "victim@[127.0.0.1]",
      "example.org!victim@attacked.test",
      "nobody@attacked.test",
      `b${"a".repeat(56)}@bounces.mail.test`,
      "postmaster@example.org",
    ];
    for (const recipient of recipients)
      expect(await client.command(`RCPT TO:<${recipient}>`), recipient).toMatch(/^5\d\d /);
    expect(await client.command("DATA")).toMatch(/^503 /);
    expect(await client.command(`RCPT TO:<${sender}>`)).toMatch(/^250 /);
    expect(await client.command("AUTH PLAIN x")).toMatch(/^50\d /);
    client.end();
  });
});

describe("too much", () => {
  it("wrong passwords close the connection", async () => {
    const client = await SmtpClient.connect(rig.ports.implicit, { ca: rig.caFile });
    await client.command("EHLO client.test");
    const token = Buffer.from("\0nobody@attacked.test\0wrong").toString("base64");
    const replies = [];
    for (let i = 0; i < 3; i++) replies.push((await client.command(`AUTH PLAIN ${token}`)).slice(0, 3));
    expect(replies).toEqual(["535", "535", "421"]);
    await client.closed();
  });

  it("more connections of one address than allowed are refused, and the others are served", async () => {
    const clients = await Promise.all(Array.from({ length: 30 }, () => SmtpClient.connect(rig.ports.starttls)));
    const extra = await SmtpClient.connect(rig.ports.starttls, { greets: false });
    expect(await extra.reply()).toMatch(/^421 4\.7\.0 Too many connections/);
    expect(await clients[0]?.command("NOOP")).toMatch(/^250 /);
    for (const client of clients) client.end();
    await Promise.all(clients.map((client) => client.closed()));
  });

  it("a message that is larger than 36 MiB gets 552, and nothing of it is stored", async () => {
    const before = await emails();
    const announcing = await SmtpClient.loggedIn(rig);
    expect(await announcing.command(`MAIL FROM:<${sender}> SIZE=37748737`)).toMatch(/^552 /);
    announcing.end();
    // The same limit, but smaller.
    const { ports } = await rig.startGateway({ messageBytes: 1_000_000 });
    const client = await SmtpClient.loggedIn({ ...rig, ports: { ...rig.ports, implicit: ports.submission[1] ?? 0 } });
    await client.begin(sender, "a@example.org");
    client.write(message());
    client.write(`${"x".repeat(998)}\r\n`.repeat(1_000));
    client.write(".\r\n");
    expect(await client.reply()).toMatch(/^552 5\.3\.4/);
    expect(await client.command("NOOP")).toMatch(/^250 /);
    client.end();
    expect(await emails()).toBe(before);
  });

  it("more than 50 recipients get 452", async () => {
    const client = await SmtpClient.loggedIn(rig);
    await client.command(`MAIL FROM:<${sender}>`);
    for (let i = 0; i < 50; i++) await client.command(`RCPT TO:<r${i}@example.org>`);
    expect(await client.command("RCPT TO:<r50@example.org>")).toMatch(/^452 4\.5\.3/);
    client.end();
  });

  it("a client that goes away in the middle of a message leaves nothing", async () => {
    const before = await emails();
    for (const part of [100, 200_000]) {
      const client = await SmtpClient.loggedIn(rig);
      await client.begin(sender, "a@example.org");
      client.write(message() + "x\r\n".repeat(part));
      await client.flushed();
      client.end();
    }
    await expect.poll(async () => (await health()).connections).toBe(0);
    const next = await SmtpClient.loggedIn(rig);
    expect(await next.command("NOOP")).toMatch(/^250/);
    next.end();
    expect(await emails()).toBe(before);
  });
});

describe("too slow", () => {
  it("a client that sends a byte a second is closed when the time to log in is over", async () => {
    const clock = new ManualClock();
    const { ports } = await rig.startGateway({ loginMs: 4_001 }, clock);
    const client = await SmtpClient.connect(ports.submission[0] ?? 0);
    for (const byte of "NOOP") {
      client.write(byte);
      await clock.advance(1_000);
    }
    client.write("\r\n");
    expect(await client.reply()).toMatch(/^250 /);
    await clock.advance(1);
    expect(await client.reply()).toMatch(/^421 /);
    await client.closed();
  });

  it("a client that goes before TLS has begun is closed, and one that has used TLS leaves no timer", async () => {
    const clock = new ManualClock();
    const { ports } = await rig.startGateway({}, clock);
    const { timers } = clock;
    const [gone, secure] = await Promise.all([1, 2].map(() => SmtpClient.connect(ports.submission[0] ?? 0)));
    for (const client of [gone, secure]) expect(await client?.command("STARTTLS")).toMatch(/^220 /);
    await secure?.startTls(rig.caFile);
    expect(clock.timers).toBeGreaterThan(timers);
    await gone?.halfClose();
    await gone?.closed();
    expect(await secure?.command("QUIT")).toMatch(/^221 /);
    await secure?.closed();
    await expect.poll(() => clock.timers).toBe(timers);
  });

  it("an idle client is closed", async () => {
    const { ports } = await rig.startGateway({ idleMs: 200 });
    const client = await SmtpClient.connect(ports.submission[0] ?? 0);
    expect(await client.reply()).toMatch(/^421 /);
    await client.closed();
  });
});

describe("a deleted credential", () => {
  it("ends open connections at the next MAIL FROM, and between MAIL FROM and the message", async () => {
    const [idle, busy] = [await SmtpClient.loggedIn(rig), await SmtpClient.loggedIn(rig)];
    await busy.begin(sender, "a@example.org");
    const [credential] = (await rig.api("GET", "/v1/smtp-credentials/")) as { id: string }[];
    await rig.api("DELETE", `/v1/smtp-credentials/${credential?.id}`);
    expect(await idle.command(`MAIL FROM:<${sender}>`)).toMatch(/^535 5\.7\.8/);
    busy.write(`${message()}.\r\n`);
    expect(await busy.reply()).toMatch(/^535 5\.7\.8/);
    for (const client of [idle, busy]) client.end();
  });

  it("the health endpoint responds", async () => {
    expect(await health()).toMatchObject({ status: "ok" });
  });
});
