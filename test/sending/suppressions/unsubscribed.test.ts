import { beforeEach, describe, expect, it } from "vitest";
import { isSuppressing } from "../../../src/sending/emails/rules.ts";
import {
  removeBouncesStatements,
  type SuppressionEntry,
  suppressStatement,
} from "../../../src/sending/suppressions/index.ts";
import { database } from "../../support/databases.ts";
import { accepted } from "../../support/emails.ts";
import { run } from "../../support/sending.ts";
import { aMail, aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";

type Reason = SuppressionEntry["reason"];
const FRIEND = "friend@example.org";
let workspace: TestWorkspace;
let clock: number;

beforeEach(async () => {
  workspace = await aWorkspace();
  clock = 1_000;
});

const suppress = (reason: Reason) =>
  suppressStatement(
    testContext(),
    [{ workspace: workspace.workspaceNumber, email: FRIEND, reason, emailId: null }],
    clock++,
  ).run();
const add = (reason: Reason) => workspace.post("/v1/suppressions/", { email: FRIEND, reason });
const release = async (before = clock) => {
  const ctx = testContext();
  await ctx.db.batch(removeBouncesStatements(ctx, [{ workspace: workspace.workspaceNumber, email: FRIEND, before }]));
};
const entry = () =>
  database.row("SELECT reason, created_at, unsubscribed_at FROM suppressions WHERE workspace = ?1 AND email = ?2", [
    workspace.workspaceNumber,
    FRIEND,
  ]);

describe("an unsubscribe", () => {
  for (const first of ["bounce", "complaint", "manual"] as const) {
    it(`is kept beside a ${first}, whichever comes first, and only the first time counts`, async () => {
      await suppress("unsubscribe");
      await suppress(first);
      expect(await entry()).toEqual({ reason: first, created_at: 1_001, unsubscribed_at: 1_000 });
      await suppress("unsubscribe");
      expect(await entry()).toEqual({ reason: first, created_at: 1_001, unsubscribed_at: 1_000 });
      workspace = await aWorkspace();
      clock = 1_000;
      await suppress(first);
      await suppress("unsubscribe");
      await suppress("unsubscribe");
      expect(await entry()).toEqual({ reason: first, created_at: 1_000, unsubscribed_at: 1_001 });
    });
  }

  it("applies again when a retry proves that the address works", async () => {
    await suppress("unsubscribe");
    await suppress("bounce");
    await release(clock - 2);
    expect(await entry()).toMatchObject({ reason: "bounce" });
    await release();
    await release();
    expect(await entry()).toEqual({ reason: "unsubscribe", created_at: 1_000, unsubscribed_at: 1_000 });
    await suppress("bounce");
    await release();
    expect(await entry()).toMatchObject({ reason: "unsubscribe" });
  });

  it("survives a complaint that replaces a bounce, and an address that never unsubscribed is removed", async () => {
    await suppress("bounce");
    await suppress("unsubscribe");
    await suppress("complaint");
    expect(await entry()).toMatchObject({ reason: "complaint", unsubscribed_at: 1_001 });
    await release();
    expect(await entry()).toMatchObject({ reason: "complaint" });
    workspace = await aWorkspace();
    await suppress("bounce");
    await release();
    expect(await entry()).toBeNull();
  });

  it("that was stored before its time was kept has the time of its entry", async () => {
    await run(
      "INSERT INTO suppressions (workspace, email, reason, created_at) VALUES (?1, ?2, 'unsubscribe', 7)",
      workspace.workspaceNumber,
      FRIEND,
    );
    await suppress("bounce");
    expect(await entry()).toMatchObject({ reason: "bounce", unsubscribed_at: 7 });
  });

  it("by the API is recorded beside a bounce, also by twenty calls at once", async () => {
    expect((await add("bounce")).status).toBe(201);
    const responses = await Promise.all(Array.from({ length: 20 }, () => add("unsubscribe")));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await responses[0]?.json()).toMatchObject({ reason: "bounce" });
    expect(await entry()).toMatchObject({ reason: "bounce", unsubscribed_at: expect.any(Number) });
    expect((await add("unsubscribe")).status).toBe(200);
    expect((await workspace.call("DELETE", `/v1/suppressions/${FRIEND}`)).status).toBe(204);
    expect(await entry()).toBeNull();
  });
});

describe("a retry to an address that bounced and unsubscribed", () => {
  it("is sent when the original is a single email, and dropped when it is bulk or broadcast mail", async () => {
    const api = workspace.withoutQueue;
    const { id } = await accepted(await api.post("/v1/emails/", aMail(workspace)));
    const recipients = JSON.stringify([{ kind: "to", email: FRIEND, state: "bounced" }]);
    await run("DELETE FROM outbox WHERE id = ?1", id);
    await run("UPDATE emails SET status = 'bounced', recipients = ?2 WHERE id = ?1", id, recipients);
    await suppress("unsubscribe");
    await suppress("bounce");
    const retry = async () => (await accepted(await api.call("POST", `/v1/emails/${id}/retry`))).status;
    expect(await retry()).toBe("queued");
    for (const source of ["bulk", "broadcast"]) {
      await run("UPDATE emails SET source = ?2 WHERE id = ?1", id, source);
      expect(await retry(), source).toBe("rejected");
    }
  });

  it("has one rule at accept and at dispatch", () => {
    const bounced = { reason: "bounce", isUnsubscribed: true } as const;
    expect(isSuppressing(bounced, { source: "api", isRetry: true })).toBe(false);
    for (const source of ["bulk", "broadcast"]) expect(isSuppressing(bounced, { source, isRetry: true })).toBe(true);
    for (const isRetry of [true, false]) {
      expect(isSuppressing({ reason: "unsubscribe", isUnsubscribed: true }, { source: "api", isRetry })).toBe(false);
      expect(isSuppressing({ reason: "manual", isUnsubscribed: true }, { source: "api", isRetry })).toBe(true);
    }
  });
});
