import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mac, verifyMac } from "../../src/lib/mac.ts";
import {
  type AddressedMail,
  newReturnPath,
  newUnsubscribeAddress,
  readReturnPath,
  readUnsubscribeAddress,
} from "../../src/mail-tokens/return-path.ts";

const rootOf = (version: number) => ({ version, key: btoa(String.fromCharCode(version).repeat(32)) });
const ROOTS = [rootOf(1)];
const DOMAIN = "bounces.mail.test";
const MAIL: AddressedMail = { workspace: 42, emailId: "01989a3e-5c1f-7000-8000-000000000001", recipient: 3 };

const mails = fc.record({
  workspace: fc.oneof(fc.nat(2 ** 31 - 1), fc.constantFrom(0, 2 ** 31, 2 ** 32, 2 ** 48 - 1)),
  emailId: fc.uuid(),
  recipient: fc.oneof(fc.constant("all" as const), fc.nat(5000), fc.constantFrom(2 ** 16, 2 ** 24 - 2)),
});

const localOf = async (mail: AddressedMail = MAIL) => (await newReturnPath(ROOTS, mail, DOMAIN)).split("@")[0] ?? "";

describe("a return path", () => {
  it("reads back as what it was made of, as an address and as a local part of at most 64 octets", async () => {
    await fc.assert(
      fc.asyncProperty(mails, async (mail) => {
        const address = await newReturnPath(ROOTS, mail, DOMAIN);
        const local = address.slice(0, -DOMAIN.length - 1);
        expect(local).toMatch(/^b[a-z2-7]{56}$/);
        expect(await readReturnPath(ROOTS, address)).toEqual(mail);
        expect(await readReturnPath(ROOTS, local)).toEqual(mail);
      }),
      { numRuns: 200 },
    );
  });

  it("reads in upper and mixed case", async () => {
    await fc.assert(
      fc.asyncProperty(mails, fc.array(fc.boolean(), { minLength: 57, maxLength: 57 }), async (mail, upper) => {
        const local = await localOf(mail);
        const mixed = Array.from(local, (char, i) => (upper[i] ? char.toUpperCase() : char)).join("");
        expect(await readReturnPath(ROOTS, mixed)).toEqual(mail);
        expect(await readReturnPath(ROOTS, local.toUpperCase())).toEqual(mail);
      }),
      { numRuns: 50 },
    );
  });

  it("is refused after any change of one character, a character more and a character less", async () => {
    const local = await localOf();
    for (let i = 0; i < local.length; i++) {
      for (const char of "abcdefghijklmnopqrstuvwxyz234567018=-.+ \u017f\u212a\0") {
        if (char === local[i]) continue;
        expect(
          await readReturnPath(ROOTS, local.slice(0, i) + char + local.slice(i + 1)),
          `${char} at ${i}`,
        ).toBeNull();
      }
      expect(await readReturnPath(ROOTS, local.slice(0, i) + local.slice(i + 1))).toBeNull();
      expect(await readReturnPath(ROOTS, `${local.slice(0, i)}a${local.slice(i)}`)).toBeNull();
    }
  });

  it("cannot be forged: 500 made-up MACs, 500 made-up local parts, MACs of another key", async () => {
    const claim = (await localOf()).slice(0, 41);
    const random = (count: number) =>
      Array.from(crypto.getRandomValues(new Uint8Array(count)), (o) => "abcdefghijklmnopqrstuvwxyz234567"[o & 31]).join(
        "",
      );
    for (let i = 0; i < 500; i++) {
      expect(await readReturnPath(ROOTS, `${claim}${random(16)}@${DOMAIN}`)).toBeNull();
      expect(await readReturnPath(ROOTS, `b${random(56)}@${DOMAIN}`)).toBeNull();
    }
    expect(await readReturnPath([rootOf(2)], await localOf())).toBeNull();
  });

  it("is no unsubscribe address, nor the other way round, nor after a change of the letter", async () => {
    const bounce = await newReturnPath(ROOTS, MAIL, DOMAIN);
    const unsubscribe = await newUnsubscribeAddress(ROOTS, MAIL, DOMAIN);
    expect(await readUnsubscribeAddress(ROOTS, unsubscribe)).toEqual(MAIL);
    for (const address of [bounce, `u${bounce.slice(1)}`]) {
      expect(await readUnsubscribeAddress(ROOTS, address)).toBeNull();
    }
    for (const address of [unsubscribe, `b${unsubscribe.slice(1)}`]) {
      expect(await readReturnPath(ROOTS, address)).toBeNull();
    }
  });

  it("outlives a rotation of the key, and not the key's removal", async () => {
    const old = await newReturnPath([rootOf(1)], MAIL, DOMAIN);
    expect(await readReturnPath([rootOf(1), rootOf(2)], old)).toEqual(MAIL);
    expect(await readReturnPath([rootOf(2)], old)).toBeNull();
    expect(await readReturnPath([rootOf(2)], await newReturnPath([rootOf(1), rootOf(2)], MAIL, DOMAIN))).toEqual(MAIL);
  });

  it("is made of nothing but an email's recipient", async () => {
    const wrong: Partial<AddressedMail>[] = [
      { workspace: -1 },
      { workspace: 1.5 },
      { workspace: 2 ** 48 },
      { workspace: Number.NaN },
      { emailId: "01989A3E-5C1F-7000-8000-000000000001" },
      { emailId: "" },
      { recipient: -1 },
      { recipient: 2 ** 24 - 1 },
    ];
    for (const change of wrong) await expect(newReturnPath(ROOTS, { ...MAIL, ...change }, DOMAIN)).rejects.toThrow();
  });
});

describe("verifyMac", () => {
  it("takes no MAC shorter than 80 bits, none that is longer than it was made, none of another purpose", async () => {
    const data = new Uint8Array([1, 2, 3]);
    const whole = await mac(ROOTS, "p", data);
    const long = new Uint8Array(33);
    long.set(whole);
    for (const given of [whole.subarray(0, 0), whole.subarray(0, 9), long]) {
      expect(await verifyMac(ROOTS, "p", data, given)).toBe(false);
    }
    expect(await verifyMac(ROOTS, "p", data, whole)).toBe(true);
    expect(await verifyMac(ROOTS, "p", data, whole.subarray(0, 10))).toBe(true);
    expect(await verifyMac(ROOTS, "q", data, whole)).toBe(false);
  });
});
