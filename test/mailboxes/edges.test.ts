import { beforeEach, describe, expect, it } from "vitest";
import type { MailboxOut } from "../../src/mailboxes/schema.ts";
import { countingDb } from "../support/counting-db.ts";
import { aName, register } from "../support/domains.ts";
import { aKey, aMember, apiOn, apiWith, aWorkspace, type TestWorkspace } from "../support/workspace.ts";

/** Mailboxes where spelling, size, moment or caller are unusual. */

let ours: TestWorkspace;

beforeEach(async () => {
  ours = await aWorkspace();
});

const create = (body: Record<string, unknown>, headers?: Record<string, string>) =>
  ours.post("/v1/mailboxes/", { domain_id: ours.domainId, ...body }, headers);
const path = () => `/v1/mailboxes/${ours.mailboxId}`;
const assign = (user_ids: unknown, of: Pick<TestWorkspace, "call"> = ours) =>
  of.call("PUT", `${path()}/assignees`, { user_ids });
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, i) => make(i));
const places = async (response: Response) =>
  (await response.json<{ detail: { loc: unknown[] }[] }>()).detail.map(({ loc }) => loc);

describe("the address of a mailbox", () => {
  it("has its domain in A-labels and its local part in one spelling, Unicode included", async () => {
    const domain = await register(ours, `bücher-${aName()}`);
    const first = await create({ domain_id: domain.id, local_part: "Ü" });
    expect(await first.json()).toMatchObject({ address: `ü@${domain.name}` });
    expect(domain.name).toMatch(/^xn--/);
    expect((await create({ domain_id: domain.id, local_part: "ü" })).status).toBe(409);
    expect((await create({ domain_id: domain.id, local_part: "u\u0308" })).status).toBe(422);
  });

  for (const local_part of ["a\0b", "\ud800", "a\u202eb", "a\u200bb", "\r\n", "x".repeat(65), "x".repeat(3_000_000)]) {
    it(`has no local part ${JSON.stringify(local_part).slice(0, 20)}: 422 at its place`, async () => {
      const response = await create({ local_part });
      expect(response.status).toBe(422);
      expect(await places(response)).toEqual([["body", "local_part"]]);
    });
  }

  it("may be one workspace's and another's while nobody has verified the domain", async () => {
    const theirs = await aWorkspace();
    const name = aName();
    for (const workspace of [ours, theirs]) {
      const { id } = await register(workspace, name);
      expect((await workspace.post("/v1/mailboxes/", { domain_id: id, local_part: "desk" })).status).toBe(201);
    }
  });

  it("is given once when twenty ask for it at once, the catch-all too, with a key to each as without", async () => {
    for (const local_part of ["desk", "*"]) {
      const answers = await Promise.all(
        times(20, (i) => create({ local_part }, i % 2 ? { "Idempotency-Key": `${local_part}${i}` } : {})),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...times(19, () => 409)]);
    }
  });
});

describe("POST /v1/mailboxes/", () => {
  it("answers 409 to an Idempotency-Key that was used for another mailbox, and allocates nothing", async () => {
    expect((await create({ local_part: "a" }, { "Idempotency-Key": "k" })).status).toBe(201);
    expect((await create({ local_part: "b" }, { "Idempotency-Key": "k" })).status).toBe(409);
    expect(await (await ours.get("/v1/mailboxes/")).json<MailboxOut[]>()).toHaveLength(2);
  });

  it("answers 413 to a body that is too large, 404 and 422 to fields that are", async () => {
    expect((await create({ local_part: "a", more: "x".repeat(8_000_001) })).status).toBe(413);
    expect((await create({ local_part: "a", domain_id: "x".repeat(3_000_000) })).status).toBe(404);
    const named = await create({ local_part: "a", display_name: "x".repeat(3_000_000) });
    expect(await places(named)).toEqual([["body", "display_name"]]);
  });
});

describe("GET /v1/mailboxes/", () => {
  it("asks the database once for any number of mailboxes with any number of assignees", async () => {
    await assign([ours.userId, (await aMember(ours, "member")).userId]);
    await Promise.all(times(5, (i) => create({ local_part: `m${i}` })));
    const tripsOf = async (url: string) => {
      const { DB, trips } = countingDb();
      expect((await apiOn({ DB }, ours.apiKey).get(url)).status).toBe(200);
      return trips.length;
    };
    expect(await tripsOf("/v1/mailboxes/")).toBe((await tripsOf("/v1/me")) + 1);
  });

  it("refuses to go deeper by page than `after` should", async () => {
    expect(await places(await ours.get("/v1/mailboxes/?page=51&limit=200"))).toEqual([["query", "page"]]);
    for (const odd of ["after=%00", "after=%ff", "after=%", "domain_id=%00", `after=${"%F0%9F%98%80".repeat(200)}`])
      expect((await ours.get(`/v1/mailboxes/?${odd}`)).status, odd.slice(0, 20)).toBe(200);
  });
});

describe("PATCH /v1/mailboxes/{mailbox_id}", () => {
  it("is one statement, and answers with the assignees of that moment", async () => {
    await assign([ours.userId]);
    const { DB, trips } = countingDb();
    const api = apiOn({ DB }, ours.apiKey);
    await api.get("/v1/me");
    const before = trips.length;
    const response = await api.call("PATCH", path(), { display_name: "Desk" });
    expect(await response.json()).toMatchObject({ display_name: "Desk", assignee_ids: [ours.userId] });
    expect(trips.length - before).toBe(before + 1);
  });

  it("of several fields by several callers at once loses none", async () => {
    const changes = [{ display_name: "Desk" }, { is_active: false }, { quota_bytes: 7 }];
    await Promise.all(times(21, (i) => ours.call("PATCH", path(), changes[i % 3])));
    expect(await (await ours.get(path())).json()).toMatchObject(Object.assign({}, ...changes));
  });

  it("takes names and quotas up to their limits, and says where one is beyond", async () => {
    for (const good of [{ quota_bytes: 2 ** 50 }, { display_name: "ü".repeat(160) }, { display_name: "  " }])
      expect((await ours.call("PATCH", path(), good)).status).toBe(200);
    expect(await (await ours.get(path())).json()).toMatchObject({ display_name: null, quota_bytes: 2 ** 50 });
    for (const [field, value] of [
      ["quota_bytes", 2 ** 50 + 1],
      ["display_name", `${"ü".repeat(160)}x`],
      ["display_name", "a\r\nBcc: b"],
      ["display_name", "a\0"],
      ["display_name", "a\u2028b"],
      ["is_active", null],
    ] as const)
      expect(await places(await ours.call("PATCH", path(), { [field]: value })), field).toEqual([["body", field]]);
  });
});

describe("PUT /v1/mailboxes/{mailbox_id}/assignees", () => {
  it("twenty times at once leaves one of the lists, whole", async () => {
    const people = [ours.userId, (await aMember(ours, "member")).userId, (await aMember(ours, "admin")).userId];
    const lists = times(20, (i) => people.filter((_, n) => (i + 1) & (1 << n)).sort());
    const answers = await Promise.all(lists.map((list) => assign(list)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { assignee_ids } = await (await ours.get(path())).json<MailboxOut>();
    expect(lists).toContainEqual(assignee_ids);
  });

  it("asks the database for ids alone, whatever was sent in their place", async () => {
    const { DB, trips } = countingDb();
    const response = await assign(
      times(1000, (i) => `${i}${"x".repeat(7000)}`),
      apiOn({ DB }, ours.apiKey),
    );
    expect(response.status).toBe(422);
    const bound = trips.flatMap(({ statements }) => statements.flatMap(({ values }) => values));
    expect(Math.max(...bound.map((value) => String(value).length))).toBeLessThan(1000);
  });

  it("answers 404 to a key that is for other domains, and changes nothing", async () => {
    const other = await register(ours);
    const api = apiWith(await aKey(ours, { domainIds: [other.id] }));
    expect((await assign([ours.userId], api)).status).toBe(404);
    expect(await (await ours.get(path())).json()).toMatchObject({ assignee_ids: [] });
    expect(await (await api.get(`/v1/mailboxes/?domain_id=${ours.domainId}`)).json()).toEqual([]);
  });
});
