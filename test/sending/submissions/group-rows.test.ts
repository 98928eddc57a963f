import { beforeEach, describe, expect, it } from "vitest";
import { readMailStart } from "../../../src/operations/backups/read-page.ts";
import { type RepairCursor, repairMail } from "../../../src/operations/backups/repair.ts";
import { findStore } from "../../../src/operations/backups/stores.ts";
import { deliver, egressOf, flushOutbox, newRunLimits } from "../../../src/sending/delivery/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database, FILE_SHARD, mail } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { heldMails, holdingServer, report, results } from "../../support/holding-egress.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { scriptedServer, sinkServer } from "../../support/smtp-control.ts";
import { aSubmitter } from "../../support/submissions.ts";
import { aWorkspace, perTest, recordingContext, testContext } from "../../support/workspace.ts";

const MINUTE = 60_000;
const workspace = perTest(aWorkspace);
beforeEach(async () => {
  await mail.batch(["outbox", "held_outbox"].map((table) => mail.prepare(`DELETE FROM ${table}`)));
});

interface OutboxRow {
  dueAt: number;
  id: string;
  kind: "deliver";
  ref: string;
}
/** Returns the rows with emails of the workspace. */
const rowsOf = async (table = "outbox") =>
  (
    await mail
      .prepare(
        `SELECT due_at AS dueAt, id, kind, ref FROM ${table} WHERE EXISTS (
           SELECT 1 FROM json_each(ref) r CROSS JOIN emails e ON e.n = r.value WHERE e.workspace = ?1) ORDER BY due_at, id`,
      )
      .bind(workspace.workspaceNumber)
      .all<OutboxRow>()
  ).results;
const outboxIds = async () =>
  (
    await database.rows<{ id: string | null }>("SELECT outbox_id AS id FROM emails WHERE workspace = ?1 ORDER BY n", [
      workspace.workspaceNumber,
    ])
  ).map(({ id }) => id);

/** Submits messages to p0@example.org and so on in one call. Returns their ids. */
async function submitGroup(count: number): Promise<string[]> {
  const { token, gateway } = await aSubmitter(workspace);
  const responses = await gateway.submitGroup(
    workspace.mailbox,
    Array.from({ length: count }, (_, n) => {
      const head = `From: ${workspace.mailbox}\r\nTo: p${n}@example.org\r\nSubject: m${n}\r\nMessage-ID: <${n}@x.test>`;
      return { token, to: [`p${n}@example.org`], sequence: n, text: `${head}\r\n\r\nA text.\r\n` };
    }),
  );
  return responses.map(({ id = "" }) => id);
}

/** Gives the shared row the id of the first email, as an earlier version did. */
async function asEarlierVersion(first: string): Promise<void> {
  const [row] = await rowsOf();
  await mail.batch([
    mail.prepare("UPDATE emails SET outbox_id = ?1 WHERE outbox_id = ?2").bind(first, row?.id),
    mail.prepare("UPDATE outbox SET id = ?1").bind(first),
  ]);
}

/** Submits 64 messages, of which the first is greylisted and the run ends before the last. Returns the first, and the time of the run. */
async function releasedGroup() {
  const [first = ""] = await submitGroup(64);
  const server = await scriptedServer({ recipients: { "p0@example.org": "450 4.2.0 greylisted" } });
  const now = Date.now() + 1_000;
  const { ctx } = recordingContext({ EGRESS_URL: server.url }, () => now);
  await deliver(ctx, await rowsOf(), egressOf(ctx.settings), { ...newRunLimits(), statements: 75 });
  return { first, later: now + 70_000 };
}

describe("the outbox row of messages that were submitted together", () => {
  it("is claimed with the row of one of them that was deferred, and each leaves once", async () => {
    const { first, later } = await releasedGroup();
    expect((await rowsOf()).filter(({ id }) => id === first)).toHaveLength(1);
    const server = await sinkServer();
    const { ctx } = recordingContext({ EGRESS_URL: server.url }, () => later);
    await acceptEmail(ctx, await aWorkspace());
    await deliver(ctx, await rowsOf(), egressOf(ctx.settings), newRunLimits());
    expect(await rowsOf()).toEqual([]);
    const copies = (await server.messages()).filter(({ raw }) => /Subject: m0\r/.test(new TextDecoder().decode(raw)));
    expect(copies).toHaveLength(1);
    expect((await readEmail(workspace, first)).status).toBe("delivered");
  });

  it("leaves a deferred one to its own row, which another run may have", async () => {
    const { first, later } = await releasedGroup();
    const server = await sinkServer();
    const { ctx } = recordingContext({ EGRESS_URL: server.url }, () => later);
    await database.run(
      "UPDATE outbox SET leased_until = ?1, token = 'of another run' WHERE json_array_length(ref) = 1",
      [later + 2 * MINUTE],
    );
    const [shared] = await rowsOf();
    expect(shared?.id).not.toBe(first);
    await deliver(ctx, shared ? [shared] : [], egressOf(ctx.settings), { ...newRunLimits(), statements: 75 });
    const subjects = (await server.messages()).map(
      ({ raw }) => /Subject: (\S+)/.exec(new TextDecoder().decode(raw))?.[1],
    );
    expect(subjects).not.toContain("m0");
  });

  it("does not keep a deferred one from its release after an outage", async () => {
    const [first = ""] = await submitGroup(3);
    const server = await holdingServer();
    const start = Date.now() + 1_000;
    await runOutboxAt(start, { EGRESS_URL: server.url }, ["deliver"]);
    const isFirst = ({ address }: { address: string }) => address.startsWith("p0");
    const held = await heldMails(server);
    await report(held.filter(isFirst).map((one) => ({ ...one, result: results.deferred })));
    await report(held.filter((one) => !isFirst(one)).map((one) => ({ ...one, result: results.accepted })));
    const down = { EGRESS_URL: "smtp://127.0.0.1:1/?tls=off" };
    await runOutboxAt(start + MINUTE + 5_000, down, ["deliver"]);
    await runOutboxAt(start + 17 * MINUTE, down, ["deliver"]);
    const { ctx } = recordingContext({}, () => start + 18 * MINUTE);
    expect(await flushOutbox(ctx)).toBe(1);
    expect((await rowsOf()).map(({ id }) => id)).toEqual([first]);
  });
});

describe("a shared row of an earlier version, which has the id of its first email", () => {
  it("has another id in a backup that is restored", async () => {
    const [first = ""] = await submitGroup(3);
    await asEarlierVersion(first);
    await database.run("UPDATE emails SET outbox_id = NULL, due_at = due_at + 60000 WHERE id = ?1", [first]);
    await mail.batch([
      mail.prepare("INSERT INTO held_outbox (id, due_at, kind, ref) SELECT id, due_at, kind, ref FROM outbox"),
      mail.prepare("DELETE FROM outbox"),
    ]);
    const store = findStore(testContext(), `mail-${FILE_SHARD}`);
    if (!store) throw new Error("the file has a mail database");
    const start = await readMailStart(store);
    for (let cursor: RepairCursor | null = { step: 0, after: 0 }; cursor; )
      cursor = await repairMail(store, start, cursor);
    const rows = await rowsOf("held_outbox");
    const shared = rows.find(({ id }) => id !== first);
    expect(rows.map(({ id }) => id).toSorted()).toEqual([first, shared?.id].toSorted());
    expect(await outboxIds()).toEqual([null, shared?.id, shared?.id]);
  });
});
