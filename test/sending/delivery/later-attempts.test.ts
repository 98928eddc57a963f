/** Later attempts of emails: of a row that others share, and beside leases that have ended. */
import { beforeEach, describe, expect, it } from "vitest";
import type { WakeUp } from "../../../src/platform/context.ts";
import { deliver, egressOf, newRunLimits } from "../../../src/sending/delivery/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { acceptingEgress } from "../../support/accepting-egress.ts";
import { database, mail } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { heldMails, holdingServer, report, results } from "../../support/holding-egress.ts";
import { emptyOutbox } from "../../support/outbox.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { type SmtpServerHandle, scriptedServer } from "../../support/smtp-control.ts";
import { aMail, aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const MINUTE = 60_000;
const workspace = perTest(aWorkspace);
beforeEach(emptyOutbox);

const rows = async () =>
  (await mail.prepare("SELECT due_at AS dueAt, id, kind FROM outbox ORDER BY due_at").all<WakeUp>()).results;

/** Accepts emails to p0@example.org and so on that share a row. Returns their ids. */
async function acceptBatch(count: number): Promise<string[]> {
  const mails = Array.from({ length: count }, (_, n) => aMail(workspace, { to: [{ email: `p${n}@example.org` }] }));
  const response = await workspace.withoutQueue.post("/v1/emails/batch", mails);
  return (await response.json<{ results: { id: string }[] }>()).results.map(({ id }) => id);
}

describe("an email of a batch that was deferred", () => {
  it("is `queued`, also while the row of the others waits for a further run", async () => {
    const [first = ""] = await acceptBatch(60);
    const server = await scriptedServer({ recipients: { "p0@example.org": "450 4.2.1 busy" } });
    const { ctx } = recordingContext({ EGRESS_URL: server.url });
    await deliver(ctx, await rows(), egressOf(ctx.settings), { ...newRunLimits(), statements: 75 });
    expect((await rows()).map(({ id }) => id)).toContain(first);
    expect(await rows()).toHaveLength(2);
    expect((await readEmail(workspace, first)).status).toBe("queued");
  });

  /** Has the receiver defer the first email of a batch, and accept the others. Returns when, and the copies of the first. */
  async function deferFirst() {
    const [first = ""] = await acceptBatch(3);
    const server = await holdingServer();
    const start = Date.now() + 1_000;
    await runOutboxAt(start, { EGRESS_URL: server.url }, ["deliver"]);
    const copies = async () => (await heldMails(server)).filter(({ address }) => address.startsWith("p0"));
    const others = (await heldMails(server)).filter(({ address }) => !address.startsWith("p0"));
    await report((await copies()).map((copy) => ({ ...copy, result: results.deferred })));
    await report(others.map((copy) => ({ ...copy, result: results.accepted })));
    return { first, start, server, copies };
  }
  const runAt = (now: number, server: SmtpServerHandle) => runOutboxAt(now, { EGRESS_URL: server.url }, ["deliver"]);

  it("has one row and the waits of a lone one: 1, 5 and 30 minutes", async () => {
    const { first, server, copies } = await deferFirst();
    for (const minutes of [1, 5, 30]) {
      const [row, ...others] = await rows();
      expect([row?.id, others]).toEqual([first, []]);
      const deferredAt = Date.parse((await readEmail(workspace, first)).events.at(-1)?.created_at ?? "");
      expect(((row?.dueAt ?? 0) - deferredAt) / MINUTE / minutes).toBeCloseTo(1, 0);
      await runAt((row?.dueAt ?? 0) + 1, server);
      await report((await copies()).slice(-1).map((copy) => ({ ...copy, result: results.deferred })));
    }
    expect(await copies()).toHaveLength(4);
  });

  it("is not handed over again while the egress renews its lease", async () => {
    const { first, start, server, copies } = await deferFirst();
    await runAt(start + 2 * MINUTE, server);
    expect(await copies()).toHaveLength(2);
    await database.run("UPDATE outbox SET leased_until = ?2 WHERE id = ?1", [first, start + 17 * MINUTE]);
    await runAt(start + 16 * MINUTE, server);
    expect(await copies()).toHaveLength(2);
    await runAt(start + 18 * MINUTE, server);
    expect(await copies()).toHaveLength(3);
  });
});

describe("a claim beside leases of other runs", () => {
  it("takes the email whose lease has ended, marked as a possible duplicate, and leaves the other", async () => {
    const { ctx, woken } = recordingContext();
    const [ended = "", leased = ""] = [await acceptEmail(ctx, workspace), await acceptEmail(ctx, workspace)];
    const hold = (id: string, until: number) =>
      database.run("UPDATE outbox SET token = 'of another run', leased_until = ?2, claims = 1 WHERE id = ?1", [
        id,
        until,
      ]);
    await hold(ended, Date.now() - 1);
    await hold(leased, Date.now() + MINUTE);
    await deliver(ctx, woken, acceptingEgress);
    const { status, events } = await readEmail(workspace, ended);
    expect([status, events.at(-1)?.metadata]).toEqual([
      "delivered",
      expect.objectContaining({ possible_duplicate: true }),
    ]);
    expect((await rows()).map(({ id }) => id)).toEqual([leased]);
    expect((await readEmail(workspace, leased)).events.map(({ event_type }) => event_type)).toEqual(["queued"]);
  });
});
