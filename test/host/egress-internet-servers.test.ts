/** The servers of the local internet (dev/internet/): what a client and a resolver see. */
import { Resolver } from "node:dns/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type Internet, type InternetOptions, type MailSystem, startInternet } from "../../dev/internet/index.ts";
import { serverKeys } from "../support/throwaway-ca.ts";
import { eventually } from "./support/gateway-rig.ts";
import { SmtpClient } from "./support/smtp-client.ts";

const authority = process.env.NODE_EXTRA_CA_CERTS ?? "";
let internet: Internet;
const clients: SmtpClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.end();
  await internet.close();
});

async function start(options: Partial<InternetOptions> = {}) {
  internet = await startInternet({ keys: serverKeys().local, ...options });
}

const one = (behaviour: MailSystem["behaviour"]): MailSystem[] => [
  { name: "one", domains: ["one.test"], mx: ["mx.one.test"], address: "127.0.0.61", behaviour },
];

/** Connects to the MX host of a mail system, and reads the greeting unless `greets` is false. */
async function connect(name: string, greets = true): Promise<SmtpClient> {
  const { address } = internet.receiver(name).system;
  const client = await SmtpClient.connect(internet.smtpPort, { host: address, greets });
  clients.push(client);
  return client;
}

/** Sends a message in one write per phase. Returns the replies to MAIL, RCPT, DATA and the final dot, up to the first refusal. */
async function send(client: SmtpClient, to: string, content = "Subject: x\r\n\r\nHello.\r\n"): Promise<string[]> {
  const replies: string[] = [];
  for (const line of ["MAIL FROM:<ann@sender.test>", `RCPT TO:<${to}>`, "DATA", `${content}.`]) {
    replies.push(await client.command(line));
    if (!/^[23]/.test(replies.at(-1) ?? "")) break;
  }
  return replies;
}

describe("MX hosts", () => {
  it("a host that accepts counts messages and keeps none of them, unless it is told to", async () => {
    await start();
    const client = await connect("accepts");
    expect(await client.command("EHLO a.test")).toContain("STARTTLS");
    for (let n = 1; n <= 2; n++) expect((await send(client, "ben@example.org")).at(-1)).toMatch(/^250 2\.0\.0 /);
    const { counters, messages } = internet.receiver("accepts");
    expect(counters).toMatchObject({
      connections: 1,
      attempts: 2,
      messages: 2,
      recipients: 2,
      bytes: 44,
      finalDots: 2,
    });
    expect(messages).toEqual([]);
  });

  it("a message is kept with envelope and content when asked, without added dots", async () => {
    await start({ kept: "content" });
    const client = await connect("accepts");
    await client.command("EHLO a.test");
    expect((await send(client, "ben@example.org", "Subject: y\r\n\r\n..dot\r\n")).at(-1)).toMatch(/^250 /);
    expect(internet.receiver("accepts").messages).toMatchObject([
      { from: "ann@sender.test", to: ["ben@example.org"], size: 21, isSecure: false },
    ]);
    expect(internet.receiver("accepts").messages[0]?.content?.toString()).toBe("Subject: y\r\n\r\n.dot\r\n");
  });

  it("a message is told to the caller before the reply, and then not kept", async () => {
    const told: unknown[] = [];
    await start({ kept: "content", onMessage: async ({ to, content }) => void told.push([to, content?.toString()]) });
    const client = await connect("accepts");
    expect((await send(client, "ben@example.org", "a: b\r\n\r\nc\r\n")).at(-1)).toMatch(/^250 /);
    expect(told).toEqual([[["ben@example.org"], "a: b\r\n\r\nc\r\n"]]);
    expect(internet.receiver("accepts").messages).toEqual([]);
  });

  it("a mail system whose address this machine does not have is left out, and its domains accept", async () => {
    await start({ systems: [{ ...(one({ tls: "required" })[0] as MailSystem), address: "192.0.2.1" }] });
    const dns = new Resolver();
    dns.setServers([`127.0.0.1:${internet.dnsPort}`]);
    expect(await dns.resolveMx("one.test")).toMatchObject([{ exchange: "mx.accepts.test" }]);
  });

  it("a caller that cannot store a message defers it", async () => {
    await start({ onMessage: () => Promise.reject(new Error("full disk")) });
    expect((await send(await connect("accepts"), "ben@example.org")).at(-1)).toMatch(/^451 4\.3\.0 /);
  });

  it("commands that come together get their replies in order", async () => {
    await start();
    const client = await connect("accepts");
    client.write("EHLO a.test\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\n");
    const codes = [];
    for (let n = 0; n < 4; n++) codes.push((await client.reply()).slice(0, 3));
    client.write("Subject: z\r\n\r\nx\r\n.\r\nQUIT\r\n");
    for (let n = 0; n < 2; n++) codes.push((await client.reply()).slice(0, 3));
    expect(codes).toEqual(["250", "250", "250", "354", "250", "221"]);
    await client.closed();
  });

  it("TLS is real: the certificate is that of the caller, and tls-only takes mail only afterwards", async () => {
    await start({ kept: "size" });
    const client = await connect("tls-only");
    expect(await client.command("MAIL FROM:<a@b.test>")).toMatch(/^530 5\.7\.0 /);
    expect(await client.command("STARTTLS")).toMatch(/^220 /);
    await client.startTls(authority);
    expect(await client.command("EHLO a.test")).not.toContain("STARTTLS");
    expect((await send(client, "ben@tls-only.test")).at(-1)).toMatch(/^250 /);
    const { counters, messages } = internet.receiver("tls-only");
    expect(counters.tlsConnections).toBe(1);
    expect(messages).toMatchObject([{ isSecure: true, content: null }]);
  });

  it("a greylisted recipient is deferred at first and accepted later, each pair of its own", async () => {
    await start({ systems: one({ greylist: { seconds: 0.05 } }) });
    const client = await connect("one");
    const isAccepted = async () => {
      await client.command("RSET");
      return (await send(client, "ben@one.test")).length === 4 ? true : undefined;
    };
    expect((await send(client, "ben@one.test")).at(-1)).toMatch(/^451 4\.7\.1 /);
    await eventually(isAccepted);
    expect((await send(client, "cleo@one.test")).at(-1)).toMatch(/^451 4\.7\.1 /);
    expect(internet.receiver("one").counters.slowedDown).toBeGreaterThan(1);
  });

  it("messages above the rate and connections above the limit are told to slow down", async () => {
    await start({ systems: one({ rate: { messagesPerMinute: 1, burst: 2 }, connections: { most: 1 } }) });
    const client = await connect("one");
    for (let n = 0; n < 2; n++) expect((await send(client, "ben@one.test")).at(-1)).toMatch(/^250 /);
    expect((await send(client, "ben@one.test")).at(-1)).toMatch(/^450-4\.7\.28 .*\r\n450 4\.7\.28 /);
    const second = await connect("one", false);
    expect(await second.reply()).toMatch(/^421 4\.7\.0 /);
    await second.closed();
    client.end();
    await eventually(() => (internet.receiver("one").counters.openConnections === 0 ? true : undefined));
    expect((await (await connect("one", false)).reply()).slice(0, 3)).toBe("220");
  });

  it("a blocked address gets 554 at the greeting, and the connection closes", async () => {
    await start();
    const client = await connect("blocked", false);
    expect(await client.reply()).toMatch(/^554 5\.7\.1 /);
    await client.closed();
  });

  it("unknown users and full mailboxes exist at every domain, and other recipients of the message get it", async () => {
    await start({ kept: "size" });
    const client = await connect("accepts");
    await client.command("MAIL FROM:<a@b.test>");
    expect(await client.command("RCPT TO:<unknown@example.org>")).toMatch(/^550 5\.1\.1 /);
    expect(await client.command("RCPT TO:<full@example.org>")).toMatch(/^452 4\.2\.2 /);
    await client.command("RCPT TO:<ben@example.org>");
    await client.command("DATA");
    expect(await client.command("x\r\n.")).toMatch(/^250 /);
    expect(internet.receiver("accepts").messages).toMatchObject([{ to: ["ben@example.org"] }]);
  });

  it("replies of the caller come in their phase", async () => {
    const replies = new Map([
      ["a@one.test", { phase: "rcpt" as const, reply: "550 5.7.1 first" }],
      ["b@one.test", { phase: "data" as const, reply: "451 4.7.1 second" }],
      ["c@one.test", { phase: "final-dot" as const, reply: "554-5.7.1 third\n554 5.7.1 line" }],
    ]);
    await start({ systems: one({}), replyTo: (address) => replies.get(address) });
    const client = await connect("one");
    const last = async (to: string) => {
      await client.command("RSET");
      const all = await send(client, to);
      return [all.length, all.at(-1)];
    };
    expect(await last("a@one.test")).toEqual([2, "550 5.7.1 first"]);
    expect(await last("b@one.test")).toEqual([3, "451 4.7.1 second"]);
    expect(await last("c@one.test")).toEqual([4, "554-5.7.1 third\r\n554 5.7.1 line"]);
    expect((await last("d@one.test")).at(-1)).toMatch(/^250 /);
  });

  it("closes-after-dot closes without a reply, and has counted the message", async () => {
    await start();
    expect((await send(await connect("closes-after-dot"), "ben@closes-after-dot.test")).at(-1)).toBe("");
    const { counters } = internet.receiver("closes-after-dot");
    expect(counters).toMatchObject({ messages: 0, finalDots: 1, closedAfterDot: 1 });
  });

  it("a tarpit sends a byte now and then and never a whole greeting; a slow host replies in order", async () => {
    await start({
      systems: [
        { ...(one({ tarpit: { msPerByte: 1 } })[0] as MailSystem) },
        { ...(one({ slow: { ms: 5 } })[0] as MailSystem), name: "slow", address: "127.0.0.62" },
      ],
    });
    const stuck = await connect("one", false);
    const slow = await connect("slow");
    expect((await send(slow, "ben@one.test")).map((reply) => reply.slice(0, 3))).toEqual(["250", "250", "354", "250"]);
    await eventually(() => (stuck.unread.length > 40 ? true : undefined));
    expect(stuck.unread).toMatch(/^220-/);
    expect(stuck.unread).not.toMatch(/^220 /m);
  });
});

describe("DNS", () => {
  const resolver = () => {
    const made = new Resolver({ timeout: 60_000, tries: 1 });
    made.setServers([`127.0.0.1:${internet.dnsPort}`]);
    return made;
  };

  it("each domain with a behaviour has its own host, and every other domain the host that accepts", async () => {
    await start();
    const dns = resolver();
    expect(await dns.resolveMx("greylist.test")).toMatchObject([{ priority: 10, exchange: "mx.greylist.test" }]);
    expect(await dns.resolve4("mx.greylist.test")).toEqual([internet.receiver("greylist").system.address]);
    expect(await dns.resolveMx("Example.ORG")).toMatchObject([{ priority: 10, exchange: "mx.accepts.test" }]);
    expect(await dns.resolve4("mx.accepts.test")).toEqual([internet.receiver("accepts").system.address]);
    await expect(dns.resolveTxt("_mta-sts.example.org")).rejects.toMatchObject({ code: "ENOTFOUND" });
    await expect(dns.resolve6("mx.accepts.test")).rejects.toMatchObject({ code: "ENODATA" });
    expect(internet.questions.get("MX example.org")).toBe(1);
  });

  it("a domain without MX hosts has an address", async () => {
    await start({ systems: [{ ...(one({})[0] as MailSystem), mx: [] }] });
    expect(await resolver().resolve4("one.test")).toEqual(["127.0.0.61"]);
    await expect(resolver().resolveMx("one.test")).rejects.toMatchObject({ code: "ENODATA" });
  });

  it("domains exist whose DNS is wrong", async () => {
    await start();
    const dns = resolver();
    expect(await dns.resolveMx("null-mx.test")).toMatchObject([{ priority: 0, exchange: "" }]);
    await expect(dns.resolve4("mx.nowhere.test")).rejects.toMatchObject({ code: "ENOTFOUND" });
    await expect(dns.resolveMx("nxdomain.test")).rejects.toMatchObject({ code: "ENOTFOUND" });
    await expect(dns.resolveMx("servfail.test")).rejects.toMatchObject({ code: "ESERVFAIL" });
  });

  it("an answer that is too long for UDP comes over TCP", async () => {
    const mx = Array.from({ length: 60 }, (_, n) => `mail-host-number-${n}.of.one.test`);
    await start({ systems: [{ ...(one({})[0] as MailSystem), mx }] });
    expect(await resolver().resolveMx("one.test")).toHaveLength(60);
  });
});
