import fc from "fast-check";
import { describe, it } from "vitest";
import { canonicalDomain } from "../../src/lib/address-domain.ts";
import { formatMailbox, parseAddress } from "../../src/lib/addresses.ts";
import { byExtent } from "../support/extent.ts";

const numRuns = byExtent({ quick: 500, full: 2_000, long: 20_000 });
/** Milliseconds, for busy machines. */
const timeout = 60_000;
const label63 = "a".repeat(63);

describe("an address is accepted", () => {
  it.for([
    ["a@b.co", "a@b.co"],
    ["Ann.Lee+tag@Example.COM", "ann.lee+tag@example.com"],
    ["!#$%&'*+-/=?^_`{|}~@example.org", "!#$%&'*+-/=?^_`{|}~@example.org"],
    ["user%relay@example.org", "user%relay@example.org"],
    [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
    [`a@${label63}.com`, `a@${label63}.com`],
    ["a@r3---sn-x.example.com", "a@r3---sn-x.example.com"],
    [
      `${"\u1e9e".repeat(21)}a@${`${label63}.`.repeat(2)}${"b".repeat(58)}.co`,
      `${"ß".repeat(21)}a@${`${label63}.`.repeat(2)}${"b".repeat(58)}.co`,
    ],
    ["a@1.2.3.4.com", "a@1.2.3.4.com"],
    ["a@123.co", "a@123.co"],
    ["Jörg@BÜCHER.example", "jörg@xn--bcher-kva.example"],
    ["x@faß.de", "x@xn--fa-hia.de"],
    ["x@XN--FA-HIA.de", "x@xn--fa-hia.de"],
    ["x@ΑΣ.gr", "x@xn--mxa0b.gr"],
    ["ΑΣ@example.gr", "ασ@example.gr"],
    ["ทำ@คำ.ไทย", "ทำ@xn--42c6g8c.xn--o3cw4h"],
    ["用户@例え.jp", "用户@xn--r8jz45g.jp"],
    ["x@אב.com", "x@xn--4dbc.com"],
    ["x@xn--mgba3gch31f060k.com", "x@xn--mgba3gch31f060k.com"],
    ["😀@example.com", "😀@example.com"],
  ])("%j", ([input = "", key], { expect }) => {
    expect(parseAddress(input)?.key).toBe(key);
  });

  it("with its local part, domain and key", ({ expect }) => {
    expect(parseAddress("Ann@Bücher.De")).toEqual({
      address: "Ann@xn--bcher-kva.de",
      local: "Ann",
      domain: "xn--bcher-kva.de",
      key: "ann@xn--bcher-kva.de",
      asciiLocal: true,
    });
    expect(parseAddress("Änn@b.co")?.asciiLocal).toBe(false);
  });
});

describe("text that is not one bare address is refused", () => {
  it.for([
    "",
    "@",
    "a",
    "a@",
    "@b.co",
    "a@b@c.co",
    "a@localhost",
    ".a@b.co",
    "a.@b.co",
    "a..b@b.co",
    `${"a".repeat(65)}@example.com`,
    `${"é".repeat(33)}@example.com`,
    "Ann <a@b.co>",
    "<a@b.co>",
    "a@b.co>",
    "a@b.co,c@d.co",
    "a@b.co;c@d.co",
    "a(c)@b.co",
    "a@b.co(c)",
    "a@b.co:25",
    '"a"@b.co',
    '"a b"@b.co',
    "a\\@b@c.co",
    "a b@b.co",
    " a@b.co",
    "a@b.co ",
    "a@b .co",
    "a\u00a0@b.co",
    "a\u3000@b.co",
    "a@[127.0.0.1]",
    "a@[IPv6:::1]",
    "a@127.0.0.1",
    "a@0x7f.1",
    "a@2130706433",
    "a@x.2130706433",
    "a@x.0x7f",
    "a@x.0x",
    "a@１２７.０.０.１",
    "a@b.co.",
    "a@.b.co",
    "a@b..co",
    "a@-b.co",
    "a@b-.co",
    "a@b.-co",
    "a@-é.co",
    "a@b_c.co",
    "a@b%2eco.com",
    "a@b.co/d",
    "a@b.co?d",
    "a@b.co#d",
    "a@u:p.co",
    "a@é:80.co",
    "a@é%41.co",
    `a@${label63}a.com`,
    `a@${"é".repeat(60)}.com`,
    `a@${`${"a".repeat(61)}.`.repeat(4)}comcom`,
    `${"a".repeat(64)}@${`${label63}.`.repeat(2)}${"b".repeat(60)}.co`,
    "=?utf-8?q?a=40x.co=3e?=@b.co",
    "\u0301a@b.co",
    "a.\u0301b@b.co",
    `${"\u023a".repeat(32)}@b.co`,
    `${"\u1e9e".repeat(21)}a@${`${label63}.`.repeat(2)}${"b".repeat(59)}.co`,
  ])("%j", (input, { expect }) => {
    expect(parseAddress(input)).toBeNull();
  });

  it("CR, LF, NUL and every other control, in either half", ({ expect }) => {
    for (let code = 0; code < 0xa0; code = code === 0x20 ? 0x7f : code + 1) {
      const control = String.fromCharCode(code);
      for (const text of [
        `a${control}@b.co`,
        `é${control}@b.co`,
        `a@b${control}.co`,
        `a@é${control}.co`,
        `a@b.co${control}`,
      ]) {
        expect(parseAddress(text), JSON.stringify(text)).toBeNull();
      }
    }
    expect(parseAddress("a@b.co\r\nRCPT TO:<e@x.co>")).toBeNull();
  });

  it.for([
    ["lone surrogates", "\ud800"],
    ["lone low surrogates", "\udc00"],
    ["bidi overrides", "\u202e"],
    ["bidi isolates", "\u2066"],
    ["the Arabic letter mark", "\u061c"],
    ["zero-width spaces", "\u200b"],
    ["zero-width joiners", "\u200d"],
    ["zero-width non-joiners", "\u200c"],
    ["byte order marks", "\ufeff"],
    ["soft hyphens", "\u00ad"],
    ["Hangul fillers", "\u3164"],
    ["variation selectors", "\ufe0f"],
    ["tags", "\u{e0041}"],
    ["line separators", "\u2028"],
    ["private use", "\ue000"],
    ["unassigned code points", "\u{1fffe}"],
    ["full-width letters", "\uff41"],
    ["the full-width @", "\uff20"],
    ["the full-width dot", "\uff0e"],
    ["one dot leaders", "\u2024"],
    ["circled digits", "\u2460"],
    ["ligatures", "\ufb01"],
    ["the Kelvin sign", "\u212a"],
    ["account of", "\u2100"],
    ["text that is not NFC", "e\u0301"],
  ])("%s, in either half", ([, text = ""], { expect }) => {
    for (const input of [`a${text}b@b.co`, `é${text}b@b.co`, `a@b${text}b.co`, `a@é${text}b.co`, `a@é.c${text}o`]) {
      expect(parseAddress(input), JSON.stringify(input)).toBeNull();
    }
  });

  it.for([
    "xn--a.com",
    "xn--.com",
    "xn--example-.com",
    "xn--zn7c.com",
    "xn--1-0hc.com",
    "xn--99999999999.com",
    "xn--ｆa-hia.de",
    "a。com",
    "\u0301a.com",
    "ﬀ.de",
    "ｆaß.de",
    "1א.com",
  ])("the domain %s, which IDNA changes or does not know", (domain, { expect }) => {
    expect(canonicalDomain(domain)).toBeNull();
  });
});

const wild = fc.string({ unit: "binary", maxLength: 12 });
const atoms = fc.string({
  unit: fc.constantFrom(..."aB9.+-_éÜßıİΣςαЖ字ำ\u0301\u200d@ xn"),
  minLength: 1,
  maxLength: 12,
});
const text = fc.oneof(wild, atoms, fc.string({ unit: "grapheme", maxLength: 8 }));
const plain = fc.string({ unit: fc.constantFrom(..."aBz9+-_éÜßıİΣςẞȺЖ字あאำ😀"), minLength: 1, maxLength: 8 });
const part = fc.oneof(text, { weight: 4, arbitrary: plain });
const address = fc.tuple(part, part, fc.constantFrom("", ".co", ".ü", ".ไทย")).map(([a, b, c]) => `${a}@${b}${c}`);

describe("for any text", () => {
  it("parsing an accepted address or its key again gives the same address", { timeout }, ({ expect }) => {
    let accepted = 0;
    fc.assert(
      fc.property(address, (input) => {
        const parsed = parseAddress(input);
        if (parsed === null) return;
        accepted++;
        expect(parseAddress(parsed.address)).toEqual(parsed);
        expect(parseAddress(parsed.key)).toMatchObject({ key: parsed.key, address: parsed.key });
        expect(parsed.address).not.toMatch(/[\s<>,;:\\"()[\]\p{C}]/u);
        expect(new URL(`http://${parsed.domain}/`).hostname).toBe(parsed.domain);
        expect(parsed.address).toBe(parsed.address.normalize("NFC"));
      }),
      { numRuns },
    );
    // Seen: 530 to 570 of 2,000.
    expect(accepted).toBeGreaterThan(numRuns / 10);
  });

  it("letter case does not change the key", { timeout }, ({ expect }) => {
    const unit = fc.constantFrom(..."abzAZ059+-_éüÄñжЖЯδωş字あא");
    const cased = fc.string({ unit, minLength: 1, maxLength: 14 });
    fc.assert(
      fc.property(cased, cased, (local, label) => {
        const input = `${local}@${label}.example`;
        const key = parseAddress(input)?.key;
        expect(parseAddress(input.toLowerCase())?.key).toBe(key);
        expect(parseAddress(input.toUpperCase())?.key).toBe(key);
      }),
      { numRuns },
    );
  });

  it("every character beyond ASCII (each seventh in short runs) is refused or stable", { timeout }, ({ expect }) => {
    const step = byExtent({ quick: 7, full: 7, long: 1 });
    let accepted = 0;
    for (let code = 0x80; code < 0x20000; code += step) {
      const parsed = parseAddress(`a${String.fromCodePoint(code)}@b.co`);
      if (parsed === null) continue;
      accepted++;
      if (parseAddress(parsed.key)?.address !== parsed.key) expect.fail(`U+${code.toString(16)}`);
    }
    expect(accepted).toBeGreaterThan(5_000);
  });
});

describe("the display form", () => {
  it.for([
    [undefined, "a@b.co"],
    [null, "a@b.co"],
    ["  ", "a@b.co"],
    ["Ann Lee", "Ann Lee <a@b.co>"],
    ["Jörg Ünal", "Jörg Ünal <a@b.co>"],
    ["Lee, Ann", '"Lee, Ann" <a@b.co>'],
    ["Dr. Lee", '"Dr. Lee" <a@b.co>'],
    ['a "b" \\c', '"a \\"b\\" \\\\c" <a@b.co>'],
    ["x <e@f.co>", '"x <e@f.co>" <a@b.co>'],
    ["=?utf-8?q?a?=", '"=?utf-8?q?a?=" <a@b.co>'],
    ["a\r\nBcc: e@f.co", '"a Bcc: e@f.co" <a@b.co>'],
  ])("of name %j", ([name, shown], { expect }) => {
    expect(formatMailbox({ email: "a@b.co", name })).toBe(shown);
  });
});
