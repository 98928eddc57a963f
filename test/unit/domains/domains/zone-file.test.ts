import { describe, expect, it } from "vitest";
import { recordsToImport, toZoneFile } from "../../../../src/domains/domains/index.ts";

const record = { purpose: "dkim", status: "pending", required: true, priority: null } as const;

describe("the zone file of a domain", () => {
  it.each([
    ["dmarc", "CNAME", ["v=DMARC1; p=none"], false],
    ["dmarc", "TXT", ["v=DMARC1; p=none"], false],
    ["dmarc", "CNAME", ["CNAME other.example"], true],
    ["dmarc", "CNAME", null, true],
    ["spf", "TXT", ["verification=1", "v=spf1 -all"], false],
    ["spf", "TXT", ["verification=1"], true],
    ["dkim", "TXT", ["v=DKIM1; p="], true],
  ] as const)("has a record of %s (%s) where %j stands: %s", (purpose, type, found, isIncluded) => {
    const shown = { name: "a.example.org", value: "b.example.org", explanation: "", action: null };
    const one = { ...record, ...shown, purpose, type, found: found && [...found] };
    expect(recordsToImport({ records: [one], receives: null })).toEqual(isIncluded ? [one] : []);
  });

  it("has full names with a final dot, priorities, and strings of at most 255 bytes", () => {
    const key = `v=DKIM1; k=rsa; p=${"A".repeat(300)}`;
    const lines = toZoneFile({
      name: "example.org",
      records: [
        { ...record, type: "TXT", name: "s1._domainkey.example.org", value: key },
        { ...record, type: "CNAME", name: "bounce.example.org", value: "bounces.mail.test" },
        { ...record, type: "MX", name: "example.org", value: "mx.mail.test", priority: 10 },
        { ...record, type: "TXT", name: "example.org", value: 'v=spf1 "quoted" \\ ~all' },
      ],
    }).split("\n");
    expect(lines[2]).toBe(`s1._domainkey.example.org. IN TXT "${key.slice(0, 255)}" "${key.slice(255)}"`);
    expect(lines[3]).toBe("bounce.example.org. IN CNAME bounces.mail.test.");
    expect(lines[4]).toBe("example.org. IN MX 10 mx.mail.test.");
    expect(lines[5]).toBe('example.org. IN TXT "v=spf1 \\"quoted\\" \\\\ ~all"');
  });
});
