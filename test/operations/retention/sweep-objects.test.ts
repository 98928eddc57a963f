/** Objects in R2 that no email names are deleted, and no others. */

import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { sweepObjects } from "../../../src/operations/retention/sweep-objects.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { offloadContent, runToEnd } from "../../support/retention.ts";
import { run } from "../../support/sending.ts";
import { aMail, aWorkspace, perTest, recordingContext, testContext } from "../../support/workspace.ts";

const DAY = 24 * 3_600_000;
const workspace = perTest(aWorkspace);

beforeEach(async () => {
  await run("DELETE FROM outbox");
  await run("UPDATE object_sweep SET checked_key = '', round_at = 0, previous_round_at = 0");
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
    const results = await database.rows<{ key: string }>(
      "SELECT DISTINCT coalesce(content_key, ?2 || '/emails/' || id) AS key FROM emails WHERE workspace = ?1 ORDER BY key",
      [workspace.workspaceNumber, `w/${workspace.workspaceId}`],
    );
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

  it("removes from a pack what no email names, in the first round that finds it old enough", async () => {
    const now = Date.now();
    const { ctx } = recordingContext();
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await acceptEmail(ctx, workspace, { text: `Secret ${n}` }));
    let isKilled = false;
    const put = async (key: string, value: ArrayBufferView) => {
      if (isKilled) throw new Error("killed");
      const object = await env.CONTENT.put(key, value);
      // An erasure makes the content of a row longer while it is packed; the run is killed before it removes the copy.
      await run("UPDATE emails SET content = content || ' ' WHERE id = ?1", ids[2]);
      isKilled = true;
      return object;
    };
    const offload = () => offloadContent(testContext({ CONTENT: { put, get: put } }, () => now + 120_000));
    await expect(offload()).rejects.toThrow("killed");
    const [key] = await keysOf();
    const textOf = async () => (await env.CONTENT.get(key ?? ""))?.text();
    expect(await textOf()).toContain("Secret 2");
    await sweepAt(now + DAY / 2);
    expect(await textOf()).toContain("Secret 2");
    const broken = { prepare: () => ({ bind: () => ({ all: () => Promise.reject(new Error("unreachable")) }) }) };
    await sweepAt(now + 2 * DAY, { [`MAIL_${testContext().shard}`]: broken });
    expect(await textOf()).toContain("Secret 2");
    await sweepAt(now + 2 * DAY);
    expect(await textOf()).not.toContain("Secret 2");
    for (const [n, id] of ids.entries())
      expect(await (await workspace.get(`/v1/emails/${id}`)).json()).toMatchObject({ text_body: `Secret ${n}` });
    let reads = 0;
    const counting = {
      list: env.CONTENT.list.bind(env.CONTENT),
      get: (name: string) => {
        reads += 1;
        return env.CONTENT.get(name);
      },
    };
    await run("DELETE FROM emails WHERE id = ?1", ids[3]);
    await sweepAt(now + 3 * DAY, { CONTENT: counting });
    expect(reads).toBe(0);
  });

  it("finds the emails of a pack among thousands of others", async () => {
    const now = Date.now();
    const { ctx } = recordingContext();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push(await acceptEmail(ctx, workspace, { text: `Number ${n}` }));
    await offloadContent(testContext({}, () => now + 4 * DAY));
    const [key = ""] = await keysOf();
    const [first, , last] = ids;
    await run(
      `WITH RECURSIVE i (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM i WHERE value < 2500)
       INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, from_email, message_id, subject, recipients, events,
                           content_key, content_offset, content_size, created_at)
       SELECT workspace, substr(id, 1, 35) || 'g' || i.value, status, source, domain_id, mailbox_id, from_email, message_id, subject,
              recipients, events, 'other', 0, 10, created_at FROM emails, i WHERE id = ?1`,
      first,
    );
    const before = await (await env.CONTENT.get(key))?.text();
    await sweepAt(now + 5 * DAY);
    expect(await (await env.CONTENT.get(key))?.text()).toBe(before);
    await run("UPDATE emails SET content_key = NULL WHERE id = ?1", last);
    await run("UPDATE object_sweep SET round_at = 0, previous_round_at = 0");
    await sweepAt(now + 5 * DAY);
    const text = (await (await env.CONTENT.get(key))?.text()) ?? "";
    expect(["Number 0", "Number 1", "Number 2"].map((part) => text.includes(part))).toEqual([true, true, false]);
  });

  it("sums the objects of each workspace in megabytes, over its pages, and forgets those that have none", async () => {
    const other = await aWorkspace();
    const object = (id: string, name: string) => ({ key: `w/${id}/x/${name}`, size: 700_000, uploaded: new Date() });
    const pages = [
      [object("0", "a"), object(workspace.workspaceId, "a")],
      [object(workspace.workspaceId, "b")],
      [object(other.workspaceId, "a")],
    ];
    const CONTENT = { list: async () => ({ objects: pages.shift() ?? [], truncated: pages.length > 0 }) };
    const contents = () =>
      Promise.all(
        [workspace, other].map(({ workspaceNumber }) =>
          database.value("SELECT stored->>'$.content' FROM workspaces WHERE number = ?1", [workspaceNumber]),
        ),
      );
    await sweepAt(Date.now(), { CONTENT });
    expect(await contents()).toEqual([1, 0]);
    pages.push([object(other.workspaceId, "a"), object(other.workspaceId, "b")]);
    await sweepAt(Date.now() + 1, { CONTENT });
    expect(await contents()).toEqual([null, 1]);
  });

  it("checks at most five pages a run and continues where the last run ended", async () => {
    const seen: (string | undefined)[] = [];
    const list = async ({ startAfter }: R2ListOptions) => {
      seen.push(startAfter);
      return { objects: [{ key: `w/key-${seen.length}`, size: 1, uploaded: new Date() }], truncated: seen.length < 7 };
    };
    await sweepAt(Date.now(), { CONTENT: { list } });
    expect(seen).toEqual([undefined, "w/key-1", "w/key-2", "w/key-3", "w/key-4"]);
    await sweepAt(Date.now(), { CONTENT: { list } });
    expect(seen.slice(5)).toEqual(["w/key-5", "w/key-6"]);
    await sweepAt(Date.now(), { CONTENT: { list } });
    expect(seen[7]).toBeUndefined();
  });
});
