/** The gateway's replies to single commands: recipients, parameters of MAIL and RCPT, and the identity of a login. */
import { beforeAll, describe, expect, it } from "vitest";
import { eventually, startRig } from "./support/gateway-rig.ts";
import { SmtpClient } from "./support/smtp-client.ts";
import { perSuite } from "./support/suite.ts";

const rig = perSuite(() => startRig("commands.test", { connectionsPerMinute: 1_000 }));
let sender: string;

beforeAll(async () => {
  sender = rig.seed.mailbox;
});

describe("a malformed recipient", () => {
  const local = "x".repeat(65);
  const recipients: [string, RegExp][] = [
    ["friend@nodot", /^553 5\.1\.3 <friend@nodot> is no valid email address$/],
    ["friend@[192.0.2.1]", /^553 5\.1\.3 <friend@\[192\.0\.2\.1\]> /],
    ["friend@[IPv6:2001:db8::1]", /^553 5\.1\.3 <friend@\[IPv6:2001:db8::1\]> /],
    [`${local}@example.org`, new RegExp(`^553 5\\.1\\.3 <${local}@example\\.org> `)],
    ["postmaster", /^553 5\.1\.3 <postmaster> /],
    ["friend@example.1", /^553 5\.1\.3 <friend@example\.1> /],
    ["=?utf-8?q?friend?=@example.org", /^553 5\.1\.3 <=\?utf-8\?q\?friend\?=@example\.org> /],
    ["friend", /^501 5\.1\.3 <friend> is no valid recipient$/],
    ["friend@@example.org", /^501 5\.1\.3 <friend@@example\.org> /],
    ["friend..x@example.org", /^501 5\.1\.3 <friend\.\.x@example\.org> /],
    ['"a b"@example.org', /^553 5\.1\.3 <"a b"@example\.org> /],
    ["fri\x07end@example.org", /^501 5\.1\.3 <fri\?end@example\.org> /],
  ];

  it("is refused at RCPT by its name, and the other recipients get their mail", async () => {
    const client = await SmtpClient.loggedIn(rig);
    expect(await client.command(`MAIL FROM:<${sender}>`)).toMatch(/^250 /);
    expect(await client.command("RCPT TO:<first@example.org>")).toMatch(/^250 /);
    for (const [address, reply] of recipients)
      expect(await client.command(`RCPT TO:<${address}>`), address).toMatch(reply);
    expect(await client.command("RCPT TO:<last@xn--mnchen-3ya.example>")).toMatch(/^250 /);
    expect(await client.command("DATA")).toMatch(/^354/);
    client.write(`From: ${sender}\r\nSubject: the others\r\n\r\nx\r\n.\r\n`);
    expect(await client.reply()).toMatch(/^250 .*Queued as /);
    client.end();
    const to = await eventually(() => {
      const found = rig.sent.filter(({ raw }) => raw.includes("Subject: the others")).flatMap((message) => message.to);
      return found.length === 2 ? found : undefined;
    });
    expect(to.map((address) => address.split("@")[0]).sort()).toEqual(["first", "last"]);
  });

  it("alone leaves a message without recipients", async () => {
    const client = await SmtpClient.loggedIn(rig);
    expect(await client.begin(sender, "friend@nodot")).toMatch(/^503 /);
    client.end();
  });
});

describe("parameters of MAIL and RCPT", () => {
  it("that no extension of EHLO has are 555, on both ports of submission and on MX", async () => {
    const clients = [await SmtpClient.loggedIn(rig), await SmtpClient.connect(rig.ports.mx)];
    for (const client of clients) {
      await client.command("EHLO client.test");
      for (const parameter of [
        "X-FOO=1",
        "FOO",
        "RET=HDRS",
        "ENVID=a",
        "REQUIRETLS",
        "MT-PRIORITY=1",
        "SIZE=10 HOLDFOR=9",
      ])
        expect(await client.command(`MAIL FROM:<${sender}> ${parameter}`), parameter).toMatch(
          /^555 5\.5\.4 The parameter \S+ is not supported$/,
        );
      expect(await client.command(`MAIL FROM:<${sender}> SIZE=100 BODY=8BITMIME SMTPUTF8`)).toMatch(/^250 /);
      for (const parameter of ["NOTIFY=NEVER", "ORCPT=rfc822;a@b.example", "foo", "SIZE=1"])
        expect(await client.command(`RCPT TO:<${sender}> ${parameter}`), parameter).toMatch(/^555 5\.5\.4 /);
      expect(await client.command(`RCPT TO:<${sender}>`)).toMatch(/^250 /);
      client.end();
    }
  });

  it("AUTH is one of MAIL where logins are offered", async () => {
    const client = await SmtpClient.loggedIn(rig);
    expect(await client.command(`MAIL FROM:<${sender}> AUTH=<>`)).toMatch(/^250 /);
    const mx = await SmtpClient.connect(rig.ports.mx);
    await mx.command("EHLO client.test");
    expect(await mx.command(`MAIL FROM:<${sender}> AUTH=<>`)).toMatch(/^555 /);
    for (const connected of [client, mx]) connected.end();
  });
});

describe("a large message that the Worker refuses at its beginning", () => {
  it("gets that refusal, although it is still being sent then", async () => {
    const client = await SmtpClient.loggedIn(rig);
    for (let n = 0; n < 5; n += 1) {
      await client.begin(sender, "a@example.org");
      client.write(`From: ${sender}\r\n\r\n${"x".repeat(2_000)}\r\n${`${"x".repeat(900)}\r\n`.repeat(5_000)}.\r\n`);
      expect(await client.reply()).toBe("554 5.6.0 a line is 2,000 bytes; the limit is 998");
    }
    client.end();
  });
});

describe("a login that the Worker does not take", () => {
  it("is refused as a wrong one, since it can never be right", async () => {
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    const client = await SmtpClient.connect(rig.ports.implicit, { ca: rig.caFile });
    await client.command("EHLO client.test");
    await client.command(`AUTH LOGIN ${base64(rig.login.username)}`);
    expect(await client.command(base64("a\0b"))).toBe("535 5.7.8 The username or the password is wrong");
    const long = base64(`\0${"x".repeat(401)}\0wrong`);
    expect(await client.command(`AUTH PLAIN ${long}`)).toBe("535 5.7.8 The username or the password is wrong");
    client.end();
  });
});

describe("the authorization identity of AUTH PLAIN", () => {
  const auth = async (authzid: string) => {
    const client = await SmtpClient.connect(rig.ports.implicit, { ca: rig.caFile });
    await client.command("EHLO client.test");
    const { username, password } = rig.login;
    const token = Buffer.from(`${authzid}\0${username}\0${password}`).toString("base64");
    const reply = await client.command(`AUTH PLAIN ${token}`);
    const next = await client.command(`MAIL FROM:<${sender}>`);
    client.end();
    return `${reply.slice(0, 9)}, then ${next.slice(0, 3)}`;
  };

  it("may be empty or the username, and any other fails although the password is right", async () => {
    expect(await auth("")).toBe("235 2.7.0, then 250");
    expect(await auth(rig.login.username.toUpperCase())).toBe("235 2.7.0, then 250");
    for (const other of [sender, "root", `${rig.login.username}x`])
      expect(await auth(other), other).toBe("535 5.7.8, then 530");
  });
});
