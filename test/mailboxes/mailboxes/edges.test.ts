import { describe, expect, it } from "vitest";
import type { MailboxOut } from "../../../src/mailboxes/mailboxes/schema.ts";
import { countingDb } from "../../support/counting-db.ts";
import { register, uniqueDomainName } from "../../support/domains.ts";
import { aKey, aMember, apiOn, apiWith, aWorkspace, perTest, type TestWorkspace } from "../../support/workspace.ts";

/** Mailboxes with unusual spellings, sizes, timing and callers. */

const workspace = perTest(aWorkspace);

const create = (body: Record<string, unknown>, headers?: Record<string, string>) =>
  workspace.post("/v1/mailboxes/", { domain_id: workspace.domainId, ...body }, headers);
const path = () => `/v1/mailboxes/${workspace.mailboxId}`;
const assign = (user_ids: unknown, of: Pick<TestWorkspace, "call"> = workspace) =>
  of.call("PUT", `${path()}/assignees`, { user_ids });
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, i) => make(i));
const places = async (response: Response) =>
  (await response.json<{ detail: { loc: unknown[] }[] }>()).detail.map(({ loc }) => loc);

describe("the address of a mailbox", () => {
  it("has its domain in A-labels and a normalized local part, Unicode included", async () => {
    const domain = await register(workspace, `bücher-${uniqueDomainName()}`);
    const first = await create({ domain_id: domain.id, local_part: "Ü" });
    expect(await first.json()).toMatchObject({ address: `ü@${domain.name}` });
    expect(domain.name).toMatch(/^xn--/);
    expect((await create({ domain_id: domain.id, local_part: "ü" })).status).toBe(409);
    expect((await create({ domain_id: domain.id, local_part: "u\u0308" })).status).toBe(422);
  });

  for (const local_part of ["a\0b", "\ud800", "a\u202eb", "a\u200bb", "\r\n", "x".repeat(65), "x".repeat(3_000_000)]) {
    it(`rejects the local part ${JSON.stringify(local_part).slice(0, 20)} with 422 and its place`, async () => {
      const response = await create({ local_part });
      expect(response.status).toBe(422);
      expect(await places(response)).toEqual([["body", "local_part"]]);
    });
  }

  it("may exist in two workspaces while the domain is not verified", async () => {
    const otherWorkspace = await aWorkspace();
    const name = uniqueDomainName();
    for (const owner of [workspace, otherWorkspace]) {
      const { id } = await register(owner, name);
      expect((await owner.post("/v1/mailboxes/", { domain_id: id, local_part: "desk" })).status).toBe(201);
    }
  });

  it("is created once by twenty concurrent calls, the catch-all too, with and without Idempotency-Keys", async () => {
    for (const local_part of ["desk", "*"]) {
      const responses = await Promise.all(
        times(20, (i) => create({ local_part }, i % 2 ? { "Idempotency-Key": `${local_part}${i}` } : {})),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([201, ...times(19, () => 409)]);
    }
  });
});

describe("POST /v1/mailboxes/", () => {
  it("returns 409 to an Idempotency-Key that was used for another mailbox, and creates nothing", async () => {
    expect((await create({ local_part: "a" }, { "Idempotency-Key": "k" })).status).toBe(201);
    expect((await create({ local_part: "b" }, { "Idempotency-Key": "k" })).status).toBe(409);
    expect(await (await workspace.get("/v1/mailboxes/")).json<MailboxOut[]>()).toHaveLength(2);
  });

  it("returns 413 to a body that is too large, and 422 to a field that is", async () => {
    expect((await create({ local_part: "a", more: "x".repeat(40_000_001) })).status).toBe(413);
    for (const length of [16_000, 3_000_000]) {
      const domain = await create({ local_part: "a", domain_id: "x".repeat(length) });
      expect(await places(domain)).toEqual([["body", "domain_id"]]);
    }
    const named = await create({ local_part: "a", display_name: "x".repeat(3_000_000) });
    expect(await places(named)).toEqual([["body", "display_name"]]);
  });
});

describe("GET /v1/mailboxes/", () => {
  it("reads D1 once for any number of mailboxes and assignees", async () => {
    await assign([workspace.userId, (await aMember(workspace, "member")).userId]);
    await Promise.all(times(5, (i) => create({ local_part: `m${i}` })));
    const tripsOf = async (url: string) => {
      const { bindings, trips } = countingDb();
      expect((await apiOn(bindings, workspace.apiKey).get(url)).status).toBe(200);
      return trips.length;
    };
    expect(await tripsOf("/v1/mailboxes/")).toBe((await tripsOf("/v1/me")) + 1);
  });

  it("refuses a page so deep that `after` should be used", async () => {
    expect(await places(await workspace.get("/v1/mailboxes/?page=501&limit=500"))).toEqual([["query", "page"]]);
    for (const odd of ["after=%00", "after=%ff", "after=%", `after=${"%F0%9F%98%80".repeat(200)}`])
      expect((await workspace.get(`/v1/mailboxes/?${odd}`)).status, odd.slice(0, 20)).toBe(200);
  });
});

describe("PATCH /v1/mailboxes/{mailbox_id}", () => {
  it("runs one transaction and one read, and responds with the current assignees", async () => {
    await assign([workspace.userId]);
    const { bindings, trips } = countingDb();
    const api = apiOn(bindings, workspace.apiKey);
    await api.get("/v1/me");
    const before = trips.length;
    const response = await api.call("PATCH", path(), { display_name: "Desk" });
    expect(await response.json()).toMatchObject({ display_name: "Desk", assignee_ids: [workspace.userId] });
    expect(trips.length - before).toBe(before + 2);
  });

  it("by concurrent callers of several fields loses no change", async () => {
    const changes = [{ display_name: "Desk" }, { is_active: false }, { quota_bytes: 7 }];
    await Promise.all(times(21, (i) => workspace.call("PATCH", path(), changes[i % 3])));
    expect(await (await workspace.get(path())).json()).toMatchObject(Object.assign({}, ...changes));
  });

  it("accepts names and quotas up to their limits, and names the field that exceeds one", async () => {
    for (const good of [{ quota_bytes: 2 ** 50 }, { display_name: "ü".repeat(160) }, { display_name: "  " }])
      expect((await workspace.call("PATCH", path(), good)).status).toBe(200);
    expect(await (await workspace.get(path())).json()).toMatchObject({ display_name: null, quota_bytes: 2 ** 50 });
    for (const [field, value] of [
      ["quota_bytes", 2 ** 50 + 1],
      ["display_name", `${"ü".repeat(160)}x`],
      ["display_name", "a\r\nBcc: b"],
      ["display_name", "a\0"],
      ["display_name", "a\u2028b"],
      ["is_active", null],
    ] as const)
      expect(await places(await workspace.call("PATCH", path(), { [field]: value })), field).toEqual([["body", field]]);
  });
});

describe("PUT /v1/mailboxes/{mailbox_id}/assignees", () => {
  it("in twenty concurrent calls leaves one of the lists, complete", async () => {
    const people = [
      workspace.userId,
      (await aMember(workspace, "member")).userId,
      (await aMember(workspace, "admin")).userId,
    ];
    const lists = times(20, (i) => people.filter((_, n) => (i + 1) & (1 << n)).sort());
    const responses = await Promise.all(lists.map((list) => assign(list)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const { assignee_ids } = await (await workspace.get(path())).json<MailboxOut>();
    expect(lists).toContainEqual(assignee_ids);
  });

  it("binds UUIDs only, whatever was sent", async () => {
    const { bindings, trips } = countingDb();
    const response = await assign(
      times(1000, (i) => `${i}${"x".repeat(7000)}`),
      apiOn(bindings, workspace.apiKey),
    );
    expect(response.status).toBe(422);
    const bound = trips.flatMap(({ statements }) => statements.flatMap(({ values }) => values));
    expect(Math.max(...bound.map((value) => String(value).length))).toBeLessThan(1000);
  });

  it("returns 404 to a key that is restricted to other domains, and changes nothing", async () => {
    const other = await register(workspace);
    const api = apiWith(await aKey(workspace, { domainIds: [other.id] }));
    expect((await assign([workspace.userId], api)).status).toBe(404);
    expect(await (await workspace.get(path())).json()).toMatchObject({ assignee_ids: [] });
    expect(await (await api.get(`/v1/mailboxes/?domain_id=${workspace.domainId}`)).json()).toEqual([]);
  });
});
