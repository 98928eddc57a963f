import { decode, encode, type RecordType } from "dns-packet";
import { afterAll, describe, it } from "vitest";
import type { DnsRecord } from "../../dev/dns/record.ts";
import { type Found, inZone, resolve } from "../../dev/dns/resolve.ts";
import { startDns } from "../../dev/dns/server.ts";

const long = "k".repeat(250) + "é".repeat(200);
const records: DnsRecord[] = [
  { type: "TXT", name: "long.test", value: long },
  { type: "TXT", name: "empty.test", value: "" },
  { type: "MX", name: "shop.test", value: "mx.shop.test", priority: 5 },
  { type: "NS", name: "shop.test", value: "ns.shop.test" },
  { type: "A", name: "mx.shop.test", value: "192.0.2.1" },
  { type: "AAAA", name: "mx.shop.test", value: "2001:db8::1" },
  { type: "CNAME", name: "alias.test", value: "mx.shop.test" },
  { type: "CNAME", name: "dangling.test", value: "nowhere.test" },
  { type: "CNAME", name: "round.test", value: "round.test" },
];
const zone = Map.groupBy(records, ({ name }) => name);
const modes = ["timeout", "truncated", "garbage", "http-error"] as const;

const find = (name: string): Found => {
  if (name === "broken.test") throw new Error("the resolver failed");
  if (name === "refused.test") return { rcode: "REFUSED", answers: [] };
  return modes.find((mode) => name === `${mode}.test`) ?? inZone(zone, name);
};
const dns = await startDns(0, (name, type) => resolve(find, name, type));
const url = `http://127.0.0.1:${dns.port}/dns-query`;
const type = "application/dns-message";

afterAll(() => dns.close());

const question = (name: string, type: RecordType) =>
  encode({ type: "query", id: 7, flags: 256, questions: [{ name, type }] });
const get = (name: string, type: RecordType, init: RequestInit = {}) =>
  fetch(`${url}?dns=${question(name, type).toString("base64url")}`, init);
const post = (body: Buffer, contentType = type) =>
  fetch(url, { method: "POST", headers: { "Content-Type": contentType }, body: new Uint8Array(body) });

async function read(answer: Response | Promise<Response>) {
  const response = await answer;
  const message = decode(Buffer.from(await response.arrayBuffer()));
  return { response, message, rcode: (message.flags ?? 0) & 0x0f, answers: message.answers ?? [] };
}

const dataOf = async (name: string, type: RecordType) =>
  (await read(get(name, type))).answers.map((answer) => ("data" in answer ? answer.data : null));

describe("DNS over HTTPS", () => {
  it("answers GET and POST with the same records, the question and its id", async ({ expect }) => {
    for (const answer of [get("Shop.test", "MX"), post(question("Shop.test", "MX"))]) {
      const { response, message, answers } = await read(answer);
      expect(response.headers.get("content-type")).toBe(type);
      expect(message).toMatchObject({ id: 7, type: "response", questions: [{ name: "Shop.test", type: "MX" }] });
      expect(answers).toMatchObject([{ type: "MX", data: { preference: 5, exchange: "mx.shop.test" } }]);
    }
  });

  it("splits a TXT value into strings of at most 255 bytes that join to the same value", async ({ expect }) => {
    const [strings] = await dataOf("long.test", "TXT");
    const parts = strings as Buffer[];
    expect(parts.map((part) => part.length)).toEqual([255, 255, 140]);
    expect(Buffer.concat(parts).toString("utf8")).toBe(long);
    expect(await dataOf("empty.test", "TXT")).toEqual([[Buffer.alloc(0)]]);
  });

  it("answers each record type", async ({ expect }) => {
    expect(await dataOf("mx.shop.test", "A")).toEqual(["192.0.2.1"]);
    expect(await dataOf("mx.shop.test", "AAAA")).toEqual(["2001:db8::1"]);
    expect(await dataOf("shop.test", "NS")).toEqual(["ns.shop.test"]);
    expect(await dataOf("alias.test", "CNAME")).toEqual(["mx.shop.test"]);
    expect(await dataOf("mx.shop.test", "SOA")).toEqual([]);
  });

  it("answers a CNAME with the alias and the records of its target", async ({ expect }) => {
    const { rcode, answers } = await read(get("alias.test", "A"));
    expect([rcode, answers]).toMatchObject([
      0,
      [
        { type: "CNAME", name: "alias.test", data: "mx.shop.test" },
        { type: "A", name: "mx.shop.test", data: "192.0.2.1" },
      ],
    ]);
    const dangling = await read(get("dangling.test", "A"));
    expect([dangling.rcode, dangling.answers]).toMatchObject([3, [{ type: "CNAME", data: "nowhere.test" }]]);
    const round = await read(get("round.test", "A"));
    expect([round.rcode, round.answers]).toEqual([2, []]);
  });

  it("answers NXDOMAIN for a missing name, and NOERROR for a name without this type or with children only", async ({
    expect,
  }) => {
    const rcodes = await Promise.all(
      ["nothing.test", "shop.test", "test", "refused.test"].map(async (name) => (await read(get(name, "TXT"))).rcode),
    );
    expect(rcodes).toEqual([3, 0, 0, 5]);
  });

  it("simulates a timeout, truncation, garbage and HTTP errors", async ({ expect }) => {
    await expect(get("timeout.test", "TXT", { signal: AbortSignal.timeout(300) })).rejects.toThrow("timeout");
    expect((await read(get("truncated.test", "TXT"))).message).toMatchObject({ flag_tc: true, answers: [] });
    await expect(read(get("garbage.test", "TXT"))).rejects.toThrow();
    expect((await get("http-error.test", "TXT")).status).toBe(500);
    expect((await get("broken.test", "TXT")).status).toBe(500);
  });

  it("refuses requests that are not DNS queries", async ({ expect }) => {
    const requests = [
      fetch(url),
      fetch(`${url}?dns=AAAA`),
      post(Buffer.from("x")),
      post(question("shop.test", "MX"), "text/plain"),
      fetch(url, { method: "PUT" }),
      fetch(`http://127.0.0.1:${dns.port}/`),
    ];
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([400, 400, 400, 415, 405, 404]);
  });
});
