/** The tree walk of DMARC (RFC 9989 4.10). */
import { expect, it } from "vitest";
import { findOrganizationalDomain, findPolicy } from "../../../../src/mail/dmarc/tree-walk.ts";

/** Returns a look-up in these records, and the names that it was asked for. */
function dns(records: Record<string, string[] | null>) {
  const asked: string[] = [];
  const lookUp = async (name: string) => {
    asked.push(name);
    const values = records[name];
    return values === undefined ? [] : values;
  };
  return { lookUp, asked };
}

const NONE = ["v=DMARC1; p=none"];

it.each([
  ["the record with the fewest labels", { "_dmarc.a.example.com": NONE, "_dmarc.example.com": NONE }, "example.com"],
  [
    "psd=n ends the walk",
    { "_dmarc.a.example.com": ["v=DMARC1; p=none; psd=n"], "_dmarc.example.com": NONE },
    "a.example.com",
  ],
  ["the domain below psd=y", { "_dmarc.com": ["v=DMARC1; p=none; psd=y"] }, "example.com"],
  ["the name itself without records", {}, "mail.a.example.com"],
  [
    "several records count as none",
    { "_dmarc.example.com": [...NONE, ...NONE], "_dmarc.a.example.com": NONE },
    "a.example.com",
  ],
  ["DNS that does not respond", { "_dmarc.example.com": null }, null],
])("the organizational domain: %s", async (_, records, expected) => {
  expect(await findOrganizationalDomain(dns(records).lookUp, "mail.a.example.com")).toBe(expected);
});

it("a name of many labels causes eight look-ups", async () => {
  const { lookUp, asked } = dns({});
  await findOrganizationalDomain(lookUp, "a.b.c.d.e.f.g.h.i.j.example.com");
  expect(asked).toHaveLength(8);
  expect(asked[1]).toBe("_dmarc.f.g.h.i.j.example.com");
  expect(asked.at(-1)).toBe("_dmarc.com");
});

it("the policy is that of the domain itself before that of its organization", async () => {
  const records = { "_dmarc.mail.example.com": ["v=DMARC1; p=reject"], "_dmarc.example.com": NONE };
  expect(await findPolicy(dns(records).lookUp, "mail.example.com")).toMatchObject({
    name: "mail.example.com",
    isInherited: false,
  });
  expect(await findPolicy(dns(records).lookUp, "other.example.com")).toMatchObject({
    name: "example.com",
    isInherited: true,
  });
  expect(await findPolicy(dns({}).lookUp, "other.example.com")).toBe("none");
});
