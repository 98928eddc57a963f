import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readReceiverResults } from "../../../../src/mail/authentication-results/receiver-results.ts";
import { HOSTILE_RESULTS } from "../../../mail/hostile-inputs.ts";

const ID = "mx.cloudflare.net";
const RECEIVED =
  "Received: from out.example.org (203.0.113.7)\r\n        by cloudflare-email.net (cloudflare) id 7A\r\n";
const read = (head: string, id = ID) => readReceiverResults(head, id);
const of = (value: string, name = "Authentication-Results") => read(`${RECEIVED}${name}: ${value}\r\n\r\n`);
const words = (value: string) => of(value)?.results.map(({ method, result }) => `${method}=${result}`) ?? null;

describe("the results of a trusted receiver", () => {
  it("are read from a header as Email Routing writes it", () => {
    const results = [
      `${ID};`,
      "\tdkim=pass header.d=example.org header.s=s2026 header.b=al/+aq0=;",
      "\tdmarc=fail header.from=example.org policy.dmarc=quarantine;",
      `\tspf=none (${ID}: no SPF records found for postmaster@out.example.org) smtp.helo=out.example.org;`,
      `\tspf=pass (${ID}: domain of ada@example.org designates 2001:db8::7 as permitted sender) smtp.mailfrom=ada@example.org;`,
      "\tarc=none smtp.remote-ip=2001:db8::7",
    ].join("\r\n");
    const head = [
      `${RECEIVED}ARC-Seal: i=1; a=rsa-sha256; s=cf2024-1; d=cloudflare-email.net; cv=none;\r\n\tb=hM96==;`,
      "ARC-Message-Signature: i=1; a=rsa-sha256; s=cf2024-1; d=cloudflare-email.net; c=relaxed/relaxed;\r\n\tb=E1ex==;",
      `ARC-Authentication-Results: i=1; ${results}`,
      "Received-SPF: pass",
      `Authentication-Results: ${results}`,
      "From: ada@example.org",
      "",
      "",
    ].join("\r\n");
    const found = read(head);
    expect(found).toMatchObject({ authservId: ID, isSealed: true });
    expect(
      found?.results.map(({ method, result, properties, isComplete }) => [
        `${method}=${result}`,
        Object.fromEntries(properties),
        isComplete,
      ]),
    ).toEqual([
      ["dkim=pass", { "header.d": "example.org", "header.s": "s2026", "header.b": "al/+aq0=" }, true],
      ["dmarc=fail", { "header.from": "example.org", "policy.dmarc": "quarantine" }, true],
      ["spf=none", { "smtp.helo": "out.example.org" }, true],
      ["spf=pass", { "smtp.mailfrom": "ada@example.org" }, true],
      ["arc=none", { "smtp.remote-ip": "2001:db8::7" }, true],
    ]);
    expect(read(head.replaceAll("\r\n", "\n"))).toEqual(found);
  });

  it("are read in every form of the grammar", () => {
    const forms: Record<string, string[] | null> = {
      [`${ID}; none`]: [],
      [`${ID} 1; dmarc=pass`]: ["dmarc=pass"],
      [`"${ID}"; dmarc=pass`]: ["dmarc=pass"],
      "MX.Cloudflare.NET; DMARC=Pass": ["dmarc=pass"],
      [`(a (nested \\) comment)) ${ID} (b); dmarc (c) / 1 = (d) pass (e;f) header.from (g) = example.org`]: [
        "dmarc=pass",
      ],
      [`${ID}; dkim=fail reason="bad; (signature" header.i=@example.org; spf=pass`]: ["dkim=fail", "spf=pass"],
      [`${ID};\r\n dmarc=\r\n\tpass`]: ["dmarc=pass"],
      [`${ID}; spf=pass smtp.mailfrom="a;b (c"@example.org; dmarc=pass`]: ["spf=pass", "dmarc=pass"],
      [`${ID};; dmarc; =pass; dkim=pass`]: ["dkim=pass"],
      "; dmarc=pass": null,
      "": null,
      "dmarc=pass": null,
      [`${ID}\0; dmarc=pass`]: null,
      [`${ID};\r dmarc=pass`]: null,
      [`${ID}; dmarc=pass ${"x".repeat(16_384)}`]: null,
    };
    for (const [value, expected] of Object.entries(forms)) expect(words(value), value).toEqual(expected);
    expect(of(`i=2; ${ID}; dmarc=pass`, "ARC-Authentication-Results")?.results).toHaveLength(1);
    expect(of(`i=2; ${ID}; dmarc=pass`)).toBeNull();
  });

  it("of at most 100 methods are read", () => {
    expect(words(`${ID}${"; dkim=pass".repeat(1_000)}`)).toHaveLength(100);
  });

  it("are those of the topmost field only, above the Received field of another server", () => {
    const own = `Authentication-Results: ${ID}; dmarc=fail\r\n`;
    const forged = `Authentication-Results: ${ID}; dmarc=pass\r\n`;
    const foreign = "Authentication-Results: mx.example.org; dmarc=pass\r\n";
    const heads: Record<string, string | null> = {
      [`${RECEIVED}${own}${forged}`]: "fail",
      [`${RECEIVED}${own}${foreign}`]: "fail",
      [`${RECEIVED}${own}ARC-${forged.replace(ID, `i=1; ${ID}`)}`]: "fail",
      [`${RECEIVED}${foreign}${forged}`]: null,
      [`${RECEIVED}${forged.replace(ID, `evil.example; ${ID}`)}`]: null,
      [`${RECEIVED}${RECEIVED}${forged}`]: null,
      [`${RECEIVED}Received : from evil.example\r\n${forged}`]: null,
      [`${RECEIVED}\r\n${forged}`]: null,
      [`${RECEIVED}${"X-Field: a\r\n".repeat(100)}${forged}`]: null,
      [`${RECEIVED}X-Field: ${"a".repeat(65_536)}\r\n${forged}`]: null,
      [`${RECEIVED}X-Field: a\r\n ${forged}`]: null,
      [`From: a@example.org\r\n${forged}`]: null,
      [forged]: null,
      "": null,
    };
    for (const [head, expected] of Object.entries(heads))
      expect(read(`${head}\r\n`)?.results[0]?.result ?? null, head).toBe(expected);
    expect(read(`${RECEIVED}${own}\r\n`, `${ID}.evil.example`)).toBeNull();
  });

  it("tell a result that a sender's text has broken from a whole one", () => {
    const broken = of(
      `${ID}; dmarc=fail; spf=pass (domain of "a) dmarc=pass (b"@evil.example) smtp.mailfrom=x@evil.example`,
    );
    expect(broken?.results.map(({ method, isComplete }) => [method, isComplete])).toEqual([
      ["dmarc", true],
      ["spf", false],
    ]);
    expect(of(`${ID}; dmarc=pass) header.from=example.org`)?.results.map(({ method }) => method)).toEqual([]);
  });

  it("are read of any text without a throw", () => {
    const token = fc.constantFrom(
      ID,
      ";",
      "(",
      ")",
      '"',
      "\\",
      " dmarc=",
      "pass",
      "header.from=",
      " ",
      "\r\n ",
      "a",
      "=",
      ".",
      "/",
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 200 }), (tokens) => {
        for (const { method, result } of of(`${ID};${tokens.join("")}`)?.results ?? [])
          expect(`${method}=${result}`).toMatch(/^[a-z0-9-]+=[a-z0-9-]+$/);
      }),
    );
    for (const text of HOSTILE_RESULTS) expect(of(text)?.results.length).toBeLessThanOrEqual(1);
  });
});
