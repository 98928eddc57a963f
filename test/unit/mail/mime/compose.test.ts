import fc from "fast-check";
import { createMimeMessage } from "mimetext/browser";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { binaryStringToBytes } from "../../../../src/lib/bytes.ts";
import { compose } from "../../../../src/mail/mime/compose.ts";
import type { MessageInput } from "../../../../src/mail/mime/message.ts";
import { collect, readWithPostalMime } from "../../../host/support/read-back.ts";

import {
  ALL_EXTENSIONS,
  aFile,
  aMail,
  composeAndRead,
  composedBody,
  composeResult,
  decoder,
  messageBytes,
  NO_EXTENSIONS,
  rawHeader,
} from "../../../support/composed.ts";

describe("a plain message", () => {
  it("has exactly these bytes", async () => {
    const message = decoder.decode(
      await messageBytes(compose(aMail({ cc: [{ email: "c@z.test", name: "Cy" }] }), NO_EXTENSIONS)),
    );
    expect(message.split("\r\n")).toEqual([
      "From: ann@x.test",
      "To: bob@y.test",
      "Cc: Cy <c@z.test>",
      "Subject: Hello",
      "Date: Sat, 21 Nov 2026 01:43:05 +0000",
      "Message-ID: <01989a3e@x.test>",
      "MIME-Version: 1.0",
      'Content-Type: text/plain; charset="utf-8"',
      "Content-Transfer-Encoding: 7bit",
      "",
      "Hi",
      "",
    ]);
  });

  it("has an empty group in To when all recipients are Bcc", () => {
    expect(rawHeader({ to: [] }, "to")).toBe("To: undisclosed-recipients:;\r\n");
  });

  it("has an empty body when there is no text", async () => {
    const composed = compose(aMail({ text: null }), ALL_EXTENSIONS);
    expect(composed.bodySize).toBe(0);
    expect((await collect(composed.body())).length).toBe(0);
  });

  it("is the same each time it is composed", async () => {
    const mail = aMail({ html: "<p>é</p>", attachments: [aFile()] });
    expect(await messageBytes(compose(mail, ALL_EXTENSIONS))).toEqual(
      await messageBytes(compose(mail, ALL_EXTENSIONS)),
    );
  });

  it("refuses an invalid date, message id and id", () => {
    expect(composeResult({ date: new Date(Number.NaN) })).toBe("identity");
    for (const messageId of ["", "a@b", "<a b@c>", "<a@b>\r\nX: y", "<a@b><c@d>", "<é@b>"])
      expect(composeResult({ messageId })).toBe("identity");
    for (const id of ["", 'a"', "a\r\n", "x".repeat(51)]) expect(composeResult({ id, html: "x" })).toBe("identity");
  });
});

describe("headers", () => {
  it("fold at white space and keep lines within 76 characters unless a word is longer", () => {
    const subject = "word ".repeat(60).trim();
    const raw = rawHeader({ subject }, "subject");
    expect(raw.replaceAll("\r\n", "")).toBe(`Subject: ${subject}`);
    for (const line of raw.trimEnd().split("\r\n")) expect(line.length).toBeLessThanOrEqual(76);
    expect(raw.split("\r\n").length).toBeGreaterThan(4);
  });

  it("never break a long word of a custom header, and refuse one longer than a line", () => {
    const url = `<https://x.test/${"u".repeat(500)}?a=?b>`;
    const raw = rawHeader({ headers: [["List-Unsubscribe", `${url}, <mailto:u@x.test>`]] }, "list-unsubscribe");
    expect(raw).toBe(`List-Unsubscribe: ${url},\r\n <mailto:u@x.test>\r\n`);
    expect(composeResult({ headers: [["X-A", "u".repeat(993)]] })).toBe("composed");
    expect(composeResult({ headers: [["X-A", "u".repeat(994)]] })).toBe("line_too_long");
  });

  it("encode a value that contains the start of an encoded-word, and leave a URL unchanged", async () => {
    for (const value of ["' =?x?q?=3D", "=?utf-8?B?QQ==?=", "a =?utf-8?q?b"]) {
      expect(rawHeader({ headers: [["X-A", value]] }, "x-a")).toMatch(/^X-A: =\?utf-8\?[QB]\?/);
    }
    expect(rawHeader({ headers: [["X-A", "<https://x.test/?a=?b>"]] }, "x-a")).toBe("X-A: <https://x.test/?a=?b>\r\n");
  });

  it("keep repeated custom headers in order", () => {
    const headers: [string, string][] = [
      ["X-Tag", "1"],
      ["x-tag", "2"],
      ["X-Tag", ""],
    ];
    expect(rawHeader({ headers }, "x-tag")).toBe("X-Tag: 1\r\nx-tag: 2\r\nX-Tag:\r\n");
  });

  it("refuse an invalid name", () => {
    for (const name of ["", "X Y", "X:Y", "X\r\nBcc", "É", "X_Y", "x".repeat(77)])
      expect(composeResult({ headers: [[name, "v"]] })).toBe("header_name");
  });

  it("refuse every name that only the service writes, in any letter case", () => {
    const owned = [
      "From",
      "To",
      "Cc",
      "Bcc",
      "Reply-To",
      "Subject",
      "Date",
      "Message-ID",
      "MIME-Version",
      "Content-Type",
    ];
    owned.push(
      "Content-X",
      "DKIM-Signature",
      "ARC-Seal",
      "Authentication-Results",
      "Received",
      "Return-Path",
      "Resent-To",
      "Sender",
    );
    for (const name of owned) {
      expect(composeResult({ headers: [[name, "v"]] })).toBe("header_name");
      expect(composeResult({ headers: [[name.toLowerCase(), "v"]] })).toBe("header_name");
    }
  });

  it("refuse every C0 control but TAB in a subject and in a value", () => {
    for (let c = 0; c < 32; c++) {
      const expected = c === 9 ? "composed" : "header_value";
      expect(composeResult({ subject: `a${String.fromCharCode(c)}b` })).toBe(expected);
      expect(composeResult({ headers: [["X-A", `a${String.fromCharCode(c)}b`]] })).toBe(expected);
    }
  });

  it("write non-ASCII text as encoded-words of at most 75 characters, split between characters", async () => {
    for (const subject of [
      "漢字".repeat(100),
      "é".repeat(300),
      "a👩‍👩‍👧‍👦".repeat(40),
      "x".repeat(2000),
      "Grüße aus Köln",
    ]) {
      const raw = rawHeader({ subject }, "subject");
      for (const word of raw.slice("Subject: ".length).trimEnd().split("\r\n ")) {
        expect(word).toMatch(/^=\?utf-8\?[QB]\?[^? ]+\?=$/);
        expect(word.length).toBeLessThanOrEqual(75);
        expect((await readWithPostalMime(binaryStringToBytes(`Subject: ${word}\r\n\r\n`))).subject).not.toContain(
          "\ufffd",
        );
      }
      for (const line of raw.trimEnd().split("\r\n")) expect(line.length).toBeLessThanOrEqual(76);
      expect((await composeAndRead({ subject })).subject).toBe(subject);
    }
  });

  it("choose the shorter of Q and B", () => {
    expect(rawHeader({ subject: "Grüße aus Mainz am Rhein" }, "subject")).toBe(
      "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe_aus_Mainz_am_Rhein?=\r\n",
    );
    expect(rawHeader({ subject: "漢字" }, "subject")).toBe("Subject: =?utf-8?B?5ryi5a2X?=\r\n");
  });

  it("parse back to exactly the given subject", async () => {
    for (const subject of [" a", "a ", "a  b", "a\tb", "=?utf-8?q?x?=", "=?", "\u0085", "\u2028x", "\u007f", "0"]) {
      expect((await composeAndRead({ subject })).subject).toBe(subject);
    }
    expect(rawHeader({ subject: "" }, "subject")).toBe("Subject:\r\n");
  });
});

describe("addresses", () => {
  it("write a display name as atoms, as a quoted string, or as encoded-words", () => {
    const from = (name: string) => rawHeader({ from: { email: "a@x.test", name } }, "from");
    expect(from("Ann Lee")).toBe("From: Ann Lee <a@x.test>\r\n");
    expect(from('Lee, "Ann"')).toBe('From: "Lee, \\"Ann\\"" <a@x.test>\r\n');
    expect(from("Zoë")).toBe("From: =?utf-8?Q?Zo=C3=AB?= <a@x.test>\r\n");
    expect(from("")).toBe("From: a@x.test\r\n");
  });

  it("replace control characters of a display name, so that no header can be injected", async () => {
    const mail = await composeAndRead({
      from: { email: "a@x.test", name: "Ann\r\nBcc: evil@x.test\u0000\u0085\u2028" },
    });
    expect(mail.addresses.from).toEqual([{ name: "Ann Bcc: evil@x.test", address: "a@x.test" }]);
    expect(mail.headers.map(([name]) => name)).not.toContain("bcc");
  });

  it("take invisible characters out of a display name, but not those that emoji and scripts need", async () => {
    const nameOf = async (name: string) => (await composeAndRead({ from: { email: "a@x.test", name } })).addresses.from;
    for (const [stored, sent] of [
      ["Ann\u202e\u2066 Lee\u200b", "Ann Lee"],
      ["\u{1f469}\u200d\u{1f680} Ann", "\u{1f469}\u200d\u{1f680} Ann"],
      ["\u05d0\u200f\u05d1", "\u05d0\u200f\u05d1"],
    ] as const)
      expect(await nameOf(stored)).toEqual([{ name: sent, address: "a@x.test" }]);
  });

  it("fold a long list between mailboxes and never within one", () => {
    const to = Array.from({ length: 50 }, (_, i) => ({ email: `person${i}@example.test`, name: "Ann, Lee" }));
    const raw = rawHeader({ to }, "to");
    expect(raw.replaceAll("\r\n ", " ").match(/"Ann, Lee" <person\d+@example\.test>/g)?.length).toBe(50);
    for (const line of raw.trimEnd().split("\r\n")) expect(line.length).toBeLessThanOrEqual(76);
  });

  it("write a non-ASCII local part in UTF-8 when the next hop supports SMTPUTF8, else refuse it", () => {
    const over = { to: [{ email: "jürgen@bücher.test", name: "J" }] };
    const composed = compose(aMail(over), ALL_EXTENSIONS);
    expect(composed.needsSmtpUtf8).toBe(true);
    expect(decoder.decode(binaryStringToBytes(rawHeader(over, "to")))).toBe("To: J <jürgen@xn--bcher-kva.test>\r\n");
    expect(composeResult(over, NO_EXTENSIONS)).toBe("smtputf8");
  });

  it("write a non-ASCII domain in A-labels for every next hop", () => {
    for (const can of [ALL_EXTENSIONS, NO_EXTENSIONS]) {
      const composed = compose(aMail({ to: [{ email: "a@bücher.test" }] }), can);
      expect(composed.needsSmtpUtf8).toBe(false);
      expect(composed.headers.find((h) => h.name === "To")?.raw).toBe("To: a@xn--bcher-kva.test\r\n");
    }
  });

  it("refuse an invalid address in each address header", () => {
    for (const email of [
      "a@x.test\r\nRCPT TO:<e@z.test>",
      "a@x.test>,<b@y.test",
      "a b@x.test",
      "a",
      "@x.test",
      "a@x.test\u0000",
    ]) {
      for (const over of [{ from: { email } }, { to: [{ email }] }, { cc: [{ email }] }, { replyTo: { email } }]) {
        expect(composeResult(over)).toBe("address");
      }
    }
  });
});

describe("text bodies", () => {
  it("are 7bit while they are ASCII in lines of at most 998 bytes", async () => {
    const raw = (t: string) => rawHeader({ text: t }, "content-transfer-encoding");
    expect(raw("plain\ntext")).toContain(" 7bit");
    expect(raw("x".repeat(998))).toContain(" 7bit");
    expect(raw("x".repeat(999))).toContain(" quoted-printable");
    expect(raw("a\u0000b and more")).toContain(" quoted-printable");
    expect(raw("From the start")).toContain(" quoted-printable");
    expect(raw("漢字漢字漢字")).toContain(" base64");
    expect(raw(`${"mostly plain ".repeat(20)}é`)).toContain(" quoted-printable");
  });

  it("end every line with CRLF, for all line ends of the input", async () => {
    expect(await composedBody({ text: "a\rb\nc\r\nd\n\re" })).toBe("a\r\nb\r\nc\r\nd\r\n\r\ne\r\n");
    expect(await composedBody({ text: "é\r\n.\n.\r" })).toBe("=C3=A9\r\n.\r\n.\r\n");
  });

  it("have CRLF line ends for every mix of CR, LF and characters", async () => {
    const piece = fc.constantFrom("\r", "\n", "\r\n", "a", "\u00e9", " ", "From ", "");
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const written = pieces.join("");
        const { tree } = await composeAndRead({ text: `${written}.` });
        expect(tree.text).toBe(`${written}.`.replace(/\r\n?/g, "\n"));
        const body = await composedBody({ text: written });
        expect(body.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
      }),
      { numRuns: 300 },
    );
  });

  it("keep quoted-printable lines within 76 characters and escape white space at line ends and From", async () => {
    const body = await composedBody({
      text: `From é\n${"x".repeat(75)}\n${"x".repeat(76)}\n${"x".repeat(77)}\nend \t\nz `,
    });
    for (const line of body.split("\r\n")) {
      expect(line.length).toBeLessThanOrEqual(76);
      expect(line).not.toMatch(/[ \t]$|^From /);
    }
    expect(body).toContain("end =09\r\nz=20");
  });

  it("cannot contain a boundary of their message", async () => {
    const id = aMail().id;
    const attack = `x\r\n--=_alternative_${id}\r\nContent-Type: text/html\r\n\r\nevil\r\n--=_alternative_${id}--\r\n`;
    const mail = await composeAndRead({ text: attack, html: attack });
    expect(mail.tree).toEqual({
      type: "multipart/alternative",
      children: ["text/plain", "text/html"].map((type) => ({ type, text: attack.replaceAll("\r\n", "\n") })),
    });
  });
});

describe("the part tree", () => {
  const types = (part: { type: string; children?: unknown[] }): unknown =>
    part.children ? { [part.type]: part.children.map((c) => types(c as { type: string })) } : part.type;
  const tree = async (over: Partial<MessageInput>) => types((await composeAndRead(over)).tree);
  const logo = aFile({ contentId: "logo", disposition: "inline" });

  it("has a multipart only for two or more children", async () => {
    expect(await tree({})).toBe("text/plain");
    expect(await tree({ text: null, html: "<p>" })).toBe("text/html");
    expect(await tree({ html: "<p>" })).toEqual({ "multipart/alternative": ["text/plain", "text/html"] });
    expect(await tree({ text: null, html: "<p>", attachments: [logo] })).toEqual({
      "multipart/related": ["text/html", "image/png"],
    });
    expect(await tree({ attachments: [aFile()] })).toEqual({ "multipart/mixed": ["text/plain", "image/png"] });
    expect(await tree({ text: null, attachments: [aFile()] })).toEqual({ "multipart/mixed": ["image/png"] });
  });

  it("nests mixed, alternative and related for text, HTML, inline files and attachments", async () => {
    expect(await tree({ html: "<img src=cid:logo>", attachments: [aFile(), logo] })).toEqual({
      "multipart/mixed": [
        { "multipart/alternative": ["text/plain", { "multipart/related": ["text/html", "image/png"] }] },
        "image/png",
      ],
    });
  });

  it("treats inline files as attachments when there is no HTML", async () => {
    expect(await tree({ attachments: [logo] })).toEqual({ "multipart/mixed": ["text/plain", "image/png"] });
  });
});

describe("an independent composer", () => {
  it("produces a message that parses to the same values", async () => {
    const mimetext = createMimeMessage();
    mimetext.setSender({ name: "Ann", addr: "ann@x.test" });
    mimetext.setRecipient("bob@y.test");
    mimetext.setSubject("A plain subject");
    mimetext.addMessage({ contentType: "text/plain", data: "A text." });
    mimetext.addMessage({ contentType: "text/html", data: "<p>A text.</p>" });
    const other = await PostalMime.parse(mimetext.asRaw());
    const mail = aMail({
      from: { email: "ann@x.test", name: "Ann" },
      to: [{ email: "bob@y.test" }],
      cc: [],
      subject: "A plain subject",
      text: "A text.",
      html: "<p>A text.</p>",
    });
    const composed = await PostalMime.parse(await messageBytes(compose(mail, ALL_EXTENSIONS)));
    expect([composed.from, composed.to, composed.subject]).toEqual([other.from, other.to, other.subject]);
    expect([composed.text?.trim(), composed.html?.trim()]).toEqual([other.text?.trim(), other.html?.trim()]);
  });
});
