import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  MAX_TARGET_BYTES,
  newClickToken,
  newOpenToken,
  readClickToken,
  readOpenToken,
  tokenName,
} from "../../../src/platform/mail-tokens/tracking.ts";
import { toLocation } from "../../../src/sending/tracking/location.ts";

const rootOf = (version: number) => ({ version, key: btoa(String.fromCharCode(version).repeat(32)) });
const ROOTS = [rootOf(1)];
const MAIL = { workspace: 42, emailId: "01989a3e-5c1f-7000-8000-000000000001", recipient: 3 };
const LINK = { ...MAIL, url: "https://shop.example/a%2Fb?x=1&y=ü#z" };

const mails = fc.record({
  workspace: fc.oneof(fc.nat(2 ** 31 - 1), fc.constantFrom(0, 2 ** 31, 2 ** 32, 2 ** 48 - 1)),
  emailId: fc.uuid(),
  recipient: fc.oneof(fc.constant("all" as const), fc.nat(254)),
});
const rest = fc.string({ unit: "grapheme", maxLength: 300 });

describe("a tracking token", () => {
  it("reads back as its email and, for a link, exactly its target", async () => {
    await fc.assert(
      fc.asyncProperty(mails, rest, async (mail, tail) => {
        const url = `https://shop.example/${tail}`;
        const [open, click] = await Promise.all([newOpenToken(ROOTS, mail), newClickToken(ROOTS, { ...mail, url })]);
        expect(open).toMatch(/^[A-Za-z0-9_-]{44}$/);
        expect(click).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(await readOpenToken(ROOTS, open)).toEqual(mail);
        expect(await readClickToken(ROOTS, click)).toEqual({ ...mail, url });
        expect(await newClickToken(ROOTS, { ...mail, url })).toBe(click);
      }),
      { numRuns: 200 },
    );
  });

  it("is refused when one character is changed or removed", async () => {
    for (const [token, read] of [
      [await newOpenToken(ROOTS, MAIL), readOpenToken],
      [await newClickToken(ROOTS, LINK), readClickToken],
    ] as const) {
      for (let i = 0; i < token.length; i++) {
        for (const char of "AQgw09-_=. ü") {
          if (char === token[i]) continue;
          const changed = token.slice(0, i) + char + token.slice(i + 1);
          const result = await read(ROOTS, changed);
          // The last character may have unused bits.
          if (result !== null)
            expect(i === token.length - 1 && result, `${char} at ${i}`).toEqual(await read(ROOTS, token));
        }
        expect(await read(ROOTS, token.slice(0, i) + token.slice(i + 1)), `without ${i}`).toBeNull();
      }
    }
  });

  it("of one kind does not read as the other kind", async () => {
    expect(await readClickToken(ROOTS, await newOpenToken(ROOTS, MAIL))).toBeNull();
    expect(await readOpenToken(ROOTS, await newClickToken(ROOTS, LINK))).toBeNull();
    expect(await readOpenToken(ROOTS, await newClickToken(ROOTS, { ...MAIL, url: "" }))).toBeNull();
  });

  it("to a target that is not http or https is refused, even when it is signed", async () => {
    for (const url of ["javascript:alert(1)", "data:text/html,x", "//evil.example", "mailto:a@b.example", ""]) {
      expect(await readClickToken(ROOTS, await newClickToken(ROOTS, { ...MAIL, url })), url).toBeNull();
    }
  });

  it("of an older master key still reads, and a new token is signed with the newest key", async () => {
    const old = await newOpenToken(ROOTS, MAIL);
    const both = [...ROOTS, rootOf(2)];
    expect(await readOpenToken(both, old)).toEqual(MAIL);
    expect(await readOpenToken([rootOf(2)], await newOpenToken(both, MAIL))).toEqual(MAIL);
    expect(await readOpenToken([rootOf(2)], old)).toBeNull();
  });

  it("fits the longest tracked target, and its name differs by target", async () => {
    const url = `https://a.example/${"x".repeat(MAX_TARGET_BYTES - 18)}`;
    const token = await newClickToken(ROOTS, { ...MAIL, url });
    expect(await readClickToken(ROOTS, token)).toEqual({ ...MAIL, url });
    expect(tokenName(token)).not.toBe(tokenName(await newClickToken(ROOTS, LINK)));
    expect(tokenName(token)).toHaveLength(44);
  });
});

describe("toLocation", () => {
  it("returns an ASCII target unchanged", () => {
    for (const url of [
      "http://A.example:80/./x/../%7e?a=%2f&b='\"<>|^`{}#f?#",
      "https://a.example?q",
      "http://a.example\\x",
    ])
      expect(toLocation(url)).toBe(url);
  });

  it("escapes other targets as a browser does", () => {
    expect(toLocation("https://bücher.example/ü b?q=ß#é")).toBe(
      "https://xn--bcher-kva.example/%C3%BC%20b?q=%C3%9F#%C3%A9",
    );
    expect(toLocation("https://a.example/x\r\nSet-Cookie: y")).toBe("https://a.example/xSet-Cookie:%20y");
  });
});
