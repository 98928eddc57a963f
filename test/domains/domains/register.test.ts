import { describe, expect, it } from "vitest";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { database } from "../../support/databases.ts";
import { register, uniqueDomainName } from "../../support/domains.ts";
import { aKey, apiWith, aWorkspace, perSuite } from "../../support/workspace.ts";

const workspace = perSuite(aWorkspace);
const otherWorkspace = perSuite(aWorkspace);

describe("POST /v1/domains/", () => {
  it("returns 201 with a pending domain and every record to publish", async () => {
    const name = uniqueDomainName();
    const domain = await register(workspace, name.toUpperCase());
    expect(domain).toMatchObject({ name, status: "pending", verified_at: null, last_checked_at: null });
    const purposes = domain.records.map(({ purpose, required, status }) => `${purpose} ${required} ${status}`);
    expect(purposes).toEqual([
      "ownership true pending",
      "dkim true pending",
      "dkim true pending",
      "spf false pending",
      "return_path false pending",
      "dmarc false pending",
      "mx false pending",
    ]);
    expect(domain.records.find(({ purpose }) => purpose === "dkim")?.name).toBe(
      `${domain.dkim_selector}._domainkey.${name}`,
    );
    expect(await (await workspace.get(`/v1/domains/${domain.id}`)).json()).toEqual(domain);
    expect(await (await workspace.get(`/v1/domains/?name=${name}`)).json()).toEqual([domain]);
  });

  it("stores a Unicode name in A-label form", async () => {
    const label = crypto.randomUUID().slice(0, 8);
    const domain = await register(workspace, `Bücher-${label}.example`);
    expect(domain.name).toMatch(new RegExp(`^xn--bcher-${label}-.*\\.example$`));
  });

  const refused: [string, unknown][] = [
    ["a public suffix", "co.uk"],
    ["a public suffix of the private section", "github.io"],
    ["a top-level domain", "com"],
    ["an address", "a@b.example"],
    ["an IP address", "192.0.2.1"],
    ["a URL", "https://example.com"],
    ["a name with a line break", "a.example\r\n.b.example"],
    [
      "a name too long for its records",
      `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.example`,
    ],
    ["an empty name", ""],
    ["an underscore", "_dmarc.example.com"],
    ["a number", 7],
  ];
  for (const [what, name] of refused) {
    it(`returns 422 to ${what}`, async () => {
      const response = await workspace.post("/v1/domains/", { name });
      expect(response.status).toBe(422);
      const { detail } = await response.json<{ detail: { loc: string[] }[] }>();
      expect(detail[0]?.loc).toEqual(["body", "name"]);
    });
  }

  it("returns 409 to a name that the workspace has, also in twenty concurrent calls", async () => {
    const name = uniqueDomainName();
    const responses = await Promise.all(Array.from({ length: 20 }, () => workspace.post("/v1/domains/", { name })));
    const codes = responses.map(({ status }) => status);
    expect(codes.filter((status) => status === 201)).toHaveLength(1);
    expect(codes.filter((status) => status === 409)).toHaveLength(19);
    const results = await database.rows(
      "SELECT k.id FROM dkim_keys k JOIN domains d ON d.id = k.domain_id WHERE d.name = ?1",
      [name],
    );
    expect(results).toHaveLength(2);
  });

  it("lets several workspaces register one name, each with its own token", async () => {
    const name = uniqueDomainName();
    const [a, b] = [await register(workspace, name), await register(otherWorkspace, name)];
    expect(a.records[0]?.value).not.toBe(b.records[0]?.value);
    expect(a.id).not.toBe(b.id);
  });

  it("replays the response and registers once when a call is repeated with its Idempotency-Key", async () => {
    const [name, key] = [uniqueDomainName(), crypto.randomUUID()];
    const call = () => workspace.post("/v1/domains/", { name }, { "Idempotency-Key": key });
    const responses = await Promise.all([call(), call(), call()]);
    const bodies = await Promise.all(responses.map((result) => result.text()));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(bodies).size).toBe(1);
  });

  it("stores no private key in plain text", async () => {
    const { id } = await register(workspace);
    const results = await database.rows<{ private_key: string }>(
      "SELECT private_key FROM dkim_keys WHERE domain_id = ?1",
      [id],
    );
    for (const { private_key } of results) expect(private_key).toMatch(/^1\.[A-Za-z0-9+/=]{16}\.[A-Za-z0-9+/=]+$/);
    // The first bytes of every PKCS #8 document of such a key, in base64.
    expect(JSON.stringify(results)).not.toMatch(/MII|MC4CAQ/);
  });

  it("a key restricted to domains cannot register domains and sees its own only", async () => {
    const [mine, other] = [await register(workspace), await register(workspace)];
    const api = apiWith(await aKey(workspace, { domainIds: [mine.id] }));
    expect((await api.post("/v1/domains/", { name: uniqueDomainName() })).status).toBe(403);
    const list = await (await api.get("/v1/domains/")).json<DomainOut[]>();
    expect(list.map(({ id }) => id)).toEqual([mine.id]);
    expect((await api.get(`/v1/domains/${mine.id}`)).status).toBe(200);
    for (const [method, path] of [
      ["GET", ""],
      ["POST", "/verify"],
      ["POST", "/dkim/rotate"],
      ["DELETE", ""],
    ] as const) {
      expect((await api.call(method, `/v1/domains/${other.id}${path}`)).status, `${method} ${path}`).toBe(404);
    }
  });
});
