import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binaryStringToBytes } from "../../../src/lib/bytes.ts";
import { cleanFilename, cleanName, filenameIssue, nameIssue } from "../../../src/lib/text-rules.ts";
import { compose } from "../../../src/mail/mime/compose.ts";
import { ComposeError } from "../../../src/mail/mime/errors.ts";
import type { ComposedMessage } from "../../../src/mail/mime/message.ts";
import { expectedAddresses, expectedErrors, expectedHeaders, expectedTree } from "../../host/support/expected-mail.ts";
import { type GeneratedMail, generatedMail, hostileText } from "../../host/support/hostile-mail.ts";
import {
  collect,
  equalBytes,
  formatIssues,
  readWithPostalMime,
  treeWithoutBom,
  withoutBom,
} from "../../host/support/read-back.ts";

import {
  ALL_EXTENSIONS,
  aFile,
  aMail,
  composeAndRead,
  composeResult,
  decoder,
  messageBytes,
} from "../../support/composed.ts";
import { byExtent } from "../../support/extent.ts";

describe("attachments", () => {
  it("have a plain filename as a quoted-string and any other one in RFC 2231 form", () => {
    const mail = (filename: string) => compose(aMail({ attachments: [aFile({ filename })] }), ALL_EXTENSIONS);
    const disposition = async (filename: string) =>
      /Content-Disposition: [^\r]*(?:\r\n [^\r]*)*/.exec(decoder.decode(await messageBytes(mail(filename))))?.[0];
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

  it("have a filename that accept takes, also when it was stored before its rules; accepted ones stay as they are", async () => {
    const filenameOf = async (filename: string) =>
      (await composeAndRead({ attachments: [aFile({ filename })] })).tree.children?.[1]?.filename;
    for (const [stored, sent] of [
      ["gpj.\u202eexe", "gpj.exe"],
      ["a\u2066b\u2069\u200b\u00ad.pdf", "ab.pdf"],
      ["..\u2215..\uff0fetc\uff3cpasswd", ".._.._etc_passwd"],
      [".", "attachment"],
      ["..", "attachment"],
      ["\u202e..", "attachment"],
      ["\ud800.txt", "\ufffd.txt"],
      ["\u0646\u0627\u0645\u0647\u200c\u0647\u0627.pdf", "\u0646\u0627\u0645\u0647\u200c\u0647\u0627.pdf"],
      ["\u{1f469}\u200d\u{1f680}.png", "\u{1f469}\u200d\u{1f680}.png"],
      [
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}.png",
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}.png",
      ],
    ] as const)
      expect(await filenameOf(stored), JSON.stringify(stored)).toBe(sent);
  });

  it("have names that pass the rules of accept, and unchanged when they pass already", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(filenameIssue(cleanFilename(text))).toBe(null);
        expect(nameIssue(cleanName(text).slice(0, 100))).toBe(null);
        if (filenameIssue(text) === null) expect(cleanFilename(text)).toBe(text.toWellFormed());
        if (nameIssue(text) === null) expect(cleanName(text)).toBe(text.toWellFormed().trim());
      }),
      { numRuns: 2_000 },
    );
  });

  it("are application/octet-stream when the content type is malformed or composite", async () => {
    const typeOf = async (contentType: string) =>
      (await composeAndRead({ attachments: [aFile({ contentType })] })).tree.children?.[1]?.type;
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

  it("refuse a content id that could end its angle brackets", () => {
    for (const contentId of ["a>\r\nX: y", "<a>", "a b", "é"])
      expect(composeResult({ attachments: [aFile({ contentId })] })).toBe("attachment");
  });

  it("fail the read when a source yields more or less than its size", async () => {
    for (const size of [2, 4]) {
      const composed = compose(aMail({ attachments: [aFile({ size })] }), ALL_EXTENSIONS);
      await expect(collect(composed.body())).rejects.toMatchObject({
        name: "ComposeError",
        code: "attachment_changed",
      });
    }
  });

  it("are opened for each read of a large message, and once for a small one", async () => {
    for (const [size, opened] of [
      [1000, 1],
      [400_000, 2],
    ] as const) {
      let opens = 0;
      const bytes = new Uint8Array(size).fill(7);
      const open = () => {
        opens++;
        return Promise.resolve(new Response(bytes).body ?? Promise.reject());
      };
      const composed = compose(aMail({ attachments: [aFile({ size, open })] }), ALL_EXTENSIONS);
      expect(opens).toBe(0);
      expect(equalBytes(await collect(composed.body()), await collect(composed.body()))).toBe(true);
      expect(opens).toBe(opened);
    }
  });

  it("have lines of 76 characters and exactly the computed size, at each length around a line and a block", async () => {
    for (const length of [0, 1, 2, 3, 56, 57, 58, 113, 114, 115, 58367, 58368, 58369, 116736, 200000]) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 255);
      const composed = compose(aMail({ text: null, attachments: [aFile({}, bytes)] }), ALL_EXTENSIONS);
      const body = await collect(composed.body());
      expect(body.length).toBe(composed.bodySize);
      const lines = /\r\n\r\n(.*?)\r\n--=_/s.exec(decoder.decode(body))?.[1]?.split("\r\n") ?? [];
      for (const line of lines.slice(0, -1)) expect(line.length).toBe(76);
      expect(equalBytes(binaryStringToBytes(atob(lines.join(""))), bytes)).toBe(true);
    }
  });
});

describe("generated hostile messages", () => {
  it("are refused for the expected reason or parse back exactly as expected", { timeout: 600_000 }, async () => {
    const outcomes = { refused: 0, composed: 0 };
    await fc.assert(
      fc.asyncProperty(generatedMail, async (mail) => {
        outcomes[await checkGenerated(mail)]++;
      }),
      { numRuns: byExtent({ quick: 300, full: 300, long: 10_000 }), seed: 20261121 },
    );
    expect(outcomes.composed).toBeGreaterThan(100);
    expect(outcomes.refused).toBeGreaterThan(10);
  });
});

async function checkGenerated(mail: GeneratedMail): Promise<"refused" | "composed"> {
  const errors = expectedErrors(mail);
  let composed: ComposedMessage;
  try {
    composed = compose(mail, { smtpUtf8: mail.smtpUtf8, eightBitMime: true });
  } catch (error) {
    expect(error).toBeInstanceOf(ComposeError);
    expect([...errors]).toContain((error as ComposeError).code);
    return "refused";
  }
  expect([...errors]).toEqual([]);
  const message = await messageBytes(composed);
  expect(formatIssues(message, composed.needsSmtpUtf8)).toEqual([]);
  const head = composed.headers.reduce((sum, h) => sum + h.raw.length, 2);
  expect(message.length).toBe(head + composed.bodySize);
  expect(equalBytes(await messageBytes(composed), message)).toBe(true);
  const tree = expectedTree(mail);
  const headers = expectedHeaders(mail, tree);
  const seen = await readWithPostalMime(message);
  expect(seen.headers.map(([name]) => name)).toEqual(headers.names);
  expect(treeWithoutBom(seen.tree)).toEqual(treeWithoutBom(tree));
  expect(withoutBom(seen.subject)).toBe(withoutBom(mail.subject.toWellFormed()));
  expect(withoutBom(seen.addresses)).toEqual(withoutBom(expectedAddresses(mail)));
  return "composed";
}
