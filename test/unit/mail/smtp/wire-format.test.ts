/** The pure functions: EGRESS_URL, addresses, DSN encodings, command lines, replies, dot-stuffing. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toWireAddress } from "../../../../src/mail/smtp/addresses.ts";
import { NO_CAPABILITIES, parseCapabilities, type ServerCapabilities } from "../../../../src/mail/smtp/capabilities.ts";
import { planTransaction } from "../../../../src/mail/smtp/commands.ts";
import { DotStuffer, MessageFormatError } from "../../../../src/mail/smtp/dot-stuffing.ts";
import { EgressUrlError, parseEgressUrl } from "../../../../src/mail/smtp/egress-url.ts";
import { ReplyParser, toReply } from "../../../../src/mail/smtp/replies.ts";
import type { Envelope } from "../../../../src/mail/smtp/transport.ts";
import { originalRecipient, xtext } from "../../../../src/mail/smtp/xtext.ts";
import { FAKE_ENDS_OF_DATA, WRONG_ADDRESSES, WRONG_EGRESS_URLS } from "../../../mail/smtp/hostile-input.ts";
import { envelopeTo, messageOf } from "../../../support/outgoing-mail.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const EVERYTHING: ServerCapabilities = parseCapabilities([
  "x",
  "PIPELINING",
  "SIZE 1000",
  "8BITMIME",
  "SMTPUTF8",
  "DSN",
]);

describe("EGRESS_URL", () => {
  it("means implicit TLS on 465, STARTTLS on 587, and clear text only with tls=off", () => {
    expect(parseEgressUrl("smtps://relay.test")).toMatchObject({
      host: "relay.test",
      port: 465,
      tls: "implicit",
      credentials: null,
    });
    expect(parseEgressUrl("smtp://relay.test")).toMatchObject({
      port: 587,
      tls: "starttls",
      dsn: false,
      maxConnections: 4,
    });
    expect(parseEgressUrl("smtp://127.0.0.1:2525?tls=off&dsn=on&ehlo=mx.test&connections=2")).toEqual({
      host: "127.0.0.1",
      port: 2525,
      tls: "off",
      credentials: null,
      serverName: null,
      dsn: true,
      ehloName: "mx.test",
      maxConnections: 2,
    });
    expect(parseEgressUrl("smtp://Relay.Test/?name=cert.test")).toMatchObject({
      host: "relay.test",
      serverName: "cert.test",
    });
  });

  it("decodes any user name and password that encodeURIComponent can encode", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((s) => s.isWellFormed() && !s.includes("\0"));
    fc.assert(
      fc.property(text, text, (username, password) => {
        const url = `smtps://${encodeURIComponent(username)}:${encodeURIComponent(password)}@relay.test`;
        expect(parseEgressUrl(url).credentials).toEqual({ username, password });
      }),
    );
  });

  it("refuses malformed URLs without repeating the password", () => {
    for (const url of WRONG_EGRESS_URLS) {
      expect(() => parseEgressUrl(url), url).toThrow(EgressUrlError);
      try {
        parseEgressUrl(url);
      } catch (error) {
        expect(String(error)).not.toContain("hunter2");
      }
    }
  });
});

describe("addresses", () => {
  it("keeps ASCII addresses unchanged and converts domains to A-labels", () => {
    expect(toWireAddress("Joe.O'Neil+tag@Example.TEST")).toEqual({
      address: "Joe.O'Neil+tag@Example.TEST",
      ascii: true,
    });
    expect(toWireAddress("joe@bücher.test")).toEqual({ address: "joe@xn--bcher-kva.test", ascii: true });
    expect(toWireAddress("jörg@bücher.test")).toEqual({ address: "jörg@xn--bcher-kva.test", ascii: false });
    expect(toWireAddress('"joe,x"@[192.0.2.1]')).toEqual({ address: '"joe,x"@[192.0.2.1]', ascii: true });
    expect(toWireAddress("joe@[IPv6:2001:db8::1]")?.ascii).toBe(true);
  });

  it("refuses strings that are not exactly one address", () => {
    for (const address of WRONG_ADDRESSES) expect(toWireAddress(address), JSON.stringify(address)).toBeNull();
  });

  it("never accepts a control character, space or angle bracket, for random input", () => {
    const nasty = fc
      .array(
        fc.constantFrom(
          "a",
          "@",
          "x.test",
          "\r",
          "\n",
          "\0",
          " ",
          "<",
          ">",
          '"',
          "\\",
          "é",
          ".",
          "[",
          "]",
          ":",
          "\u2028",
          "＠",
          "%0d",
        ),
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(nasty, fc.string({ unit: "binary" })), (address) => {
        const wire = toWireAddress(address);
        if (wire) expect(wire.address).toMatch(/^[^\x00-\x20\x7f<>]+@[\x21-\x7e]+$/);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("DSN encodings", () => {
  it("encodes xtext by RFC 3461 4 and UTF-8 addresses by RFC 6533 3", () => {
    expect(xtext("a+b=c d")).toBe("a+2Bb+3Dc+20d");
    expect(originalRecipient("Bob+x@d.test")).toBe("rfc822;Bob+2Bx@d.test");
    expect(originalRecipient("jörg+a\\@bücher.test")).toBe("utf-8;j\\x{F6}rg\\x{2B}a\\x{5C}@b\\x{FC}cher.test");
    expect(originalRecipient("😀@x.test")).toBe("utf-8;\\x{1F600}@x.test");
  });
});

describe("command lines", () => {
  const envelope: Envelope = {
    mailFrom: "a@sender.test",
    envelopeId: "id=1+x",
    return: "HDRS",
    recipients: [
      { address: "b@r.test", notify: ["SUCCESS", "FAILURE"], originalRecipient: "B+x@r.test" },
      { address: "c@r.test", notify: "NEVER" },
      { address: "d@r.test" },
    ],
  };
  const message = messageOf("x\r\n", { needs8BitMime: true });

  it("have every parameter that the server offers", () => {
    const plan = planTransaction(envelope, message, EVERYTHING);
    expect(plan.mail).toBe("MAIL FROM:<a@sender.test> SIZE=3 BODY=8BITMIME RET=HDRS ENVID=id+3D1+2Bx");
    expect(plan.recipients).toEqual([
      { index: 0, line: "RCPT TO:<b@r.test> NOTIFY=SUCCESS,FAILURE ORCPT=rfc822;B+2Bx@r.test", asksSuccess: true },
      { index: 1, line: "RCPT TO:<c@r.test> NOTIFY=NEVER", asksSuccess: false },
      { index: 2, line: "RCPT TO:<d@r.test>", asksSuccess: false },
    ]);
  });

  it("have no parameter that the server does not offer", () => {
    const plan = planTransaction(envelope, messageOf("x\r\n"), NO_CAPABILITIES);
    expect([plan.mail, ...plan.recipients.map(({ line }) => line)]).toEqual([
      "MAIL FROM:<a@sender.test>",
      "RCPT TO:<b@r.test>",
      "RCPT TO:<c@r.test>",
      "RCPT TO:<d@r.test>",
    ]);
    expect(plan.recipients[0]?.asksSuccess).toBe(false);
  });

  it("have SMTPUTF8 exactly when a local part or a header needs it", () => {
    const mail = (to: string, needsSmtpUtf8: boolean) =>
      planTransaction({ ...envelopeTo(to), mailFrom: "" }, messageOf("x\r\n", { needsSmtpUtf8 }), EVERYTHING).mail;
    expect(mail("b@bücher.test", false)).toBe("MAIL FROM:<> SIZE=3");
    expect(mail("jörg@r.test", false)).toBe("MAIL FROM:<> SIZE=3 SMTPUTF8");
    expect(mail("b@r.test", true)).toBe("MAIL FROM:<> SIZE=3 SMTPUTF8");
  });

  it("are not built for a message that the server does not support: it is refused locally", () => {
    const refused = (needs: object, from = "a@s.test", server: ServerCapabilities = NO_CAPABILITIES) => {
      const plan = planTransaction(
        { ...envelopeTo("b@r.test", "c@r.test"), mailFrom: from },
        messageOf("x\r\n", needs),
        server,
      );
      expect(plan.recipients).toEqual([]);
      expect(plan.decided[1]).toEqual(plan.decided[0]);
      return plan.decided[0];
    };
    const kind = "message-refused";
    expect(refused({ needs8BitMime: true })).toMatchObject({
      kind,
      phase: "mail",
      reply: { code: 554, enhanced: "5.6.3" },
    });
    expect(refused({ needsSmtpUtf8: true })).toMatchObject({ kind, reply: { code: 554, enhanced: "5.6.9" } });
    expect(refused({}, "jörg@s.test")).toMatchObject({ kind, reply: { code: 553, enhanced: "5.6.7" } });
    expect(refused({}, "a b@s.test")).toMatchObject({ kind, reply: { code: 553, enhanced: "5.1.7" } });
    expect(refused({ size: 1001 }, undefined, EVERYTHING)).toMatchObject({
      kind,
      reply: { code: 552, enhanced: "5.3.4" },
    });
    expect(refused({ size: Number.NaN })).toMatchObject({ kind, reply: { code: 554 } });
  });

  it("are not built for an invalid recipient, while the others are sent", () => {
    const envelope: Envelope = {
      mailFrom: "a@s.test",
      recipients: [
        { address: "ok@r.test" },
        { address: "x@r.test\r\nDATA" },
        { address: "jörg@r.test" },
        { address: "o@r.test", originalRecipient: "o@r.test\r\nDATA" },
        { address: "o@r.test", originalRecipient: `${"ö".repeat(90)}@r.test` },
        { address: "n@r.test", notify: ["SUCCESS\r\nDATA" as "SUCCESS"] },
      ],
    };
    const plan = planTransaction(envelope, messageOf("x\r\n"), { ...EVERYTHING, smtpUtf8: false });
    expect(plan.recipients.map(({ index }) => index)).toEqual([0]);
    expect(
      plan.decided.map((result) =>
        result && "reply" in result ? `${result.reply?.code} ${result.reply?.enhanced}` : null,
      ),
    ).toEqual([null, "553 5.1.3", "553 5.6.7", "501 5.5.4", "501 5.5.4", "501 5.5.4"]);
  });

  it("are not built for an invalid ENVID or RET", () => {
    for (const broken of [
      { envelopeId: "a b" },
      { envelopeId: "é" },
      { envelopeId: "x\r\nDATA" },
      { envelopeId: "+".repeat(34) },
      { envelopeId: "" },
      { return: "x" as "FULL" },
    ]) {
      const plan = planTransaction({ ...envelopeTo("b@r.test"), ...broken }, messageOf("x\r\n"), EVERYTHING);
      expect(plan.decided[0]).toMatchObject({ kind: "message-refused", reply: { code: 501 } });
    }
  });
});

describe("replies", () => {
  const parse = (text: string) => {
    const parser = new ReplyParser();
    parser.feed(bytes(text));
    const reply = parser.next();
    return reply && toReply(reply);
  };

  it("parse the same for any TCP segmentation", () => {
    const text =
      "250-mx.test\r\n250-SIZE 10\r\n250 DSN\r\n354\r\n550-5.1.1 no\r\n550 5.1.1 such user\r\n221 2.0.0 bye\n";
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (cuts) => {
        const parser = new ReplyParser();
        const got: (string | number)[][] = [];
        for (let at = 0, i = 0; at < text.length; at += cuts[i++ % cuts.length] ?? 1) {
          parser.feed(bytes(text.slice(at, at + (cuts[i % cuts.length] ?? 1))));
          for (let reply = parser.next(); reply; reply = parser.next()) got.push([reply.code, ...reply.lines]);
        }
        expect(got).toEqual([
          [250, "mx.test", "SIZE 10", "DSN"],
          [354, ""],
          [550, "5.1.1 no", "5.1.1 such user"],
          [221, "2.0.0 bye"],
        ]);
        expect(parser.pending).toBe(false);
      }),
    );
  });

  it("yield their enhanced code only when its class matches", () => {
    expect(parse("550-5.1.1 no\r\n550 5.1.1 such user\r\n")).toEqual({
      code: 550,
      enhanced: "5.1.1",
      text: "no such user",
    });
    expect(parse("250 2.1.5\r\n")).toEqual({ code: 250, enhanced: "2.1.5", text: "" });
    expect(parse("450 5.1.1 odd\r\n")).toEqual({ code: 450, enhanced: null, text: "5.1.1 odd" });
    expect(parse("550 5.1.1x\r\n")).toEqual({ code: 550, enhanced: null, text: "5.1.1x" });
  });

  it("contain no control characters and at most 512 characters", () => {
    expect(parse("550 a\tb\x1b[31m\x7fc\0\r\n")?.text).toBe("a?b?[31m?c?");
    expect(parse(`550 ${"😀".repeat(400)}\r\n`)?.text).toHaveLength(512);
    expect(parse(`550 x${"😀".repeat(400)}\r\n`)?.text.isWellFormed()).toBe(true);
  });

  it("are refused when malformed, mixed or endless, before memory grows", () => {
    const wrong = [
      "hello\r\n",
      "25\r\n",
      "2500 x\r\n",
      "150 x\r\n",
      "650 x\r\n",
      "250x\r\n",
      "\r\n",
      "250-a\r\n251 b\r\n",
    ];
    for (const text of wrong) expect(() => parse(text), text).toThrow("repl");
    expect(() => parse("x".repeat(2_049))).toThrow("too long");
    expect(() => parse("250-x\r\n".repeat(129))).toThrow("too many lines");
  });
});

describe("EHLO keywords", () => {
  it("are case-insensitive; SIZE 0 and SIZE without a number mean no limit", () => {
    expect(parseCapabilities(["x", "size 0", "Pipelining", "AUTH PLAIN", "AUTH=LOGIN XOAUTH2"])).toMatchObject({
      maxSize: null,
      size: true,
      pipelining: true,
    });
    expect([...parseCapabilities(["x", "auth plain", "AUTH=LOGIN"]).auth]).toEqual(["PLAIN", "LOGIN"]);
    expect(parseCapabilities(["SIZE 5", "SIZE"])).toMatchObject({ maxSize: null, dsn: false });
    expect(parseCapabilities(["x", "SIZE 5"]).maxSize).toBe(5);
  });
});

describe("dot-stuffing", () => {
  /** Stuffs in chunks of these lengths; the result as latin1. */
  const stuff = (text: string, cuts: readonly number[] = [text.length || 1], size = text.length) => {
    const stuffer = new DotStuffer(size);
    const all = Uint8Array.from(text, (char) => char.charCodeAt(0));
    const out = new Uint8Array(text.length * 2);
    let to = 0;
    for (let at = 0, i = 0; at < all.length; i++) {
      const length = cuts[i % cuts.length] ?? 1;
      to = stuffer.stuff(all.subarray(at, at + length), out, to);
      at += length;
    }
    stuffer.finish();
    return String.fromCharCode(...out.subarray(0, to));
  };

  it("doubles every dot at the start of a line and nothing else, for any chunking", () => {
    const line = fc.array(fc.constantFrom(".", "..", "a", "\u00e9", ".a", "")).map((parts) => parts.join(""));
    const lines = fc.array(line, { minLength: 1 });
    fc.assert(
      fc.property(lines, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), (all, cuts) => {
        const expected = all.map((one) => `${one.startsWith(".") ? "." : ""}${one}\r\n`).join("");
        expect(stuff(`${all.join("\r\n")}\r\n`, cuts)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it("refuses every fake end of data (SMTP smuggling) and stuffs CRLF dot CRLF", () => {
    for (const fake of FAKE_ENDS_OF_DATA) {
      const text = `body${fake}MAIL FROM:<evil@x.test>\r\n`;
      for (const cuts of [[text.length], [1], [2, 3], [5]])
        expect(() => stuff(text, cuts), JSON.stringify(fake)).toThrow(MessageFormatError);
    }
    expect(stuff("body\r\n.\r\nMAIL\r\n")).toBe("body\r\n..\r\nMAIL\r\n");
  });

  it("refuses a message that is longer or shorter than announced, has a NUL, or does not end in CRLF", () => {
    for (const text of ["", "a", "a\r", "a\r\n.", "\n", "\r", "a\0\r\n"])
      expect(() => stuff(text), JSON.stringify(text)).toThrow(MessageFormatError);
    expect(() => stuff("a\r\n", [1], 2)).toThrow("longer");
    expect(() => stuff("a\r\n", [1], 4)).toThrow("shorter");
    expect(stuff("\r\n")).toBe("\r\n");
  });
});
