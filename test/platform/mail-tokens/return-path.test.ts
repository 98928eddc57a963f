import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mac, verifyMac } from "../../../src/lib/mac.ts";
import type { MailReference } from "../../../src/platform/mail-tokens/codec.ts";
import {
  newReturnPath,
  newUnsubscribeAddress,
  readReturnPath,
  readUnsubscribeAddress,
} from "../../../src/platform/mail-tokens/return-path.ts";

const rootOf = (version: number) => ({ version, key: btoa(String.fromCharCode(version).repeat(32)) });
const ROOTS = [rootOf(1)];
const DOMAIN = "bounces.mail.test";
const MAIL: MailReference = { workspace: 42, emailId: "01989a3e-5c1f-7000-8000-000000000001", recipient: 3 };

const mails = fc.record({
  workspace: fc.oneof(fc.nat(2 ** 31 - 1), fc.constantFrom(0, 2 ** 31, 2 ** 32, 2 ** 48 - 1)),
  emailId: fc.uuid(),
  recipient: fc.oneof(fc.constant("all" as const), fc.nat(5000), fc.constantFrom(2 ** 16, 2 ** 24 - 2)),
});

const localOf = async (mail: MailReference = MAIL) => (await newReturnPath(ROOTS, mail, DOMAIN)).split("@")[0] ?? "";

describe("a return path", () => {
  it("reads back as the reference that was signed, as an address and as a local part of at most 64 bytes", async () => {
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

  it("is refused when one character is changed, added or removed", async () => {
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

  it("is refused with a random MAC, as a random local part, and with the MAC of another key", async () => {
    const fields = (await localOf()).slice(0, 41);
    const random = (count: number) =>
      Array.from(crypto.getRandomValues(new Uint8Array(count)), (o) => "abcdefghijklmnopqrstuvwxyz234567"[o & 31]).join(
        "",
      );
    for (let i = 0; i < 500; i++) {
      expect(await readReturnPath(ROOTS, `${fields}${random(16)}@${DOMAIN}`)).toBeNull();
      expect(await readReturnPath(ROOTS, `b${random(56)}@${DOMAIN}`)).toBeNull();
    }
    expect(await readReturnPath([rootOf(2)], await localOf())).toBeNull();
  });

  it("does not read as an unsubscribe address, nor an unsubscribe address as a return path", async () => {
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

  it("reads after a rotation of the master key, but not after the key is removed", async () => {
    const old = await newReturnPath([rootOf(1)], MAIL, DOMAIN);
    expect(await readReturnPath([rootOf(1), rootOf(2)], old)).toEqual(MAIL);
    expect(await readReturnPath([rootOf(2)], old)).toBeNull();
    expect(await readReturnPath([rootOf(2)], await newReturnPath([rootOf(1), rootOf(2)], MAIL, DOMAIN))).toEqual(MAIL);
  });

  it("is not issued for anything except an email's recipient", async () => {
    const wrong: Partial<MailReference>[] = [
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
  it("refuses a MAC under 80 bits, a MAC over 256 bits and a MAC of another purpose", async () => {
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
