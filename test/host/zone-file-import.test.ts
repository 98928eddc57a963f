import { afterAll, describe, expect, it } from "vitest";
import { startLocalDns } from "../../dev/dns/local.ts";
import { readZoneFile, ZoneFileError } from "../../dev/dns/zone-file.ts";
import { toZoneFile } from "../../src/domains/domains/index.ts";
import { lookUpTxt } from "./support/look-up-txt.ts";

const dns = await startLocalDns(0, async () => []);
const base = `http://127.0.0.1:${dns.port}`;
afterAll(() => dns.close());

const long = `v=DKIM1; k=rsa; p=${"aB/+".repeat(120)}`;
const post = (body: string | FormData, headers: Record<string, string> = {}) =>
  fetch(`${base}/zone-file`, { method: "POST", body, headers, redirect: "manual" });

describe("the import of a zone file into the local DNS server", () => {
  it("takes the file that the service offers, with values of any length", async () => {
    const record = (type: "TXT" | "CNAME" | "MX", name: string, value: string, priority: number | null = null) => ({
      ...{ type, name: `${name}shop.example`, value, priority },
    });
    const file = toZoneFile({
      name: "shop.example",
      records: [
        record("TXT", "k._domainkey.", long),
        record("TXT", "", 'a "quoted" \\ value; no comment'),
        record("CNAME", "svc-bounces.", "return.zone.test"),
        record("MX", "", "mx.mail.test", 10),
      ],
    });
    expect((await post(file)).status).toBe(200);
    expect(await lookUpTxt(base, "k._domainkey.shop.example")).toEqual([long]);
    expect(await lookUpTxt(base, "shop.example")).toEqual(['a "quoted" \\ value; no comment']);
    const page = await (await fetch(base)).text();
    for (const text of ["return.zone.test", "10 mx.mail.test"]) expect(page).toContain(text);
  });

  it("reads origins, TTLs, classes, parentheses, comments and names that are left out", () => {
    const text = `$ORIGIN Shop.Example.
$TTL 3600
@ 300 IN SOA ns hostmaster (1 2 ; serial
  3 4 5)
@ IN 60 MX 5 mx ; first
    MX 10 mx.other.test.
www IN CNAME @
t 60 TXT ( "one "
  "two" ) ; joined
\tTXT plain\\;\\065
`;
    expect(readZoneFile(text)).toEqual([
      { name: "shop.example", type: "MX", values: ["5 mx.shop.example", "10 mx.other.test"] },
      { name: "www.shop.example", type: "CNAME", values: ["shop.example"] },
      { name: "t.shop.example", type: "TXT", values: ["one two", "plain;A"] },
    ]);
  });

  it.each([
    ["a.test. IN PTR b.test.", /^line 1: /],
    ["\na.test. IN A 300.1.1.1", /^line 2: values has an item that is not valid/],
    ['a.test. IN TXT "open', /^line 1: a quoted string has no end/],
    ["a.test. IN TXT ( x", /the parentheses do not match/],
    ["a.test. CNAME b.test.\na.test. CNAME c.test.", /^line 2: values has more than one CNAME/],
    ["a..test. IN TXT x", /^line 1: name is not a domain name/],
    ["x".repeat(70_000), /the limit is 65536/],
    [Array.from({ length: 201 }, (_, n) => `n${n}.test. TXT x`).join("\n"), /the limit is 200/],
  ])("refuses a file as a whole: %#", async (text, message) => {
    expect(() => readZoneFile(text)).toThrow(ZoneFileError);
    expect(() => readZoneFile(text)).toThrow(message);
    const before = await (await fetch(`${base}/records`)).json();
    expect((await post(text)).status).toBe(422);
    expect(await (await fetch(`${base}/records`)).json()).toEqual(before);
  });

  it("takes a form of its own page, and none of another site", async () => {
    const form = new FormData();
    form.set("file", new Blob(["form.example. TXT here"]), "form.example.zone.txt");
    expect((await post(form, { "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
    expect(await lookUpTxt(base, "form.example")).toEqual([]);
    expect((await post(form, { "Sec-Fetch-Site": "same-origin" })).status).toBe(303);
    expect(await lookUpTxt(base, "form.example")).toEqual(["here"]);
  });
});
