/** The client against npm smtp-server with certificates of a temporary authority, and failures of the handshake. */

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type SmtpOptions, smtpTransport } from "../../../src/mail/smtp/connect.ts";
import { parseEgressUrl } from "../../../src/mail/smtp/egress-url.ts";
import { ConnectError } from "../../../src/mail/smtp/transport.ts";
import { envelopeTo, messageOf } from "../../support/outgoing-mail.ts";
import { realMessages, scriptedServer } from "../../support/smtp-control.ts";

const port = (name: string) => env.TEST_SERVERS[name] ?? 0;
const LOGIN = "mail%40egress.test:p%3Aa%2Fs%20s%25w%C3%B6rd%3F%23";
const open = (url: string, options: SmtpOptions = {}) => smtpTransport(parseEgressUrl(url), options).open();

/** Returns the ConnectError of a failed open. */
async function connectFailure(url: string, options?: SmtpOptions): Promise<ConnectError> {
  const error = await open(url, options).then(
    () => "it opened",
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConnectError);
  return error as ConnectError;
}

describe("against npm smtp-server", () => {
  const servers = [
    { name: "realPlain", url: () => `smtp://127.0.0.1:${port("realPlain")}/?tls=off`, user: null },
    { name: "realStartTls", url: () => `smtp://${LOGIN}@localhost:${port("realStartTls")}`, user: "mail@egress.test" },
    { name: "realImplicit", url: () => `smtps://${LOGIN}@127.0.0.1:${port("realImplicit")}`, user: "mail@egress.test" },
    { name: "realNamed", url: () => `smtp://127.0.0.1:${port("realNamed")}/?name=smtp.test`, user: null },
  ];
  for (const { name, url, user } of servers) {
    it(`delivers the exact bytes and reports one refused recipient of two: ${name}`, async () => {
      const connection = await open(url());
      const content = `Subject: ${name}\r\n\r\n.dot\r\n..dots\r\n.\r\nend é\r\n`;
      const message = messageOf(content, { needs8BitMime: true, chunk: 7 });
      const sent = await connection.send(envelopeTo("b@receiver.test", "refused@receiver.test"), message);
      const again = await connection.send(envelopeTo("c@receiver.test"), message);
      await connection.close();
      expect([...sent.recipients, ...again.recipients].map(({ kind }) => kind)).toEqual([
        "accepted",
        "recipient-refused",
        "accepted",
      ]);
      const [first, second] = await realMessages(name);
      expect(first).toMatchObject({
        from: "a@sender.test",
        to: ["b@receiver.test"],
        secure: name !== "realPlain",
        user,
      });
      expect(second?.to).toEqual(["c@receiver.test"]);
      expect(new TextDecoder().decode(first?.raw)).toBe(content);
    });
  }

  it("fails in phase auth with a wrong password, and the error does not contain it", async () => {
    const error = await connectFailure(`smtp://mail%40egress.test:hunter2-wrong@localhost:${port("realStartTls")}`);
    expect(error).toMatchObject({ phase: "auth", reply: { code: 535 } });
    expect(`${error.message} ${error.reply?.text}`).not.toContain("hunter2");
  });

  it("fails on a certificate for another name, with STARTTLS and with implicit TLS", async () => {
    expect(await connectFailure(`smtp://127.0.0.1:${port("realNamed")}`)).toMatchObject({ phase: "tls" });
    expect(await connectFailure(`smtps://127.0.0.1:${port("namedImplicit")}`)).toMatchObject({ phase: "connect" });
  });

  it("fails on a closed port", async () => {
    const server = await scriptedServer();
    await server.close();
    expect(await connectFailure(server.url)).toMatchObject({ phase: "connect", reply: null });
  });
});

describe("the handshake", () => {
  it("times out when no greeting comes", async () => {
    const server = await scriptedServer({ greeting: { silent: true } });
    expect(await connectFailure(server.url, { replyMs: 100 })).toMatchObject({ phase: "greeting", reply: null });
  });

  it("reports a 554 and a 421 greeting with the server's text", async () => {
    for (const code of [554, 421]) {
      const server = await scriptedServer({ greeting: `${code} 4.3.2 not today` });
      const error = await connectFailure(server.url);
      expect(error.phase).toBe("greeting");
      expect(error.reply).toMatchObject({ code, text: expect.stringContaining("not today") });
      expect(await server.commands()).toEqual([]);
    }
  });

  it("falls back to HELO after a 5xx to EHLO, and then uses no extension", async () => {
    const server = await scriptedServer({ ehlo: "502 5.5.1 what?" });
    const connection = await open(server.url);
    const sent = await connection.send(envelopeTo("b@receiver.test"), messageOf("x\r\n"));
    await connection.close();
    expect(sent.recipients[0]?.kind).toBe("accepted");
    expect(await server.commands()).toEqual([
      "EHLO [127.0.0.1]",
      "HELO [127.0.0.1]",
      "MAIL FROM:<a@sender.test>",
      "RCPT TO:<b@receiver.test>",
      "DATA",
      "QUIT",
    ]);
  });

  it("does not fall back to HELO after a 4xx to EHLO", async () => {
    const server = await scriptedServer({ ehlo: "451 4.3.0 later" });
    expect(await connectFailure(server.url)).toMatchObject({
      phase: "ehlo",
      reply: { code: 451, enhanced: "4.3.0", text: "later" },
    });
  });

  it("never sends mail or password in clear text when STARTTLS is not offered or refused, or EHLO is refused", async () => {
    const scripts = [
      { script: { capabilities: ["AUTH PLAIN"] }, phase: "starttls" },
      { script: { capabilities: ["STARTTLS", "AUTH PLAIN"], starttls: "454 4.7.0 no" }, phase: "starttls" },
      { script: { ehlo: "502 no" }, phase: "ehlo" },
    ];
    for (const { script, phase } of scripts) {
      const server = await scriptedServer(script);
      expect(await connectFailure(`smtp://user:secret@127.0.0.1:${server.port}`)).toMatchObject({ phase });
      expect((await server.commands()).filter((line) => !/^(EHLO|STARTTLS)/.test(line))).toEqual([]);
    }
  });

  it("fails when clear text follows the reply to STARTTLS (CVE-2011-0411)", async () => {
    for (const raw of ["220 go\r\n250 injected\r\n", "220 go\r\n2"]) {
      const server = await scriptedServer({ capabilities: ["STARTTLS"], starttls: { raw } });
      expect(await connectFailure(`smtp://user:secret@127.0.0.1:${server.port}`)).toMatchObject({ phase: "starttls" });
      expect((await server.transcript()).map(({ event }) => event)).not.toContain("secure");
    }
  });

  it("uses only the capabilities announced after TLS", async () => {
    const server = await scriptedServer({
      capabilities: ["STARTTLS", "SIZE 10", "AUTH LOGIN", "DSN"],
      capabilitiesAfterTls: ["SIZE 2000", "AUTH PLAIN", "PIPELINING"],
    });
    const connection = await open(`smtp://user:secret@127.0.0.1:${server.port}`);
    expect(connection.capabilities).toMatchObject({ maxSize: 2000, dsn: false, pipelining: true });
    await connection.close();
    const [first, ...rest] = (await server.transcript()).map(({ event, text }) => (event === "command" ? text : event));
    expect([first, ...rest].filter((text) => text !== "close")).toEqual([
      "open",
      "EHLO [127.0.0.1]",
      "STARTTLS",
      "secure",
      "EHLO [127.0.0.1]",
      `AUTH PLAIN ${btoa("\0user\0secret")}`,
      "QUIT",
    ]);
  });

  it("uses AUTH LOGIN when only that is offered, and AUTH PLAIN in two steps when the line would be too long", async () => {
    const byLogin = await scriptedServer({ capabilities: ["AUTH=LOGIN"] });
    await (await open(`smtp://user:secret@127.0.0.1:${byLogin.port}/?tls=off`)).close();
    expect((await byLogin.commands()).slice(1, -1)).toEqual(["AUTH LOGIN", btoa("user"), btoa("secret")]);
    const long = "s".repeat(600);
    const byPlain = await scriptedServer({ capabilities: ["AUTH LOGIN PLAIN"] });
    await (await open(`smtp://user:${long}@127.0.0.1:${byPlain.port}/?tls=off`)).close();
    expect((await byPlain.commands()).slice(1, -1)).toEqual(["AUTH PLAIN", btoa(`\0user\0${long}`)]);
  });

  it("does not send the password after an early 235, 535 or 454", async () => {
    for (const auth of [["235 2.7.0 ok"], ["535 5.7.8 no"], ["334 VXNlcm5hbWU6", "454 4.7.0 later"]]) {
      const server = await scriptedServer({ capabilities: ["AUTH LOGIN"], auth });
      expect(await connectFailure(`smtp://user:secret@127.0.0.1:${server.port}/?tls=off`)).toMatchObject({
        phase: "auth",
      });
      expect(await server.commands()).not.toContain(btoa("secret"));
    }
  });

  it("fails when a password is set and the server offers no supported AUTH", async () => {
    const server = await scriptedServer({ capabilities: ["AUTH CRAM-MD5"] });
    expect(await connectFailure(`smtp://user:secret@127.0.0.1:${server.port}/?tls=off`)).toMatchObject({
      phase: "auth",
      reply: null,
    });
  });
});
