import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Composable, type Composed, ComposeError, compose, octetsOf } from "../../src/delivery/compose/index.ts";
import { type GeneratedMail, generatedMail, inSteps } from "../host/support/hostile-mail.ts";
import { faultsOf, intendedAddresses, intendedHeaders, intendedTree } from "../host/support/intended.ts";
import {
  collected,
  octetFaults,
  readWithPostalMime,
  sameOctets,
  treeWithoutBom,
  withoutBom,
} from "../host/support/read-back.ts";

const ALL = { smtpUtf8: true, eightBitMime: true };
const NONE = { smtpUtf8: false, eightBitMime: false };
const text = new TextDecoder();

function aMail(over: Partial<Composable> = {}): Composable {
  return {
    id: "01989a3e-5c1f-7000-8000-000000000001",
    messageId: "<01989a3e@x.test>",
    date: new Date("2026-11-21T01:43:05Z"),
    from: { email: "ann@x.test" },
    to: [{ email: "bob@y.test" }],
    cc: [],
    subject: "Hello",
    headers: [],
    text: "Hi",
    attachments: [],
    ...over,
  };
}

function aFile(over: Partial<Composable["attachments"][number]> = {}, octets = Uint8Array.of(1, 2, 3)) {
  const file = { filename: "a.bin", contentType: "image/png", disposition: "attachment" as const, size: octets.length };
  return { ...file, open: () => inSteps(octets, 100), ...over };
}

async function messageOf(composed: Composed): Promise<Uint8Array> {
  const head = octetsOf(`${composed.headers.map((h) => h.raw).join("")}\r\n`);
  const body = await collected(composed.body());
  const out = new Uint8Array(head.length + body.length);
  out.set(head);
  out.set(body, head.length);
  return out;
}

async function read(over: Partial<Composable>, can = ALL) {
  return readWithPostalMime(await messageOf(compose(aMail(over), can)));
}

function rawOf(over: Partial<Composable>, name: string, can = ALL): string {
  const fields = compose(aMail(over), can).headers.filter((h) => h.name.toLowerCase() === name.toLowerCase());
  return fields.map((h) => h.raw).join("");
}

function codeOf(over: Partial<Composable>, can = ALL): string {
  try {
    compose(aMail(over), can);
  } catch (error) {
    if (error instanceof ComposeError) return error.code;
    throw error;
  }
  return "composed";
}

async function bodyOf(over: Partial<Composable>): Promise<string> {
  return text.decode(await collected(compose(aMail(over), ALL).body()));
}

describe("a plain message", () => {
  it("is these octets and no others", async () => {
    const message = text.decode(await messageOf(compose(aMail({ cc: [{ email: "c@z.test", name: "Cy" }] }), NONE)));
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

  it("names an empty group when everybody is a blind copy", () => {
    expect(rawOf({ to: [] }, "to")).toBe("To: undisclosed-recipients:;\r\n");
  });

  it("has no body octets when there is no text", async () => {
    const composed = compose(aMail({ text: null }), ALL);
    expect(composed.bodySize).toBe(0);
    expect((await collected(composed.body())).length).toBe(0);
  });

  it("is the same each time it is composed", async () => {
    const mail = aMail({ html: "<p>é</p>", attachments: [aFile()] });
    expect(await messageOf(compose(mail, ALL))).toEqual(await messageOf(compose(mail, ALL)));
  });

  it("refuses a date, a message id and an id that cannot stand in a message", () => {
    expect(codeOf({ date: new Date(Number.NaN) })).toBe("identity");
    for (const messageId of ["", "a@b", "<a b@c>", "<a@b>\r\nX: y", "<a@b><c@d>", "<é@b>"])
      expect(codeOf({ messageId })).toBe("identity");
    for (const id of ["", 'a"', "a\r\n", "x".repeat(51)]) expect(codeOf({ id, html: "x" })).toBe("identity");
  });
});

describe("headers", () => {
  it("fold at white space and keep lines within 76 where words allow it", () => {
    const subject = "word ".repeat(60).trim();
    const raw = rawOf({ subject }, "subject");
    expect(raw.replaceAll("\r\n", "")).toBe(`Subject: ${subject}`);
    for (const line of raw.trimEnd().split("\r\n")) expect(line.length).toBeLessThanOrEqual(76);
    expect(raw.split("\r\n").length).toBeGreaterThan(4);
  });

  it("never break a long word of a custom header, and refuse one that no line can hold", () => {
    const url = `<https://x.test/${"u".repeat(500)}?a=?b>`;
    const raw = rawOf({ headers: [["List-Unsubscribe", `${url}, <mailto:u@x.test>`]] }, "list-unsubscribe");
    expect(raw).toBe(`List-Unsubscribe: ${url},\r\n <mailto:u@x.test>\r\n`);
    expect(codeOf({ headers: [["X-A", "u".repeat(993)]] })).toBe("composed");
    expect(codeOf({ headers: [["X-A", "u".repeat(994)]] })).toBe("line_too_long");
  });

  it("encode a value that a reader could take for the beginning of an encoded-word, and leave a URL alone", async () => {
    for (const value of ["' =?x?q?=3D", "=?utf-8?B?QQ==?=", "a =?utf-8?q?b"]) {
      expect(rawOf({ headers: [["X-A", value]] }, "x-a")).toMatch(/^X-A: =\?utf-8\?[QB]\?/);
    }
    expect(rawOf({ headers: [["X-A", "<https://x.test/?a=?b>"]] }, "x-a")).toBe("X-A: <https://x.test/?a=?b>\r\n");
  });

  it("keep repeated custom headers in order", () => {
    const headers: [string, string][] = [
      ["X-Tag", "1"],
      ["x-tag", "2"],
      ["X-Tag", ""],
    ];
    expect(rawOf({ headers }, "x-tag")).toBe("X-Tag: 1\r\nx-tag: 2\r\nX-Tag:\r\n");
  });

  it("refuse a name that is no name", () => {
    for (const name of ["", "X Y", "X:Y", "X\r\nBcc", "É", "X_Y", "x".repeat(77)])
      expect(codeOf({ headers: [[name, "v"]] })).toBe("header_name");
  });

  it("refuse every name that the service owns, in any case", () => {
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
      expect(codeOf({ headers: [[name, "v"]] })).toBe("header_name");
      expect(codeOf({ headers: [[name.toLowerCase(), "v"]] })).toBe("header_name");
    }
  });

  it("refuse every C0 control but TAB in a subject and in a value", () => {
    for (let c = 0; c < 32; c++) {
      const expected = c === 9 ? "composed" : "header_value";
      expect(codeOf({ subject: `a${String.fromCharCode(c)}b` })).toBe(expected);
      expect(codeOf({ headers: [["X-A", `a${String.fromCharCode(c)}b`]] })).toBe(expected);
    }
  });

  it("write text beyond ASCII as encoded-words of at most 75 characters, cut between characters", async () => {
    for (const subject of [
      "漢字".repeat(100),
      "é".repeat(300),
      "a👩‍👩‍👧‍👦".repeat(40),
      "x".repeat(2000),
      "Grüße aus Köln",
    ]) {
      const raw = rawOf({ subject }, "subject");
      for (const word of raw.slice("Subject: ".length).trimEnd().split("\r\n ")) {
        expect(word).toMatch(/^=\?utf-8\?[QB]\?[^? ]+\?=$/);
        expect(word.length).toBeLessThanOrEqual(75);
        expect((await readWithPostalMime(octetsOf(`Subject: ${word}\r\n\r\n`))).subject).not.toContain("\ufffd");
      }
      for (const line of raw.trimEnd().split("\r\n")) expect(line.length).toBeLessThanOrEqual(76);
      expect((await read({ subject })).subject).toBe(subject);
    }
  });

  it("choose the shorter of Q and B", () => {
    expect(rawOf({ subject: "Grüße aus Mainz am Rhein" }, "subject")).toBe(
      "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe_aus_Mainz_am_Rhein?=\r\n",
    );
    expect(rawOf({ subject: "漢字" }, "subject")).toBe("Subject: =?utf-8?B?5ryi5a2X?=\r\n");
  });

  it("bring back a subject character by character", async () => {
    for (const subject of [" a", "a ", "a  b", "a\tb", "=?utf-8?q?x?=", "=?", "\u0085", "\u2028x", "\u007f", "0"]) {
      expect((await read({ subject })).subject).toBe(subject);
    }
    expect(rawOf({ subject: "" }, "subject")).toBe("Subject:\r\n");
  });
});

describe("addresses", () => {
  it("write a display name as atoms, as a quoted string, or as encoded-words", () => {
    const from = (name: string) => rawOf({ from: { email: "a@x.test", name } }, "from");
    expect(from("Ann Lee")).toBe("From: Ann Lee <a@x.test>\r\n");
    expect(from('Lee, "Ann"')).toBe('From: "Lee, \\"Ann\\"" <a@x.test>\r\n');
    expect(from("Zoë")).toBe("From: =?utf-8?Q?Zo=C3=AB?= <a@x.test>\r\n");
    expect(from("")).toBe("From: a@x.test\r\n");
  });

  it("take control characters out of a display name, so that no header follows", async () => {
    const mail = await read({ from: { email: "a@x.test", name: "Ann\r\nBcc: evil@x.test\u0000\u0085\u2028" } });
    expect(mail.addresses.from).toEqual([{ name: "Ann Bcc: evil@x.test", address: "a@x.test" }]);
    expect(mail.headers.map(([name]) => name)).not.toContain("bcc");
  });

  it("fold a long list between mailboxes and never within one", () => {
    const to = Array.from({ length: 50 }, (_, i) => ({ email: `person${i}@example.test`, name: "Ann, Lee" }));
    const raw = rawOf({ to }, "to");
    expect(raw.replaceAll("\r\n ", " ").match(/"Ann, Lee" <person\d+@example\.test>/g)?.length).toBe(50);
    for (const line of raw.trimEnd().split("\r\n")) expect(line.length).toBeLessThanOrEqual(76);
  });

  it("keep a local part beyond ASCII in UTF-8 when the next hop takes it, and refuse it when it does not", () => {
    const over = { to: [{ email: "jürgen@bücher.test", name: "J" }] };
    const composed = compose(aMail(over), ALL);
    expect(composed.needsSmtpUtf8).toBe(true);
    expect(text.decode(octetsOf(rawOf(over, "to")))).toBe("To: J <jürgen@xn--bcher-kva.test>\r\n");
    expect(codeOf(over, NONE)).toBe("smtputf8");
  });

  it("write a domain beyond ASCII in A-labels, whatever the next hop takes", () => {
    for (const can of [ALL, NONE]) {
      const composed = compose(aMail({ to: [{ email: "a@bücher.test" }] }), can);
      expect(composed.needsSmtpUtf8).toBe(false);
      expect(composed.headers.find((h) => h.name === "To")?.raw).toBe("To: a@xn--bcher-kva.test\r\n");
    }
  });

  it("refuse what is no address in each place an address can stand", () => {
    for (const email of [
      "a@x.test\r\nRCPT TO:<e@z.test>",
      "a@x.test>,<b@y.test",
      "a b@x.test",
      "a",
      "@x.test",
      "a@x.test\u0000",
    ]) {
      for (const over of [{ from: { email } }, { to: [{ email }] }, { cc: [{ email }] }, { replyTo: { email } }]) {
        expect(codeOf(over)).toBe("address");
      }
    }
  });
});

describe("texts", () => {
  it("stay 7bit while they are ASCII in lines of at most 998", async () => {
    const raw = (t: string) => rawOf({ text: t }, "content-transfer-encoding");
    expect(raw("plain\ntext")).toContain(" 7bit");
    expect(raw("x".repeat(998))).toContain(" 7bit");
    expect(raw("x".repeat(999))).toContain(" quoted-printable");
    expect(raw("a\u0000b and more")).toContain(" quoted-printable");
    expect(raw("From the start")).toContain(" quoted-printable");
    expect(raw("漢字漢字漢字")).toContain(" base64");
    expect(raw(`${"mostly plain ".repeat(20)}é`)).toContain(" quoted-printable");
  });

  it("end every line with CRLF, whatever ended it before", async () => {
    expect(await bodyOf({ text: "a\rb\nc\r\nd\n\re" })).toBe("a\r\nb\r\nc\r\nd\r\n\r\ne\r\n");
    expect(await bodyOf({ text: "é\r\n.\n.\r" })).toBe("=C3=A9\r\n.\r\n.\r\n");
  });

  it("keep quoted-printable lines within 76 and hide white space at line ends and From", async () => {
    const body = await bodyOf({ text: `From é\n${"x".repeat(75)}\n${"x".repeat(76)}\n${"x".repeat(77)}\nend \t\nz ` });
    for (const line of body.split("\r\n")) {
      expect(line.length).toBeLessThanOrEqual(76);
      expect(line).not.toMatch(/[ \t]$|^From /);
    }
    expect(body).toContain("end =09\r\nz=20");
  });

  it("cannot hold a boundary of their own message", async () => {
    const id = aMail().id;
    const attack = `x\r\n--=_alternative_${id}\r\nContent-Type: text/html\r\n\r\nevil\r\n--=_alternative_${id}--\r\n`;
    const mail = await read({ text: attack, html: attack });
    expect(mail.tree).toEqual({
      type: "multipart/alternative",
      children: ["text/plain", "text/html"].map((type) => ({ type, text: attack.replaceAll("\r\n", "\n") })),
    });
  });
});

describe("the part tree", () => {
  const types = (part: { type: string; children?: unknown[] }): unknown =>
    part.children ? { [part.type]: part.children.map((c) => types(c as { type: string })) } : part.type;
  const tree = async (over: Partial<Composable>) => types((await read(over)).tree);
  const logo = aFile({ contentId: "logo", disposition: "inline" });

  it("has a multipart only where two things stand side by side", async () => {
    expect(await tree({})).toBe("text/plain");
    expect(await tree({ text: null, html: "<p>" })).toBe("text/html");
    expect(await tree({ html: "<p>" })).toEqual({ "multipart/alternative": ["text/plain", "text/html"] });
    expect(await tree({ text: null, html: "<p>", attachments: [logo] })).toEqual({
      "multipart/related": ["text/html", "image/png"],
    });
    expect(await tree({ attachments: [aFile()] })).toEqual({ "multipart/mixed": ["text/plain", "image/png"] });
    expect(await tree({ text: null, attachments: [aFile()] })).toEqual({ "multipart/mixed": ["image/png"] });
  });

  it("nests mixed, alternative and related when there is everything", async () => {
    expect(await tree({ html: "<img src=cid:logo>", attachments: [aFile(), logo] })).toEqual({
      "multipart/mixed": [
        { "multipart/alternative": ["text/plain", { "multipart/related": ["text/html", "image/png"] }] },
        "image/png",
      ],
    });
  });

  it("puts inline files beside the rest when there is no HTML to show them", async () => {
    expect(await tree({ attachments: [logo] })).toEqual({ "multipart/mixed": ["text/plain", "image/png"] });
  });
});

describe("files", () => {
  it("carry a plain name as it is and any other one by RFC 2231", () => {
    const mail = (filename: string) => compose(aMail({ attachments: [aFile({ filename })] }), ALL);
    const disposition = async (filename: string) =>
      /Content-Disposition: [^\r]*(?:\r\n [^\r]*)*/.exec(text.decode(await messageOf(mail(filename))))?.[0];
    return Promise.all([
      expect(disposition("a b.pdf")).resolves.toBe('Content-Disposition: attachment; filename="a b.pdf"'),
      expect(disposition("é.pdf")).resolves.toBe("Content-Disposition: attachment; filename*=utf-8''%C3%A9.pdf"),
      expect(disposition('a"; x="b')).resolves.toBe(
        "Content-Disposition: attachment; filename*=utf-8''a%22%3B%20x%3D%22b",
      ),
      expect(disposition("漢".repeat(20))).resolves.toMatch(
        /attachment;\r\n filename\*0\*=utf-8''(?:%[0-9A-F]{2})+;\r\n filename\*1\*=%E6/,
      ),
      expect(disposition("../a\r\nX: y\u0000")).resolves.toBe('Content-Disposition: attachment; filename=".._aX: y"'),
    ]);
  });

  it("are application/octet-stream when the type is not exactly a type, or is composite", async () => {
    const typeOf = async (contentType: string) =>
      (await read({ attachments: [aFile({ contentType })] })).tree.children?.[1]?.type;
    for (const bad of [
      "",
      "x",
      "a/b\r\nX: y",
      "text/plain; charset",
      "a/b; c=d; c=e",
      "message/rfc822",
      "multipart/mixed",
      "é/x",
      'a/b; c="x\ny"',
    ]) {
      expect(await typeOf(bad)).toBe("application/octet-stream");
    }
    expect(await typeOf("Text/CSV; header=present")).toBe("text/csv");
  });

  it("refuse a content id that could leave its brackets", () => {
    for (const contentId of ["a>\r\nX: y", "<a>", "a b", "é"])
      expect(codeOf({ attachments: [aFile({ contentId })] })).toBe("attachment");
  });

  it("fail the pass when a source gives more or less than its size", async () => {
    for (const size of [2, 4]) {
      const composed = compose(aMail({ attachments: [aFile({ size })] }), ALL);
      await expect(collected(composed.body())).rejects.toMatchObject({
        name: "ComposeError",
        code: "attachment_changed",
      });
    }
  });

  it("are opened once for each pass when the mail is large, and once when it is small", async () => {
    for (const [size, opened] of [
      [1000, 1],
      [400_000, 2],
    ] as const) {
      let opens = 0;
      const octets = new Uint8Array(size).fill(7);
      const open = () => {
        opens++;
        return Promise.resolve(new Response(octets).body ?? Promise.reject());
      };
      const composed = compose(aMail({ attachments: [aFile({ size, open })] }), ALL);
      expect(opens).toBe(0);
      expect(sameOctets(await collected(composed.body()), await collected(composed.body()))).toBe(true);
      expect(opens).toBe(opened);
    }
  });

  it("leave in lines of 76 characters, of exactly the size foretold, at each length around a line and a block", async () => {
    for (const length of [0, 1, 2, 3, 56, 57, 58, 113, 114, 115, 58367, 58368, 58369, 116736, 200000]) {
      const octets = Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 255);
      const composed = compose(aMail({ text: null, attachments: [aFile({}, octets)] }), ALL);
      const body = await collected(composed.body());
      expect(body.length).toBe(composed.bodySize);
      const lines = /\r\n\r\n(.*?)\r\n--=_/s.exec(text.decode(body))?.[1]?.split("\r\n") ?? [];
      for (const line of lines.slice(0, -1)) expect(line.length).toBe(76);
      expect(sameOctets(octetsOf(atob(lines.join(""))), octets)).toBe(true);
    }
  });
});

describe("generated hostile mails", () => {
  it("are refused for the reason foreseen or read back exactly as intended", { timeout: 600_000 }, async () => {
    const outcomes = { refused: 0, composed: 0 };
    await fc.assert(
      fc.asyncProperty(generatedMail, async (mail) => {
        outcomes[await checkGenerated(mail)]++;
      }),
      { numRuns: env.TEST_LONG ? 10_000 : 300, seed: 20261121 },
    );
    expect(outcomes.composed).toBeGreaterThan(100);
    expect(outcomes.refused).toBeGreaterThan(10);
  });
});

async function checkGenerated(mail: GeneratedMail): Promise<"refused" | "composed"> {
  const faults = faultsOf(mail);
  let composed: Composed;
  try {
    composed = compose(mail, { smtpUtf8: mail.smtpUtf8, eightBitMime: true });
  } catch (error) {
    expect(error).toBeInstanceOf(ComposeError);
    expect([...faults]).toContain((error as ComposeError).code);
    return "refused";
  }
  expect([...faults]).toEqual([]);
  const message = await messageOf(composed);
  expect(octetFaults(message, composed.needsSmtpUtf8)).toEqual([]);
  const head = composed.headers.reduce((sum, h) => sum + h.raw.length, 2);
  expect(message.length).toBe(head + composed.bodySize);
  expect(sameOctets(await messageOf(composed), message)).toBe(true);
  const tree = intendedTree(mail);
  const headers = intendedHeaders(mail, tree);
  const seen = await readWithPostalMime(message);
  expect(seen.headers.map(([name]) => name)).toEqual(headers.names);
  expect(treeWithoutBom(seen.tree)).toEqual(treeWithoutBom(tree));
  expect(withoutBom(seen.subject)).toBe(withoutBom(mail.subject.toWellFormed()));
  expect(withoutBom(seen.addresses)).toEqual(withoutBom(intendedAddresses(mail)));
  return "composed";
}
