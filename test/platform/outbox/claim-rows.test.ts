import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { WakeUp } from "../../../src/platform/context.ts";
import { consumeRows } from "../../../src/platform/outbox/consume-rows.ts";
import { database, MAIL_BINDING } from "../../support/databases.ts";
import { ERRORS } from "../../support/distance/rules.ts";
import { watchDatabase } from "../../support/watch-database.ts";
import { recordingContext } from "../../support/workspace.ts";

const row: WakeUp = { dueAt: 7, id: "row", kind: "forward" };

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
  await database.run("INSERT INTO outbox (due_at, id, kind, ref) VALUES (7, 'row', 'forward', '{}')");
});

/** Returns a context with a mail database that loses the connection of the first claims, each before or after its commit. */
function losing(...moments: ("before" | "after")[]) {
  let claims = 0;
  const binding = watchDatabase(env[MAIL_BINDING], async (_, [{ sql = "" } = {}], run) => {
    if (!sql.includes("claims = claims + 1")) return run();
    const moment = moments[claims++];
    if (moment === undefined) return run();
    if (moment === "after") await run();
    throw new Error(ERRORS.D1.lost);
  });
  return { ctx: recordingContext({ [MAIL_BINDING]: binding }).ctx, claims: () => claims };
}

/** Returns the claims of the rows that a run works on. */
async function worked(ctx: Parameters<typeof consumeRows>[0]): Promise<number[]> {
  const claims: number[] = [];
  await consumeRows(ctx, [row], async (claimed) => {
    claims.push(claimed.claims);
    return "ended";
  });
  return claims;
}

describe("a claim whose connection is lost", () => {
  it("has its rows after its commit, claimed once", async () => {
    const { ctx, claims } = losing("after");
    expect(await worked(ctx)).toEqual([1]);
    expect(claims()).toBe(1);
  });

  it("is made again before its commit, and fails when it is lost again", async () => {
    const once = losing("before");
    expect(await worked(once.ctx)).toEqual([1]);
    await database.run("UPDATE outbox SET leased_until = 0");
    const twice = losing("before", "before");
    await expect(worked(twice.ctx)).rejects.toThrow(ERRORS.D1.lost);
  });

  it("has its rows after the commit of its repetition, whose connection is lost too", async () => {
    const { ctx, claims } = losing("before", "after");
    expect(await worked(ctx)).toEqual([1]);
    expect(claims()).toBe(2);
  });

  it("gets no row that another run has claimed", async () => {
    await worked(losing().ctx);
    const { ctx } = losing("after");
    expect(await worked(ctx)).toEqual([]);
  });
});
