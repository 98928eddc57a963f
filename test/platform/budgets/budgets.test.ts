import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Budget } from "../../../src/platform/budgets/budget.ts";
import { mailBudgets } from "../../../src/platform/budgets/mail-tables.ts";
import { mainBudgets } from "../../../src/platform/budgets/main-tables.ts";
import { folderBudgets, mailboxBudgets, prefixBudgets, searchBudgets } from "../../../src/platform/budgets/objects.ts";
import { raisedTables } from "../../../src/platform/budgets/spent.ts";
import { aStore } from "../../mailboxes/mailbox-store/support.ts";
import { database } from "../../support/databases.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, type TestWorkspace } from "../../support/workspace.ts";

describe("the places of storage", () => {
  it("have words about their end or their bound", () => {
    const all = [mainBudgets, mailBudgets, mailboxBudgets, searchBudgets, folderBudgets, prefixBudgets];
    const budgets: [string, Budget][] = all.flatMap((some) => Object.entries<Budget>(some));
    for (const [name, budget] of budgets) {
      const words = "rows" in budget ? [budget.of, budget.remedy] : Object.values(budget);
      for (const word of words) expect(word, name).toMatch(/^[a-z]/i);
    }
  });

  it("in a mailbox are the tables that have budgets", async () => {
    const names = await runInDurableObject(aStore(), (_, { storage }) =>
      storage.sql
        .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '*_search_*'")
        .toArray()
        .map(({ name }) => name),
    );
    const known = [...Object.keys(mailboxBudgets), "message_search", "migrations"];
    expect(names.filter((name) => !/^(sqlite|_cf)_/.test(name)).sort()).toEqual(known.sort());
  });

  it("for full text are the indexes that have budgets", async () => {
    const find = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%'";
    const databases = [env.DB, env.MAIL_0].map((db) => db.prepare(find).all<{ name: string }>());
    const names = (await Promise.all(databases)).flatMap(({ results }) => results.map(({ name }) => name));
    expect([...names, "message_search"].sort()).toEqual(Object.keys(searchBudgets).sort());
  });
});

describe("the operator", () => {
  let admin: Awaited<ReturnType<typeof aSession>>;
  beforeAll(async () => {
    const workspace = await aWorkspace();
    await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [workspace.userId]);
    admin = await aSession(workspace);
  });
  const set = async ({ workspaceId }: TestWorkspace, of: string, rows: unknown) =>
    admin.call("PUT", `/v1/admin/workspaces/${workspaceId}/budgets`, { of, rows });
  const topic = (workspace: TestWorkspace) => workspace.post("/v1/topics/", { name: "A" });
  const segment = (workspace: TestWorkspace) =>
    workspace.post("/v1/segments/", { name: "A", conditions: { field: "plan", is: "equals", value: "gold" } });

  it.each([
    ["topics", topic, "The workspace has 1 topics, which is the limit; delete one first"],
    ["segments", segment, "The workspace has 1 segments, which is the limit; delete one first"],
  ])("lowers and raises the budget of %s of one workspace", async (of, create, detail) => {
    const [workspace, other] = [await aWorkspace(), await aWorkspace()];
    const lowered = await set(workspace, of, 1);
    expect([lowered.status, await lowered.json()]).toEqual([200, expect.objectContaining({ budgets: { [of]: 1 } })]);
    expect((await create(workspace)).status).toBe(201);
    const refused = await create(workspace);
    expect([refused.status, await refused.json()]).toEqual([409, { detail }]);
    for (const once of [create, create]) expect((await once(other)).status).toBe(201);
    await set(workspace, of, 2);
    expect([(await create(workspace)).status, (await create(workspace)).status]).toEqual([201, 409]);
    expect(await (await set(workspace, of, null)).json()).toMatchObject({ budgets: {} });
    expect((await create(workspace)).status).toBe(201);
  });

  it("sets only what is counted, within what an INSERT may count, of a workspace that exists", async () => {
    const workspace = await aWorkspace();
    expect(raisedTables).toContain("domains");
    for (const [of, rows] of [
      ["emails", 5],
      ["templates", 5],
      ["mailbox_aliases", 5],
      ["domains", 0],
      ["domains", 10_001],
      ["domains", "5"],
    ] as const)
      expect((await set(workspace, of, rows)).status, `${of} ${rows}`).toBe(422);
    expect((await set({ ...workspace, workspaceId: crypto.randomUUID() }, "domains", 5)).status).toBe(404);
  });
});
