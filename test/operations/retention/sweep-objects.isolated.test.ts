/** Objects in R2 that no email names are deleted, and no others. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { sweepObjects } from "../../../src/operations/retention/sweep-objects.ts";
import { runToEnd } from "../../../src/platform/jobs/turns.ts";
import { offloadContent } from "../../../src/sending/emails/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { run } from "../../support/sending.ts";
import { aMail, aWorkspace, recordingContext, type TestWorkspace, testContext } from "../../support/workspace.ts";

const DAY = 24 * 3_600_000;
let workspace: TestWorkspace;

beforeEach(async () => {
  workspace = await aWorkspace();
  await run("DELETE FROM outbox");
  await run("UPDATE object_sweep SET checked_key = ''");
});

const sweepAt = (now: number, bindings: Record<string, unknown> = {}) =>
  runToEnd(sweepObjects(testContext(bindings, () => now)));
const keysOf = async () =>
  (await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/` })).objects.map(({ key }) => key);

describe("the sweep of objects", () => {
  it("keeps every object that an email names: its own, that of its batch, and its pack", async () => {
    const now = Date.now();
    const { ctx } = recordingContext();
    await acceptEmail(ctx, workspace, { text: "x".repeat(20_000) });
    await acceptEmail(ctx, workspace);
    expect((await workspace.post("/v1/emails/batch", [aMail(workspace), aMail(workspace)])).status).toBe(202);
    await offloadContent(testContext({}, () => now + 3 * DAY + 120_000));
    const { results } = await database
      .prepare(
        "SELECT DISTINCT coalesce(content_key, ?2 || '/emails/' || id) AS key FROM emails WHERE workspace = ?1 ORDER BY key",
      )
      .bind(workspace.workspaceNumber, `w/${workspace.workspaceId}`)
      .all<{ key: string }>();
    const named = results.map(({ key }) => key);
    expect(named.map((key) => key.split("/")[2])).toEqual(["batches", "emails", "packs"]);
    await sweepAt(now + 5 * DAY);
    expect(await keysOf()).toEqual(named);
    // The rows of settled emails have the keys without the prefix.
    await run(
      "UPDATE emails SET content_key = substr(content_key, 40) WHERE workspace = ?1",
      workspace.workspaceNumber,
    );
    await run("UPDATE object_sweep SET checked_key = ''");
    await sweepAt(now + 5 * DAY);
    expect(await keysOf()).toEqual(named);
  });

  it("deletes objects without rows once they are a day old; keeps unknown kinds and unknown workspaces", async () => {
    const now = Date.now();
    const id = () => testContext().newId();
    const prefix = `w/${workspace.workspaceId}`;
    const orphans = [
      `${prefix}/batches/${id()}`,
      `${prefix}/emails/${id()}`,
      `${prefix}/packs/${id()}/${id()}/${id()}`,
      `${prefix}/broadcasts/${id()}/test-${id()}`,
    ];
    const kept = [`${prefix}/broadcasts/${id()}/1`, `${prefix}/emails/not-an-id`];
    const foreign = `w/${id()}/emails/${id()}`;
    for (const key of [...orphans, ...kept, foreign]) await env.CONTENT.put(key, "x");
    await sweepAt(now + DAY / 2);
    expect(await keysOf()).toEqual([...orphans, ...kept].sort());
    await sweepAt(now + 2 * DAY);
    expect(await keysOf()).toEqual(kept.sort());
    expect(await env.CONTENT.head(foreign)).not.toBeNull();
  });

  it("checks at most five pages a run and continues where the last run ended", async () => {
    const seen: (string | undefined)[] = [];
    const list = async ({ startAfter }: R2ListOptions) => {
      seen.push(startAfter);
      return { objects: [{ key: `w/key-${seen.length}`, uploaded: new Date() }], truncated: seen.length < 7 };
    };
    await sweepAt(Date.now(), { CONTENT: { list } });
    expect(seen).toEqual([undefined, "w/key-1", "w/key-2", "w/key-3", "w/key-4"]);
    await sweepAt(Date.now(), { CONTENT: { list } });
    expect(seen.slice(5)).toEqual(["w/key-5", "w/key-6"]);
    await sweepAt(Date.now(), { CONTENT: { list } });
    expect(seen[7]).toBeUndefined();
  });
});
