import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { orm } from "../../../src/platform/db/client.ts";
import { withJointReads } from "../../../src/platform/db/joint-reads.ts";
import { memberships, users } from "../../../src/platform/db/schema/main/index.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { ERRORS } from "../../support/distance/rules.ts";
import { watchDatabase } from "../../support/watch-database.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";

/** Reads that are started at the same time go to D1 in one call, and each gets its own rows. */

const workspace = perTest(aWorkspace);
let counting: ReturnType<typeof countingDb>;
let ctx: ReturnType<typeof testContext>;

beforeEach(async () => {
  counting = countingDb();
  ctx = withJointReads(testContext(counting.bindings));
});

const later = async <Result>(run: () => Promise<Result>) => {
  await Promise.resolve();
  return run();
};

describe("reads that are started at the same time", () => {
  it("are repeated twice together when D1 fails, and not once more for each of them", async () => {
    let calls = 0;
    const DB = watchDatabase(env.DB, async () => {
      calls += 1;
      throw new Error(ERRORS.D1.lost);
    });
    const failing = withJointReads(testContext({ DB }));
    const reads = [1, 2].map((n) => failing.db.prepare("SELECT ?1").bind(n).first());
    const results = await Promise.allSettled(reads);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(calls).toBe(3);
  });

  it("are one call, and return what each would return by itself", async () => {
    const { userId, workspaceNumber } = workspace;
    const one = (sql: string) => ctx.db.prepare(sql).bind(userId);
    const results = await Promise.all([
      one("SELECT id FROM users WHERE id = ?1").all<{ id: string }>(),
      later(() => one("SELECT id, name FROM users WHERE id = ?1").first("id")),
      one("SELECT id FROM users WHERE id = ?1 AND false").first(),
      orm(ctx)
        .select({ role: memberships.role, id: memberships.userId })
        .from(memberships)
        .where(eq(memberships.workspace, workspaceNumber)),
      ctx.db.batch([one("SELECT 1 AS n WHERE ?1 <> ''"), one("SELECT 2 AS n WHERE ?1 <> ''")]),
    ]);
    const [all, id, none, rows, batch] = results;
    expect([all.results, id, none, rows]).toEqual([[{ id: userId }], userId, null, [{ role: "owner", id: userId }]]);
    expect(batch.map(({ results: [row] }) => row)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(counting.trips.map(({ statements }) => statements.length)).toEqual([6]);
  });

  it("keep both columns of a join that have the same name", async () => {
    const joined = orm(ctx)
      .select({ user: users.createdAt, membership: memberships.createdAt, id: users.id })
      .from(memberships)
      .innerJoin(users, eq(users.id, memberships.userId))
      .where(eq(memberships.workspace, workspace.workspaceNumber));
    await database.run("UPDATE users SET created_at = 5 WHERE id = ?1", [workspace.userId]);
    const [[row]] = await Promise.all([joined, ctx.db.prepare("SELECT 1").first()]);
    expect(row).toEqual({ user: 5, membership: expect.any(Number), id: workspace.userId });
    expect(row?.membership).toBeGreaterThan(5);
  });

  it("do not take writes with them, and fail together", async () => {
    const write = () => ctx.db.prepare("UPDATE users SET name = 'New' WHERE id = ?1").bind(workspace.userId);
    await Promise.all([
      ctx.db.prepare("SELECT 1").first(),
      write().run(),
      ctx.db.batch([write(), ctx.db.prepare("SELECT 1")]),
    ]);
    expect(counting.trips.map(({ statements }) => statements.length).sort()).toEqual([1, 1, 2]);
    const failed = await Promise.allSettled([
      ctx.db.prepare("SELECT 1").first(),
      ctx.db.prepare("SELECT json('no JSON')").first(),
    ]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await ctx.db.prepare("SELECT 2 AS n").first("n")).toBe(2);
  });
});
