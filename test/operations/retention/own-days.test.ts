/** Workspaces that keep their emails for fewer days than the deployment (docs/contract/workspaces.md#retention). */

import { beforeEach, expect, it } from "vitest";
import { deleteExpiredEmails } from "../../../src/operations/retention/delete-expired-emails.ts";
import { findOwnDays } from "../../../src/operations/retention/own-days.ts";
import { firstIdAt } from "../../../src/platform/audit/rules.ts";
import { requireOpenStatement } from "../../../src/platform/db/shard-workspaces.ts";
import { database } from "../../support/databases.ts";
import { runRetention } from "../../support/retention.ts";
import { run } from "../../support/sending.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";

const DAY = 24 * 3_600_000;
const now = Date.now();
let [short, long]: TestWorkspace[] = [];

const own = () => short as TestWorkspace;
const other = () => long as TestWorkspace;

beforeEach(async () => {
  await run("DELETE FROM emails");
  [short, long] = [await aWorkspace(), await aWorkspace()];
  for (const { workspaceNumber, workspaceId } of [own(), other()])
    await requireOpenStatement(testContext(), { number: workspaceNumber, id: workspaceId }).run();
  await setDays(own(), 30);
});

const setDays = async ({ call, workspaceId }: TestWorkspace, retention_days: number | null) =>
  call("PATCH", `/v1/workspaces/${workspaceId}`, { settings: { retention_days } });

const idAt = (days: number, index = 0) =>
  `${firstIdAt(now - days * DAY)}-7000-8000-${crypto.randomUUID().slice(24, 32)}${index.toString(16).padStart(4, "0")}`;

/** Inserts delivered emails of an age, in ascending order of their ids. */
const insertEmails = ({ workspaceNumber }: TestWorkspace, days: number, count = 1, status = "delivered") =>
  run(
    `INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, from_email, message_id, subject, recipients, events,
       content_offset, content_size, created_at)
     SELECT ?1, value, ?3, 'api', 'd', 'm', 'a@b.example', '', 'S', '[]', '[]', 0, 0, ?4 FROM json_each(?2)`,
    workspaceNumber,
    JSON.stringify(Array.from({ length: count }, (_, index) => idAt(days, index))),
    status,
    now - days * DAY,
  );

const count = async ({ workspaceNumber }: TestWorkspace, table = "emails") =>
  (await database.value<number>(`SELECT count(*) AS n FROM ${table} WHERE workspace = ?1`, [workspaceNumber])) ?? 0;

const keep = (days = "365") => runRetention(testContext({ RETENTION_DAYS: days }, () => now));

it("deletes the emails of a workspace after its own days, and those of others after the deployment's", async () => {
  for (const workspace of [own(), other()]) for (const days of [400, 31, 29]) await insertEmails(workspace, days);
  await keep();
  expect([await count(own()), await count(other())]).toEqual([1, 2]);
});

it("uses the days of the deployment where these are fewer, and again once a workspace has none of its own", async () => {
  for (const days of [31, 20]) await insertEmails(own(), days);
  await keep("10");
  expect(await count(own())).toBe(0);
  await insertEmails(own(), 31);
  await setDays(own(), null);
  await keep();
  expect(await count(own())).toBe(1);
});

it("passes emails that are not finished, however many are older, and deletes what follows them", async () => {
  await insertEmails(own(), 40, 600, "queued");
  await insertEmails(own(), 35, 2);
  await keep();
  expect(await count(own())).toBe(600);
});

it("deletes pages of workspaces in turns, so that none waits for the end of another", async () => {
  await insertEmails(own(), 40, 1_200);
  await insertEmails(other(), 400, 600);
  const ctx = testContext({ RETENTION_DAYS: "365" }, () => now);
  const steps = deleteExpiredEmails(ctx, await findOwnDays(ctx));
  // The first step finds the workspaces.
  for (let step = 0; step < 3; step++) await steps.next();
  expect([await count(own()), await count(other())]).toEqual([700, 100]);
  while (!(await steps.next()).done);
  expect([await count(own()), await count(other())]).toEqual([0, 0]);
});

it("begins each run with the workspace whose emails are the most overdue, so that a short run leaves none behind", async () => {
  await insertEmails(own(), 50, 500);
  await insertEmails(own(), 31, 200);
  await insertEmails(other(), 370, 500);
  const ctx = testContext({ RETENTION_DAYS: "365" }, () => now);
  const left: number[][] = [];
  for (let run = 0; run < 2; run++) {
    const steps = deleteExpiredEmails(ctx, await findOwnDays(ctx));
    for (let step = 0; step < 2; step++) await steps.next();
    left.push([await count(own()), await count(other())]);
  }
  expect(left).toEqual([
    [200, 500],
    [200, 0],
  ]);
});

it("applies to the inbound log, changes and retries as to emails, and to roll-ups and reports from 91 days on", async () => {
  const today = Math.floor(now / DAY);
  for (const { workspaceNumber } of [own(), other()]) {
    for (const days of [95, 40, 20]) {
      const at = now - days * DAY;
      await run("INSERT INTO changes (workspace, at_us, emails) VALUES (?1, ?2, '[1]')", workspaceNumber, at * 1000);
      await run(
        "INSERT INTO retried_addresses (workspace, email, newest) VALUES (?1, ?2, ?3)",
        workspaceNumber,
        `${days}@a.example`,
        idAt(days),
      );
      await run(
        `INSERT INTO inbound_emails (workspace, id, mailbox_id, domain_id, from_address, recipient, subject, text_preview,
           attachment_count, authentication, events, received_at) VALUES (?1, ?2, 'm', 'd', 'a@b.example', 'c@d.example', '', '', 0, '{}', '[]', ?3)`,
        ...[workspaceNumber, idAt(days), at],
      );
      await run(
        "INSERT INTO rollups_daily (workspace, day, domain) VALUES (?1, ?2, '')",
        workspaceNumber,
        today - days,
      );
      await run(
        "INSERT INTO dmarc_sources (workspace, day, domain_id, source, aligned, disposition, messages) VALUES (?1, ?2, 'd', 's', 1, 'none', 1)",
        workspaceNumber,
        today - days,
      );
    }
  }
  await keep();
  const tables = ["changes", "retried_addresses", "inbound_emails", "rollups_daily", "dmarc_sources"];
  const counts = async (workspace: TestWorkspace) => Promise.all(tables.map((table) => count(workspace, table)));
  expect(await counts(own())).toEqual([1, 1, 1, 2, 2]);
  expect(await counts(other())).toEqual([3, 3, 3, 3, 3]);
});

it("are at most those of the deployment", async () => {
  const refused = await setDays(own(), 366);
  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({
    detail: [{ loc: ["body", "settings", "retention_days"], msg: "Emails are kept for at most 365 days" }],
  });
  for (const days of [0, 1.5]) expect((await setDays(own(), days)).status).toBe(422);
  const changed = await setDays(own(), 365);
  expect(await changed.json()).toMatchObject({ settings: { retention_days: 365 } });
});
