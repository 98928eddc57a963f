/** How the gateway's check of DMARC reads the alignment that a domain asks for (RFC 7489 3.1, RFC 9989 4.4). */
import type { SMTPServerSession } from "smtp-server";
import { describe, expect, it } from "vitest";
import { checkMessage } from "../../mail-gateway/authenticate.ts";
import { Spool } from "../../mail-gateway/spool.ts";
import { BodyHash } from "../../src/mail/dkim/canonicalization.ts";
import { dkimRecord, generateDkimKeyPair, type SigningKey } from "../../src/mail/dkim/keys.ts";
import { selectHeaders, signatureField } from "../../src/mail/dkim/signature.ts";

const IP = "192.0.2.1";
const pair = await generateDkimKeyPair("rsa-sha256");
const key: SigningKey = { id: crypto.randomUUID(), selector: "s1", algorithm: "rsa-sha256", pkcs8: () => pair.pkcs8 };

/** Returns the records of example.org, whose subdomain mail.example.org sends its mail, with this DMARC record. */
function resolverWith(dmarc: string) {
  const records: Record<string, string> = {
    "_dmarc.example.org": dmarc,
    "mail.example.org": `v=spf1 ip4:${IP} -all`,
    "example.org": `v=spf1 ip4:${IP} -all`,
    "s1._domainkey.mail.example.org": dkimRecord("rsa-sha256", pair.publicKey),
    "s1._domainkey.example.org": dkimRecord("rsa-sha256", pair.publicKey),
  };
  return async (name: string, type: string) => {
    const record = type === "TXT" ? records[name] : undefined;
    if (record !== undefined) return [[record]];
    throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
  };
}

const FIELDS = ["From: Ada <ada@example.org>", "To: b@example.net", "Subject: Hello", "Message-ID: <1@example.org>"];
const BODY = "Hello.\r\n";

/** Returns the DKIM-Signature field of the message by `domain`. */
async function signatureBy(domain: string): Promise<string> {
  const hash = new BodyHash();
  hash.update(Buffer.from(BODY));
  const fields = selectHeaders(FIELDS.map((field) => ({ name: field.split(":")[0] ?? "", raw: `${field}\r\n` })));
  return signatureField(key, fields, { domain, bodyHash: hash.digest(), at: Math.floor(Date.now() / 1000) });
}

/** Returns DMARC's result of a message from ada@example.org with `sender` as return path, signed by `signer`. */
async function dmarcOf(policy: string, { sender = "", signer = "" }): Promise<string | undefined> {
  const signature = signer === "" ? "" : await signatureBy(signer);
  const spool = new Spool();
  await spool.write(Buffer.from(`${signature}${FIELDS.join("\r\n")}\r\n\r\n${BODY}`));
  await spool.finish();
  const session = {
    id: "1",
    envelope: { mailFrom: { address: sender } },
    remoteAddress: IP,
    transmissionType: "ESMTP",
  };
  const receiver = { name: "mx.test", resolver: resolverWith(`v=DMARC1; p=reject; ${policy}`) };
  const { authentication } = await checkMessage(session as unknown as SMTPServerSession, spool, receiver);
  return authentication.dmarc?.result;
}

describe("DMARC", () => {
  it.each([
    ["", "mail.example.org", "pass"],
    ["aspf=r", "mail.example.org", "pass"],
    ["aspf=s", "mail.example.org", "fail"],
    ["aspf=s", "example.org", "pass"],
    ["adkim=s", "mail.example.org", "pass"],
  ])("with %j and a return path of %s gives %s", async (policy, domain, result) => {
    expect(await dmarcOf(policy, { sender: `bounces@${domain}` })).toBe(result);
  });

  it.each([
    ["", "mail.example.org", "pass"],
    ["adkim=r", "mail.example.org", "pass"],
    ["adkim=s", "mail.example.org", "fail"],
    ["adkim=s", "example.org", "pass"],
    ["aspf=s", "mail.example.org", "pass"],
  ])("with %j and a signature of %s gives %s", async (policy, domain, result) => {
    expect(await dmarcOf(policy, { signer: domain })).toBe(result);
  });

  it("with both strict needs one that is the domain itself", async () => {
    const both = { sender: "bounces@mail.example.org", signer: "mail.example.org" };
    expect(await dmarcOf("adkim=s; aspf=s", both)).toBe("fail");
    expect(await dmarcOf("adkim=s; aspf=s", { ...both, signer: "example.org" })).toBe("pass");
  });
});

describe("the policy for a message that nothing aligns (RFC 9989)", () => {
  /** Returns the policy that applies to mail from an address of `domain`; null: none. `mail.example.org` exists, other names do not. */
  async function policyFor(domain: string, records: Record<string, string>): Promise<string | null> {
    const spool = new Spool();
    await spool.write(Buffer.from(`From: ada@${domain}\r\n\r\n${BODY}`));
    await spool.finish();
    const session = { id: "1", envelope: { mailFrom: { address: "" } }, remoteAddress: IP, transmissionType: "ESMTP" };
    const resolver = async (name: string, type: string) => {
      const record = type === "TXT" ? records[name] : undefined;
      if (record !== undefined) return [[record]];
      const code = name === "mail.example.org" ? "ENODATA" : "ENOTFOUND";
      throw Object.assign(new Error("no such record"), { code });
    };
    const receiver = { name: "mx.test", resolver };
    const { authentication } = await checkMessage(session as unknown as SMTPServerSession, spool, receiver);
    return authentication.dmarc_policy;
  }

  const [EXISTING, MISSING] = ["mail.example.org", "forged.example.org"];
  it.each([
    ["sp, for a name below that exists", EXISTING, "p=reject; sp=quarantine; np=none", "quarantine"],
    ["np, for a name below that does not exist", MISSING, "p=none; sp=none; np=reject", "reject"],
    ["sp in place of np", MISSING, "p=none; sp=quarantine", "quarantine"],
    ["p in place of both", MISSING, "p=reject", "reject"],
    ["one step less with t=y", "example.org", "p=reject; t=y", "quarantine"],
    ["the same with pct, which is no tag any more", "example.org", "p=reject; pct=0", "reject"],
  ])("is %s", async (_, domain, tags, policy) => {
    expect(await policyFor(domain, { "_dmarc.example.org": `v=DMARC1; ${tags}` })).toBe(policy);
  });

  it("is found by a walk up the tree, beyond a public suffix of the list", async () => {
    const deep = "a.b.c.d.e.f.g.h.example.co.uk";
    expect(await policyFor(deep, { "_dmarc.example.co.uk": "v=DMARC1; p=reject" })).toBe("reject");
    expect(await policyFor("shop.co.uk", { "_dmarc.co.uk": "v=DMARC1; p=none; sp=reject; psd=y" })).toBe("reject");
    expect(await policyFor("a.unit.example.org", { "_dmarc.unit.example.org": "v=DMARC1; p=quarantine; psd=n" })).toBe(
      "quarantine",
    );
  });
});
