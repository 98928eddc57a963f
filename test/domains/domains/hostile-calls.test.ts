/** Calls about a domain that are hostile or made twice: its reports, its health, its set-up, its check and its keys. */
import { describe, expect, it } from "vitest";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { database } from "../../support/databases.ts";
import { publishRecords, register, uniqueDomainName, verify } from "../../support/domains.ts";
import { aKey, aMember, apiWith, aWorkspace, perSuite, testContext } from "../../support/workspace.ts";

const workspace = perSuite(aWorkspace);
const domain = perSuite(() => register(workspace));

/** Method and path of each call, and the scope that it needs. */
const CALLS = [
  ["GET", "/reports", "domains:view"],
  ["GET", "/health", "domains:view"],
  ["PATCH", "", "domains:manage"],
  ["POST", "/verify", "domains:manage"],
  ["POST", "/dkim/rotate", "domains:manage"],
] as const;
const bodyOf = (method: string) => (method === "PATCH" ? { setup: "manual" } : undefined);
const read = async (id: string, by = workspace) => (await by.get(`/v1/domains/${id}`)).json<DomainOut>();

describe.each(CALLS)("%s /v1/domains/{id}%s", (method, path, scope) => {
  const call = (id: string, key: string | null = workspace.apiKey) =>
    apiWith(key).call(method, `/v1/domains/${id}${path}`, bodyOf(method));

  it("needs a credential with its scope", async () => {
    expect((await call(domain.id, null)).status).toBe(401);
    expect((await call(domain.id, "no-key")).status).toBe(401);
    const other = scope === "domains:view" ? "emails:view" : "domains:view";
    expect((await call(domain.id, await aKey(workspace, { scopes: [other] }))).status).toBe(403);
    const { apiKey } = await aMember(workspace, "member");
    expect((await call(domain.id, apiKey)).status).toBe(scope === "domains:view" ? 200 : 403);
  });

  it("responds to the id of another workspace as to an unknown one, and to a malformed one", async () => {
    const stranger = await aWorkspace();
    const [foreign, unknown] = [await call(domain.id, stranger.apiKey), await call(testContext().newId())];
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    const detailOf = async (response: Response) => (await response.json<{ detail: string }>()).detail;
    expect(await detailOf(foreign)).toBe(await detailOf(unknown));
    for (const id of ["%00", "%0d%0aX:%20y", "%ed%a0%80", "%F0%9F%93%AC", "x".repeat(4_000), "null", "'--"])
      expect([id.slice(0, 20), (await call(id)).status]).toEqual([id.slice(0, 20), 404]);
  });
});

describe("a body that is not a change", () => {
  const huge = JSON.stringify({ setup: "x".repeat(2_000_000) });
  const bodies: [string, unknown, number[]][] = [
    ["none", undefined, [415, 422]],
    ["empty", "", [422]],
    ["null", null, [422]],
    ["a list", [], [422]],
    ["no member", {}, [422]],
    ["cut off", '{"setup":', [422]],
    ["of 2 MB", huge, [413, 422]],
    ["nested 10,000 times", `${"[".repeat(10_000)}${"]".repeat(10_000)}`, [422]],
    ["with CR, LF and NUL", { setup: "manual\r\n\0" }, [422]],
    ["with a lone surrogate", '{"setup":"\\ud800"}', [422]],
    ["with a prototype", '{"__proto__":{"setup":"delegated"}}', [422]],
    ["with the kinds of its members wrong", { setup: 1, dmarc_policy: {}, mta_sts: [] }, [422]],
    ["with CR and LF in policies", { dmarc_policy: "none\r\nrua=x", mta_sts: "enforce\n" }, [422]],
  ];

  it.each(bodies)("%s is refused by PATCH, and changes nothing", async (_, body, statuses) => {
    const response = await workspace.call("PATCH", `/v1/domains/${domain.id}`, body);
    expect(statuses).toContain(response.status);
    const text = await response.text();
    expect(text.length).toBeLessThan(4_000);
    expect(await read(domain.id)).toMatchObject({ setup: "manual", dmarc_policy: null, mta_sts: null });
  });

  it.each(["/verify", "/dkim/rotate"])(
    "of 2 MB or of another kind makes no error of the service at %s",
    async (path) => {
      for (const body of [huge, "\0", '"\\ud800"']) {
        const { status } = await workspace.post(`/v1/domains/${domain.id}${path}`, body);
        expect(status).toBeGreaterThanOrEqual(200);
        expect(status).toBeLessThan(500);
      }
    },
  );

  it("nor does a query of reports, which is refused", async () => {
    for (const query of [
      "kind=spf",
      "kind=%00",
      "kind=dmarc%0d%0a",
      "period=30",
      "period=%ed%a0%80",
      `period=${"9".repeat(5_000)}d`,
    ])
      expect([query.slice(0, 20), (await workspace.get(`/v1/domains/${domain.id}/reports?${query}`)).status]).toEqual([
        query.slice(0, 20),
        422,
      ]);
  });
});

describe("the same change of the set-up at once", () => {
  const patch = (id: string, setup: string) => workspace.call("PATCH", `/v1/domains/${id}`, { setup });
  const count = (sql: string, id: string) => database.prepare(sql).bind(id).first<number>("n");

  it("is made once, with one pair of keys, and one set of records in the zone", async () => {
    const { id } = await register(workspace, uniqueDomainName());
    const responses = await Promise.all(Array.from({ length: 4 }, () => patch(id, "delegated")));
    const made = responses.filter(({ status }) => status === 200);
    expect(made.length).toBeGreaterThan(0);
    for (const { status } of responses) expect([200, 409]).toContain(status);
    const records = new Set(
      await Promise.all(
        made.map(async (one) => JSON.stringify((await one.json<DomainOut>()).records.map(({ value }) => value))),
      ),
    );
    expect(records).toEqual(new Set([JSON.stringify((await read(id)).records.map(({ value }) => value))]));
    expect(await count("SELECT count(*) AS n FROM dkim_keys WHERE domain_id = ?1", id)).toBe(2);
    expect(await count("SELECT count(*) AS n FROM zone_records WHERE domain_id = ?1", id)).toBe(3);
    expect(
      await count("SELECT count(*) AS n FROM audit_log WHERE target_id = ?1 AND action = 'domain.setup_changed'", id),
    ).toBe(1);
  });

  it("there and back leaves a domain that can be verified", async () => {
    const { id } = await register(workspace, uniqueDomainName());
    for (let n = 0; n < 2; n += 1) {
      const responses = await Promise.all(
        ["delegated", "manual", "delegated", "manual"].map((setup) => patch(id, setup)),
      );
      for (const { status } of responses) expect([200, 409]).toContain(status);
    }
    expect((await patch(id, "manual")).status).toBe(200);
    const after = await read(id);
    expect(after.records.filter(({ purpose }) => purpose === "dkim").map(({ type }) => type)).toEqual(["TXT", "TXT"]);
    expect(await count("SELECT count(*) AS n FROM zone_records WHERE domain_id = ?1", id)).toBe(0);
    await publishRecords(after);
    expect((await verify(workspace, id)).domain.status).toBe("verified");
  });
});
