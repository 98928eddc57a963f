/** Rows of settled emails: what they write and store, and that a caller sees no difference (performance.md: cost). */

import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { runSchedule } from "../../../src/cron.ts";
import { ConnectError } from "../../../src/mail/smtp/transport.ts";
import { asDatabase } from "../../../src/platform/db/count-rows.ts";
import { withMail } from "../../../src/platform/jobs/shards.ts";
import { deliver } from "../../../src/sending/delivery/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { acceptingEgress } from "../../support/accepting-egress.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database, MAIL_BINDING } from "../../support/databases.ts";
import { accepted, readEmail } from "../../support/emails.ts";
import { run } from "../../support/sending.ts";
import { aMail, aWorkspace, discardingQueue, perTest, recordingContext, testContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

beforeEach(async () => {
  await run("DELETE FROM outbox");
});

const egress = acceptingEgress;

/** Delivers every due email. */
const deliverAll = async () => {
  const results = await database.rows<{ dueAt: number; id: string; kind: "deliver" }>(
    "SELECT due_at AS dueAt, id, kind FROM outbox",
  );
  await deliver(testContext(), results, egress);
};

interface Row {
  id: string;
  status: string;
  outbox_id: string | null;
  message_id: string;
  content_key: string | null;
  events: string;
}

const rows = async () =>
  await database.rows<Row>(
    "SELECT id, status, outbox_id, message_id, content_key, events FROM emails WHERE workspace = ?1 ORDER BY n",
    [workspace.workspaceNumber],
  );

it("a lone email writes eleven rows from its accept to its index entry, the cron run of the minute included", async () => {
  const cron = (bindings: Record<string, unknown>) =>
    runSchedule(createScheduledController({ cron: "* * * * *", scheduledTime: new Date() }), {
      ...env,
      ...bindings,
      WORK: discardingQueue,
    } as unknown as Env);
  const { ctx, woken } = recordingContext();
  await acceptEmail(ctx, workspace);
  await deliver(ctx, woken.splice(0), egress);
  await cron({});
  const { bindings, trips } = countingDb();
  const onMain = {
    ...ctx,
    env: { ...ctx.env, ...bindings } as unknown as Env,
    db: asDatabase<"main">(bindings.DB as unknown as D1Database),
  };
  const counted = withMail(onMain, asDatabase<"mail">(bindings[MAIL_BINDING] as unknown as D1Database));
  await acceptEmail(counted, workspace);
  await deliver(counted, woken, egress);
  await cron(bindings);
  // Email and its id index, outbox row and its index, change row; claim; email, change row, roll-up row, outbox row; index entry.
  expect(trips.flatMap(({ rowsWritten }) => rowsWritten || [])).toEqual([5, 1, 4, 1]);
});

it("a settled email of a batch stores 195 bytes less than a queued one, and reads the same", async () => {
  const api = workspace.withoutQueue;
  const sent = await api.post("/v1/emails/batch", [aMail(workspace), aMail(workspace, { text: "Another." })]);
  expect(sent.status).toBe(202);
  const queued = await rows();
  const before = await Promise.all(queued.map(({ id }) => readEmail(workspace, id)));
  await deliverAll();
  const settled = await rows();
  expect(settled.map(({ status }) => status)).toEqual(["delivered", "delivered"]);
  for (const [index, row] of settled.entries()) {
    expect(row).toMatchObject({ outbox_id: null, message_id: "" });
    expect(row.content_key).toMatch(/^batches\/[0-9a-f-]{36}$/);
    const bytes = ({ outbox_id, message_id, content_key }: Row) => `${outbox_id}${message_id}${content_key}`.length;
    const firstEvent = ({ events }: Row) => JSON.stringify(JSON.parse(events)[0]).length;
    const shorter = firstEvent(queued[index] as Row) - firstEvent(row) + bytes(queued[index] as Row) - bytes(row);
    expect(shorter).toBeGreaterThanOrEqual(195);
    const { message_id, text_body, events } = await readEmail(workspace, row.id);
    expect({ message_id, text_body, first: events[0] }).toEqual({
      message_id: before[index]?.message_id,
      text_body: before[index]?.text_body,
      first: before[index]?.events[0],
    });
    expect(events.map(({ event_type }) => event_type)).toEqual(["queued", "delivered"]);
    expect(message_id).toBe(queued[index]?.message_id);
  }
});

it("an email whose Message-ID does not follow from its row keeps it", async () => {
  const { id } = await accepted(await workspace.withoutQueue.post("/v1/emails/", aMail(workspace)));
  await run("UPDATE emails SET message_id = '<other@registered.example>' WHERE id = ?1", id);
  await deliverAll();
  expect((await readEmail(workspace, id)).message_id).toBe("<other@registered.example>");
});

it("a deferred email keeps the fields of a queued one", async () => {
  const { id } = await accepted(await workspace.withoutQueue.post("/v1/emails/", aMail(workspace)));
  const results = await database.rows<{ dueAt: number; id: string; kind: "deliver" }>(
    "SELECT due_at AS dueAt, id, kind FROM outbox",
  );
  const refuse = () => Promise.reject(new ConnectError("connect", null, "no route"));
  await deliver(testContext(), results, { ...egress, transport: { open: refuse } });
  const [row] = await rows();
  expect(row).toMatchObject({ id, status: "queued" });
  expect(row?.message_id).toContain(id);
});
