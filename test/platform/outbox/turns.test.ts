/** Workspaces take turns: one with many due emails and broadcasts keeps none of another waiting. Shown by counts of claims. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { WakeUp } from "../../../src/platform/context.ts";
import {
  DeliveryRun,
  deliver,
  type Egress,
  egressOf,
  newRunLimits,
  runLowPriority,
} from "../../../src/sending/delivery/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { egressWithoutNetwork } from "../../support/accepting-egress.ts";
import { database, MAIL_BINDING, mail } from "../../support/databases.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { watchDatabase } from "../../support/watch-database.ts";
import { aWorkspace, perTest, recordingContext, type TestWorkspace } from "../../support/workspace.ts";

const big = perTest(aWorkspace);
const small = perTest(aWorkspace);
const now = Date.now() + 3_600_000;

beforeEach(async () => {
  await mail.batch(["outbox", "broadcasts"].map((table) => mail.prepare(`DELETE FROM ${table}`)));
});

// Their emails are gone, so a run only claims and deletes these rows.
const DUE_ROWS = `
  WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1 - 1)
  INSERT INTO outbox (id, due_at, kind, ref, workspace, broadcast)
  SELECT lower(hex(randomblob(16))), ?2 - 60000 + n % 1000, iif(?5 IS NULL, 'deliver', 'bulk'), '[1000000000]', ?3 + n % ?4, ?5
    FROM numbers`;
const insertRows = (count: number, { workspace = 1, workspaces = 1, broadcast = null as number | null }) =>
  database.run(DUE_ROWS, [count, now, workspace, workspaces, broadcast]);

async function aBroadcast({ workspaceNumber, domain }: TestWorkspace): Promise<number> {
  const n = await database.value<number>(
    `INSERT INTO broadcasts (workspace, id, status, user_id, name, subject, from_address, from_domain, size, created_at, updated_at)
     VALUES (?1, ?2, 'sending', 'a user', 'A broadcast', 'A subject', ?3, ?4, 1, 0, 0) RETURNING n`,
    [workspaceNumber, crypto.randomUUID(), `a@${domain}`, domain],
  );
  if (n === null) throw new Error("the broadcast has no number");
  return n;
}

/** Returns a context whose claims are counted, with the rows that each has read, and an egress that notes after how many claims it sent. */
function watched(settings: Record<string, unknown> = {}) {
  const rowsRead: number[] = [];
  const binding = watchDatabase(env[MAIL_BINDING], async (_, statements, run) => {
    const done = await run();
    if (statements.some(({ sql }) => sql.includes("claims = claims + 1")))
      rowsRead.push(done.reduce((sum, { meta }) => sum + meta.rows_read, 0));
    return done;
  });
  const sentAfter: number[] = [];
  const egress = egressWithoutNetwork({ onSend: async () => void sentAfter.push(rowsRead.length) });
  return { ...recordingContext({ ...settings, [MAIL_BINDING]: binding }, () => now), rowsRead, sentAfter, egress };
}

const anyRow = async (): Promise<WakeUp[]> =>
  (await mail.prepare("SELECT due_at AS dueAt, id, kind FROM outbox ORDER BY due_at LIMIT 1").all<WakeUp>()).results;

describe("beside 100,000 due emails of another workspace", () => {
  it("an email of a workspace is in the next claim, which no message has to name", async () => {
    await insertRows(100_000, { workspace: big.workspaceNumber });
    const { ctx, rowsRead, sentAfter, egress } = watched();
    await acceptEmail(ctx, small);
    await deliver(ctx, await anyRow(), egress);
    expect(sentAfter).toEqual([1]);
    expect(rowsRead).toHaveLength(1);
    expect(await database.value("SELECT count(*) FROM outbox")).toBe(100_000 + 1 - 100);
  });

  it("the email that a message names leaves first", async () => {
    const sink = await sinkServer();
    for (let n = 0; n < 120; n++) await acceptEmail(recordingContext().ctx, big, { subject: `big ${n}` });
    const { ctx, woken } = recordingContext({ EGRESS_URL: sink.url }, () => now);
    await acceptEmail(ctx, small, { subject: "a one-time code" });
    await deliver(ctx, woken.splice(0), { ...(egressOf(ctx.settings) as Egress), connections: 1 });
    const order = (await sink.messages()).map(({ raw }) => /Subject: (.*)\r/.exec(new TextDecoder().decode(raw))?.[1]);
    expect(order).toHaveLength(100);
    expect(order[0]).toBe("a one-time code");
  });
});

describe("beside a hundred broadcasts of another workspace", () => {
  it("the broadcast of a workspace is sent by the next run, and email that is due before it", async () => {
    for (let n = 0; n < 100; n++) {
      await insertRows(10, { workspace: big.workspaceNumber, broadcast: await aBroadcast(big) });
    }
    const { ctx, sentAfter, egress } = watched();
    const id = await acceptEmail(ctx, small);
    const broadcast = await aBroadcast(small);
    await database.run("UPDATE emails SET broadcast = ?2 WHERE id = ?1", [id, broadcast]);
    await database.run("UPDATE outbox SET broadcast = ?2, kind = 'bulk' WHERE id = ?1", [id, broadcast]);
    await acceptEmail(ctx, small, { to: [{ email: "transactional@example.org" }] });
    const run = new DeliveryRun(ctx, egress, newRunLimits());
    await runLowPriority(ctx, run).finally(() => run.end());
    const [transactional, ofBroadcast] = sentAfter;
    expect(transactional).toBe(1);
    // Each of the 20 rows of a run is of either workspace by chance, whatever the number of their broadcasts.
    expect(ofBroadcast).toBeLessThanOrEqual(21);
    expect(await database.value("SELECT count(*) FROM outbox WHERE id = ?1", [id])).toBe(0);
  });
});

describe("the rows that a claim reads", () => {
  it("are at most 4,000 beside 100,000 due emails of a workspace, and 110,000 beside those of a hundred", async () => {
    // SQLite reads no rows for the emails of a claim while it knows that there is none.
    await acceptEmail(recordingContext().ctx, small);
    const read = async (workspaces: number) => {
      await database.run("DELETE FROM outbox");
      await insertRows(100_000, { workspaces });
      const { ctx, rowsRead, egress } = watched();
      await deliver(ctx, await anyRow(), egress, { ...newRunLimits(), emails: 1 });
      return rowsRead[0] ?? Number.NaN;
    };
    expect(await read(1)).toBeLessThanOrEqual(4_000);
    expect(await read(100)).toBeLessThanOrEqual(110_000);
  });
});
