/**
 * Owners of workspaces with waiting emails are notified of an outage and of its end, once each
 * (docs/contract/delivery.md#outages).
 */

import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { notifyWorkspaces } from "../../../src/notices/notifications/index.ts";
import { onShard } from "../../../src/platform/jobs/shards.ts";
import { notifyOfOutages, outageNotice } from "../../../src/sending/egress-outages/notify-of-outages.ts";
import { listed } from "../../notices/notifications/support.ts";
import { closedPort } from "../../support/closed-port.ts";
import { database } from "../../support/databases.ts";
import { runToEnd } from "../../support/retention.ts";
import { aMember, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";
import { Deployment, forgetOutages, MINUTE, mailDatabases, SECOND } from "./support.ts";

const BEGIN = "Emails wait for the mail server of the service";
const END = "Emails no longer wait for the mail server of the service";

beforeEach(async () => {
  await forgetOutages();
  vi.spyOn(Math, "random").mockReturnValue(0);
});

const titles = async (api: TestWorkspace) => (await listed(api)).items.map(({ title }) => title);

/** Channels of the outbox rows of notifications of a workspace, with their titles. */
async function tasksOf({ workspaceNumber }: TestWorkspace): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT ref->>'channel' || ': ' || (ref->>'title') AS task FROM outbox WHERE kind = 'notify' AND ref->>'workspace' = ?1 ORDER BY due_at",
  )
    .bind(workspaceNumber)
    .all<{ task: string }>();
  return results.map(({ task }) => task);
}

/** A deployment at the begin of a minute, which does not send notifications, with an email of each workspace. */
async function anOutage(workspaces: readonly TestWorkspace[], groupSize = 32) {
  const { url, open } = await closedPort();
  const deployment = new Deployment(Math.ceil(Date.now() / MINUTE) * MINUTE, { EGRESS_URL: url }, groupSize);
  for (const workspace of workspaces) await deployment.accept(workspace, 1);
  return { deployment, open };
}

describe("an outage", () => {
  it("of less than ten minutes notifies no owner", async () => {
    const workspace = await aWorkspace();
    const { deployment, open } = await anOutage([workspace]);
    await deployment.run(deployment.now + 9 * MINUTE);
    await open();
    await deployment.run(deployment.now + 15 * MINUTE);
    expect(await titles(workspace)).toEqual([]);
    for (const db of mailDatabases)
      expect((await db.prepare("SELECT * FROM outage_workspaces").all()).results).toEqual([]);
  });

  it.each([
    ["one invocation", 32],
    ["an invocation for each mail database", 1],
  ])(
    "of twelve minutes notifies the owners of the workspaces whose emails wait once, and once of its end, swept by %s",
    async (_, groupSize) => {
      const workspaces = [await aWorkspace({ mailShard: 0 }), await aWorkspace({ mailShard: 1 })] as const;
      const [first, second] = workspaces;
      const member = await aMember(first, "member");
      const idle = await aWorkspace({ mailShard: 0 });
      const { deployment, open } = await anOutage(workspaces, groupSize);
      await deployment.run(deployment.now + 10 * MINUTE);
      expect(await titles(first)).toEqual([]);
      await deployment.run(deployment.now + 3 * MINUTE);
      expect([await titles(first), await titles(second), await titles(idle)]).toEqual([[BEGIN], [BEGIN], []]);
      const late = await aWorkspace({ mailShard: 1 });
      await deployment.accept(late, 1);
      await deployment.run(deployment.now + 3 * MINUTE);
      await open();
      await deployment.run(deployment.now + 5 * MINUTE);
      for (const workspace of [first, second, late]) expect(await titles(workspace)).toEqual([END, BEGIN]);
      expect(await titles(idle)).toEqual([]);
      const results = await database.rows("SELECT 1 FROM notifications WHERE user_id = ?1", [member.userId]);
      expect(results).toEqual([]);
      const [end, begin] = (await listed(first)).items;
      expect(begin).toMatchObject({ category: "alerts", severity: "warning", href: "/emails" });
      expect(end).toMatchObject({ category: "alerts", severity: "success", href: "/emails" });
      expect(end?.body).toMatch(
        /^From \d{4}-\d\d-\d\d \d\d:\d\d UTC to \d{4}-\d\d-\d\d \d\d:\d\d UTC the service could not/,
      );
    },
    60_000,
  );

  it("posts its begin and its end to Slack, and emails its end only, which names both times", async () => {
    const workspace = await aWorkspace();
    await database.run("UPDATE workspaces SET slack_webhook_url = 'x' WHERE number = ?1", [workspace.workspaceNumber]);
    const { deployment, open } = await anOutage([workspace]);
    const seen = new Set<string>();
    const watch = async () => {
      for (const task of await tasksOf(workspace)) seen.add(task);
      return false;
    };
    await deployment.run(deployment.now + 12 * MINUTE, watch);
    await open();
    await deployment.run(deployment.now + 5 * MINUTE, watch);
    expect([...seen]).toEqual([`slack: ${BEGIN}`, `email: ${END}`, `slack: ${END}`]);
  }, 60_000);

  it("that follows another one is notified of again", async () => {
    const workspace = await aWorkspace();
    const { deployment, open } = await anOutage([workspace]);
    await deployment.run(deployment.now + 12 * MINUTE);
    const server = await open();
    await deployment.run(deployment.now + 3 * MINUTE);
    await server.close();
    await deployment.accept(workspace, 1);
    await deployment.run(deployment.now + 13 * MINUTE);
    await open();
    await deployment.run(deployment.now + 3 * MINUTE);
    expect(await titles(workspace)).toEqual([END, BEGIN, END, BEGIN]);
  }, 60_000);

  it("whose emails are all cancelled ends, and its owners are told", async () => {
    const workspace = await aWorkspace();
    const { deployment } = await anOutage([workspace]);
    await deployment.run(deployment.now + 12 * MINUTE);
    for (const db of mailDatabases) await db.prepare("DELETE FROM outbox").run();
    await deployment.run(deployment.now + 6 * MINUTE);
    expect(await titles(workspace)).toEqual([END, BEGIN]);
  }, 60_000);

  it("of a setting that is malformed is an outage too", async () => {
    const workspace = await aWorkspace();
    const { deployment } = await anOutage([workspace]);
    deployment.bindings = { EGRESS_URL: "smtp://" };
    await deployment.run(deployment.now + 12 * MINUTE);
    expect(await titles(workspace)).toEqual([BEGIN]);
  }, 60_000);
});

describe("the notices of an outage", () => {
  const now = Date.now();
  const contextAt = (at: number) => onShard(new Deployment(at, {}).context().ctx, 0);
  const began = now - 20 * MINUTE;
  const insertOutage = (endedAt: number | null) =>
    database.run("INSERT INTO egress_outages (id, began_at, ended_at) VALUES ('o', ?1, ?2)", [began, endedAt]);
  const insertWorkspaces = (numbers: readonly number[]) =>
    env.MAIL_0.prepare("INSERT INTO outage_workspaces (workspace, waiting_at) SELECT value, ?2 FROM json_each(?1)")
      .bind(JSON.stringify(numbers), began)
      .run();

  it("are once each for each of two runs that meet, and after a crash between their two databases", async () => {
    const workspaces = await Promise.all(Array.from({ length: 5 }, () => aWorkspace()));
    await insertOutage(null);
    await insertWorkspaces(workspaces.map(({ workspaceNumber }) => workspaceNumber));
    // A run ended after it wrote the notification, and before the mail database knew of it.
    const [crashed] = workspaces;
    const outage = { id: "o", beganAt: began, endedAt: null };
    await notifyWorkspaces(contextAt(now), [crashed?.workspaceNumber ?? 0], outageNotice(outage));
    const runs = (at: number) => Promise.all([1, 2, 3].map(() => runToEnd(notifyOfOutages(contextAt(at)))));
    await runs(now);
    await runs(now + MINUTE);
    for (const workspace of workspaces) expect(await titles(workspace)).toEqual([BEGIN]);
    await database.run("UPDATE egress_outages SET ended_at = ?1", [now + MINUTE]);
    await runs(now + 2 * MINUTE);
    await runs(now + 3 * MINUTE);
    for (const workspace of workspaces) expect(await titles(workspace)).toEqual([END, BEGIN]);
  });

  it("of thousands of workspaces are made in steps of few statements, and the rest a minute later", async () => {
    // Below those of all others, which then go on without a gap.
    const numbers = Array.from({ length: 2_500 }, (_, n) => n - 2_500);
    const rows = JSON.stringify(numbers);
    const owner = await aWorkspace();
    await env.DB.batch([
      env.DB.prepare(
        "INSERT INTO workspaces (number, id, name, slug, created_at) SELECT value, 'w' || value, 'W', 'w' || value, 0 FROM json_each(?1)",
      ).bind(rows),
      env.DB.prepare(
        "INSERT INTO memberships (workspace, user_id, role, created_at) SELECT value, ?2, 'owner', 0 FROM json_each(?1)",
      ).bind(rows, owner.userId),
    ]);
    await insertOutage(null);
    await insertWorkspaces(numbers);
    const notified = async () =>
      (
        await database.row<{ n: number }>(
          "SELECT count(*) AS n FROM notifications WHERE title = ?1 AND workspace < 0",
          [BEGIN],
        )
      )?.n;
    const perMinute: (number | undefined)[] = [];
    for (let minute = 0; minute < 4; minute++) {
      const { ctx, limits } = new Deployment(now + minute * MINUTE + SECOND, {}).context();
      const before = limits.statements;
      await runToEnd(notifyOfOutages(onShard(ctx, 0)));
      expect(before - limits.statements).toBeLessThan(40);
      perMinute.push(await notified());
    }
    expect(perMinute).toEqual([1_000, 2_000, 2_500, 2_500]);
  }, 60_000);
});
