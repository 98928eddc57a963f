import { describe, expect, it } from "vitest";
import { toBase64 } from "../../../src/lib/bytes.ts";
import { findCfblIssues } from "../../../src/platform/settings/setting-issues.ts";
import { CFBL_DKIM_KEY, dkimRecordsOf, fieldOf, type SentMail, sendWithCfbl, verifyDkim } from "../../support/cfbl.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

/** Returns the signatures of a message: `d=` with the names in `h=`, in lower case. */
function signaturesOf({ head }: SentMail) {
  return [...head.matchAll(/^DKIM-Signature:[^\r]*? d=([^;]+);[^\r]*? h=([^;]+);/gm)].map(([, domain, names = ""]) => ({
    domain,
    names: names.toLowerCase().replace(/\s/g, "").split(":"),
  }));
}

const count = (names: readonly string[], wanted: string) => names.filter((name) => name === wanted).length;

describe("CFBL-Address (RFC 9477)", () => {
  it("is on all bulk mail, once, with a token that names no one, and on no other mail", async () => {
    const offered = { unsubscribe: true };
    for (const [source, fields] of [
      ["bulk", {}],
      ["broadcast", {}],
      ["api", offered],
    ] as const) {
      const mail = await sendWithCfbl(workspace, source, fields);
      expect(mail.head.match(/^CFBL-Address: cfbl@bounces\.mail\.test; report=arf\r?$/gm)).toHaveLength(1);
      expect(fieldOf(mail, "CFBL-Feedback-ID")).toMatch(/^[a-z2-7]{56}$/);
      const domains = signaturesOf(mail).map(({ domain }) => domain);
      expect(domains).toEqual([workspace.domain, workspace.domain, "bounces.mail.test"]);
    }
    const plain = await sendWithCfbl(workspace, "api");
    expect(plain.head).toContain("Subject: A subject");
    expect(plain.head).not.toMatch(/cfbl/i);
    expect(signaturesOf(plain)).toHaveLength(2);
  });

  it("is covered with CFBL-Feedback-ID by every signature, once more than it occurs (3.1.4)", async () => {
    for (const { names } of signaturesOf(await sendWithCfbl(workspace, "bulk")))
      for (const name of ["cfbl-address", "cfbl-feedback-id", "feedback-id", "list-unsubscribe-post"])
        expect(count(names, name), name).toBe(2);
  });

  it("has signatures of sender and address that mailauth verifies, after white space changed, and not after a value did", async () => {
    const { raw } = await sendWithCfbl(workspace, "bulk");
    const records = dkimRecordsOf(workspace);
    const passing = [
      ...workspace.dkim.map(({ selector, record }) => `${workspace.domain} ${selector} ${algorithmOf(record)} pass`),
      "bounces.mail.test cfbl1 rsa-sha256 pass",
    ].sort();
    expect(await verifyDkim(raw, records)).toEqual(passing);
    const text = new TextDecoder().decode(raw);
    const changed = (from: string | RegExp, to: string) => new TextEncoder().encode(text.replace(from, to));
    expect(await verifyDkim(changed("; report=arf", ";\r\n\t  report=arf "), records)).toEqual(passing);
    expect(await verifyDkim(changed(/CFBL-Feedback-ID: /, "cfbl-feedback-id:\r\n  "), records)).toEqual(passing);
    for (const [from, to] of [
      ["cfbl@bounces", "evil@bounces"],
      [/(CFBL-Feedback-ID: )./, "$1q7"],
      [/^/, "CFBL-Address: evil@example.org\r\n"],
    ] as const)
      for (const result of await verifyDkim(changed(from, to), records)) expect(result).not.toMatch(/ pass$/);
  });

  it("is left to a caller who sets one of both fields, and the service adds no signature then", async () => {
    for (const name of ["CFBL-Address", "cfbl-feedback-id"]) {
      const mail = await sendWithCfbl(workspace, "bulk", { headers: { [name]: "own@example.org" } });
      expect(mail.head.match(/^cfbl-/gim)).toHaveLength(1);
      expect(fieldOf(mail, name)).toBe("own@example.org");
      expect(signaturesOf(mail)).toHaveLength(2);
    }
  });

  it("is absent without a key, and with a malformed one, which does not stop mail and is an issue of the settings", async () => {
    const key = CFBL_DKIM_KEY.slice(CFBL_DKIM_KEY.indexOf(":") + 1);
    const small = await crypto.subtle.generateKey(
      { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 1024, publicExponent: Uint8Array.of(1, 0, 1) },
      true,
      ["sign", "verify"],
    );
    if (!("privateKey" in small)) throw new TypeError("not a key pair");
    const pkcs8 = (await crypto.subtle.exportKey("pkcs8", small.privateKey)) as ArrayBuffer;
    const malformed: [string, string][] = [
      [key, "key 1 must begin with a selector"],
      [`Upper:${key}`, "key 1 must begin with a selector"],
      ["cfbl1:", "key 1 must be the base64 of an RSA key of 2048 bits in PKCS #8"],
      [`cfbl1:${key.slice(8)}`, "key 1 must be the base64"],
      [`cfbl1:${toBase64(new Uint8Array(pkcs8))}`, "key 1 must be the base64"],
      [`a:${key},a:${key}`, "key 2 repeats the selector a"],
      [`a:${key},b:${key},c:${key}`, "has 3 keys; the limit is 2"],
    ];
    for (const [CFBL_DKIM_KEY, issue] of malformed) {
      const issues = findCfblIssues({ ...testContext().env, CFBL_DKIM_KEY });
      expect(issues).toEqual([expect.stringContaining(`CFBL_DKIM_KEY: ${issue}`)]);
      expect(issues.join()).not.toContain(key.slice(20, 60));
    }
    for (const CFBL_DKIM_KEY of ["", "cfbl1:nonsense"]) {
      const mail = await sendWithCfbl(workspace, "bulk", {}, { CFBL_DKIM_KEY });
      expect(mail.head).toContain("List-Unsubscribe-Post");
      expect(mail.head).not.toMatch(/cfbl/i);
      expect(signaturesOf(mail)).toHaveLength(2);
    }
  });

  it("is signed by the first of two keys, of which the second is the next one", async () => {
    const [, key = ""] = CFBL_DKIM_KEY.split(":");
    const mail = await sendWithCfbl(workspace, "bulk", {}, { CFBL_DKIM_KEY: `${CFBL_DKIM_KEY}, next:${key}` });
    expect(mail.head).toContain("s=cfbl1;");
    expect(mail.head).not.toContain("s=next;");
  });
});

const algorithmOf = (record: string) => (record.includes("k=rsa") ? "rsa-sha256" : "ed25519-sha256");
