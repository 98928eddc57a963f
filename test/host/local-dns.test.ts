import { setTimeout as sleep } from "node:timers/promises";
import { decode, encode, type RecordType } from "dns-packet";
import { afterAll, beforeEach, describe, it } from "vitest";
import type { Domain, DomainRecord } from "../../dev/dns/list-domains.ts";
import { startLocalDns } from "../../dev/dns/local.ts";

let listed: Domain[] | null = [];
let calls = 0;
const dns = await startLocalDns(0, async () => {
  calls += 1;
  await sleep(20);
  if (!listed) throw new Error("The API is down");
  return listed;
});
const base = `http://127.0.0.1:${dns.port}`;

afterAll(() => dns.close());

const RCODES = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN"];
const record = (purpose: string, name: string, value: string, type: DomainRecord["type"] = "TXT"): DomainRecord => ({
  purpose,
  type,
  name,
  value,
  priority: type === "MX" ? 10 : null,
});

const domain = (name: string): Domain => ({
  name,
  status: "pending",
  records: [
    record("ownership", `_svc-challenge.${name}`, "svc-domain-verification=abc123"),
    record("dkim", `s1._domainkey.${name}`, "v=DKIM1; k=rsa; p=MIIBIjAN"),
    record("spf", name, "v=spf1 include:spf.mail.test ~all"),
    record("return_path", `svc-bounces.${name}`, "bounces.mail.test", "CNAME"),
    record("dmarc", `_dmarc.${name}`, "v=DMARC1; p=none"),
    record("mx", name, "mx.mail.test", "MX"),
  ],
});

async function ask(name: string, type: RecordType, signal: AbortSignal = AbortSignal.timeout(5_000)) {
  const query = encode({ type: "query", id: 0, questions: [{ name, type }] }).toString("base64url");
  const response = await fetch(`${base}/dns-query?dns=${query}`, { signal });
  const { flags = 0, answers = [] } = decode(Buffer.from(await response.arrayBuffer()));
  return [RCODES[flags & 0x0f], ...answers.map((answer) => ("data" in answer ? textOf(answer.data) : ""))];
}

function textOf(data: unknown): unknown {
  if (Array.isArray(data)) return Buffer.concat(data as Buffer[]).toString("utf8");
  return data;
}

const put = (body: unknown) => fetch(`${base}/records`, { method: "PUT", body: JSON.stringify(body) });

describe("DNS of the local service", () => {
  beforeEach(() => {
    listed = ["shop", "wrong-shop", "missing-shop", "partial-shop", "servfail-shop", "timeout-shop"].map((name) =>
      domain(`${name}.test`),
    );
  });

  it("publishes the records that the API asks for, and reads the API again for an unknown name", async ({ expect }) => {
    expect(await ask("shop.test", "MX")).toEqual(["NOERROR", { preference: 10, exchange: "mx.mail.test" }]);
    expect(await ask("_svc-challenge.SHOP.test", "TXT")).toEqual(["NOERROR", "svc-domain-verification=abc123"]);
    expect(await ask("_svc-challenge.new.test", "TXT")).toEqual(["NXDOMAIN"]);
    listed?.push(domain("new.test"));
    expect(await ask("_svc-challenge.new.test", "TXT")).toEqual(["NOERROR", "svc-domain-verification=abc123"]);
    calls = 0;
    await Promise.all(Array.from({ length: 20 }, () => ask("nothing.test", "TXT")));
    expect(calls).toBeLessThan(10);
  });

  it("has a name of several workspaces once, with the ownership record of each", async ({ expect }) => {
    const of = (status: string, token: string): Domain => ({
      ...domain("twice.test"),
      status,
      records: [
        record("ownership", "_svc-challenge.twice.test", token),
        record("dmarc", "_dmarc.twice.test", `v=DMARC1; p=none; rua=mailto:${token}@mail.test`),
      ],
    });
    const both = ["NOERROR", "newest", "older"];
    listed = [of("pending", "newest"), of("pending", "older")];
    expect(await ask("_svc-challenge.twice.test", "TXT")).toEqual(both);
    expect(await ask("_dmarc.twice.test", "TXT")).toEqual(["NOERROR", "v=DMARC1; p=none; rua=mailto:newest@mail.test"]);
    listed = [of("pending", "newest"), of("verified", "older")];
    expect(await ask("_svc-challenge.twice.test", "TXT")).toEqual(both);
    expect(await ask("_dmarc.twice.test", "TXT")).toEqual(["NOERROR", "v=DMARC1; p=none; rua=mailto:older@mail.test"]);
  });

  it("answers NXDOMAIN for every name outside test", async ({ expect }) => {
    listed?.push(domain("example.org"));
    expect(await ask("_svc-challenge.example.org", "TXT")).toEqual(["NXDOMAIN"]);
    expect(await ask("org", "NS")).toEqual(["NXDOMAIN"]);
  });

  it("answers wrong, incomplete or no records for the special names", async ({ expect }) => {
    expect(await ask("_svc-challenge.wrong-shop.test", "TXT")).toEqual([
      "NOERROR",
      `svc-domain-verification=${"0".repeat(40)}`,
    ]);
    expect(await ask("s1._domainkey.wrong-shop.test", "TXT")).toEqual(["NOERROR", "v=DKIM1; k=rsa; p=miibiJan"]);
    expect(await ask("wrong-shop.test", "MX")).toMatchObject(["NOERROR", { exchange: "elsewhere.test" }]);
    expect(await ask("svc-bounces.wrong-shop.test", "CNAME")).toEqual(["NOERROR", "elsewhere.test"]);
    expect(await ask("missing-shop.test", "TXT")).toEqual(["NXDOMAIN"]);
    expect(await ask("s1._domainkey.partial-shop.test", "TXT")).toEqual(["NXDOMAIN"]);
    expect(await ask("partial-shop.test", "TXT")).toEqual(["NOERROR", "v=spf1 include:spf.mail.test ~all"]);
    expect(await ask("servfail-shop.test", "TXT")).toEqual(["SERVFAIL"]);
    await expect(ask("timeout-shop.test", "TXT", AbortSignal.timeout(300))).rejects.toThrow("timeout");
  });

  it("answers SERVFAIL while the API is down", async ({ expect }) => {
    listed = null;
    expect(await ask("_svc-challenge.late.test", "TXT")).toEqual(["SERVFAIL"]);
    expect(await (await fetch(base)).text()).toContain("The API does not answer");
  });

  it("sets and deletes overrides, one name and type at a time", async ({ expect }) => {
    expect((await put({ name: "Shop.test", type: "TXT", values: ["one", "two"] })).status).toBe(200);
    expect((await put({ name: "shop.test", type: "MX", values: [] })).status).toBe(200);
    expect((await put({ name: "www.example.org", type: "CNAME", values: ["shop.test"] })).status).toBe(200);
    expect(await ask("shop.test", "TXT")).toEqual(["NOERROR", "one", "two"]);
    expect(await ask("shop.test", "MX")).toEqual(["NOERROR"]);
    expect(await ask("www.example.org", "TXT")).toEqual(["NOERROR", "shop.test", "one", "two"]);
    expect(await ask("_dmarc.shop.test", "TXT")).toEqual(["NOERROR", "v=DMARC1; p=none"]);
    const remove = (query: string) => fetch(`${base}/records?${query}`, { method: "DELETE" });
    const all = ["name=shop.test&type=TXT", "name=shop.test&type=MX", "name=www.example.org&type=CNAME"];
    expect((await Promise.all(all.map(remove))).map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(await ask("shop.test", "TXT")).toEqual(["NOERROR", "v=spf1 include:spf.mail.test ~all"]);
    expect((await remove("name=shop.test&type=TXT")).status).toBe(404);
  });

  it("refuses overrides with an invalid name, type or value", async ({ expect }) => {
    const bad = [
      { name: "two..dots", type: "TXT", values: [] },
      { name: "shop.test", type: "SOA", values: [] },
      { name: "shop.test", type: "A", values: ["not an address"] },
      { name: "shop.test", type: "MX", values: ["mx.without.priority"] },
      { name: "shop.test", type: "MX", values: ["99999 mx.shop.test"] },
      { name: "shop.test", type: "CNAME", values: ["a.test", "b.test"] },
    ];
    expect((await Promise.all(bad.map(put))).map(({ status }) => status)).toEqual(bad.map(() => 422));
    expect((await fetch(`${base}/records`, { method: "PUT", body: "{" })).status).toBe(422);
    expect(await (await fetch(`${base}/records`)).json()).toEqual([]);
  });

  it("shows the zones on a page and escapes their records", async ({ expect }) => {
    await put({ name: "shop.test", type: "TXT", values: ["<script>alert(1)</script>"] });
    const response = await fetch(base);
    const page = await response.text();
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page).toContain("_svc-challenge.shop.test");
    expect(page).toContain("servfail-….test");
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page).not.toContain("<script>");
    await fetch(`${base}/records?name=shop.test&type=TXT`, { method: "DELETE" });
  });
});
