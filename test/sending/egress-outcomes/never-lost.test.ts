import { beforeEach, describe, expect, it } from "vitest";
import { EGRESS_LEASE_MS, readTicket } from "../../../src/mail/egress-tickets/ticket.ts";
import { acceptEmail, outboxRowsOf } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { heldMails, holdingServer, report, results } from "../../support/holding-egress.ts";
import { runRetention } from "../../support/retention.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import type { SmtpServerHandle } from "../../support/smtp-control.ts";
import { aMail, aWorkspace, perTest, recordingContext, testContext } from "../../support/workspace.ts";

const DAY = 24 * 3_600_000;
const LATER = EGRESS_LEASE_MS + 60_000;
const { ctx } = recordingContext();
const workspace = perTest(aWorkspace);
let server: SmtpServerHandle;

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
  server = await holdingServer();
});

type Held = Awaited<ReturnType<typeof heldMails>>;
const reportAll = (held: Held, result: Record<string, unknown>) => report(held.map((mail) => ({ ...mail, result })));

/** Accepts an email and hands it over. Returns its id and what the egress holds. */
async function handOver() {
  const id = await acceptEmail(ctx, workspace);
  await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
  return { id, held: (await heldMails(server)).slice(-1) };
}

describe("a `sent` email whose egress died", () => {
  it("waits while its workspace is paused, and leaves afterwards", async () => {
    const { id, held } = await handOver();
    await reportAll(held, results.held);
    const pause = (at: number | null) =>
      run("UPDATE workspaces SET sending_paused_at = ?2 WHERE id = ?1", workspace.workspaceId, at);
    await pause(1);
    const after = Date.now() + LATER;
    await runOutboxAt(after, { EGRESS_URL: server.url }, ["deliver"]);
    expect(await heldMails(server)).toHaveLength(1);
    expect(await outboxRowsOf(ctx, id)).toHaveLength(1);
    await pause(null);
    await runOutboxAt(after + 11 * 60_000, { EGRESS_URL: server.url }, ["deliver"]);
    const again = (await heldMails(server)).slice(1).map(({ ticket }) => readTicket(ticket));
    expect(again).toEqual([expect.objectContaining({ email: id, isRepeated: true })]);
  });

  it("gets a row of its own when that of its batch has been interrupted again and again", async () => {
    const batch = ["a", "b", "c"].map((name) => aMail(workspace, { to: [{ email: `${name}@example.org` }] }));
    await workspace.withoutQueue.post("/v1/emails/batch", batch);
    for (let n = 0; n < 4; n++) {
      await runOutboxAt(Date.now() + 1_000 + n * LATER, { EGRESS_URL: server.url }, ["deliver"]);
      await reportAll((await heldMails(server)).slice(-3), results.held);
    }
    const rows = await database.rows("SELECT json_array_length(ref) AS emails FROM outbox");
    expect(rows).toEqual([{ emails: 1 }, { emails: 1 }, { emails: 1 }]);
    await reportAll((await heldMails(server)).slice(-3), results.accepted);
    expect(await database.rows("SELECT id FROM outbox")).toEqual([]);
  });

  it("is kept beyond the time of retention", async () => {
    const { id, held } = await handOver();
    await reportAll(held, results.held);
    const retain = () => runRetention(testContext({ RETENTION_DAYS: "1" }, () => Date.now() + 2 * DAY));
    await retain();
    expect((await readEmail(workspace, id)).status).toBe("sent");
    await reportAll(held, results.accepted);
    await retain();
    expect((await workspace.get(`/v1/emails/${id}`)).status).toBe(404);
  });
});

describe("a `sent` email that the egress gives back", () => {
  for (const isOneCall of [false, true])
    it(`is tried again at once, without a mark${isOneCall ? ", also when one call tells both" : ""}`, async () => {
      const { id, held } = await handOver();
      const both = held.flatMap((mail) => [results.held, results.returned].map((result) => ({ ...mail, result })));
      if (isOneCall) await report(both);
      else for (const one of both) await report([one]);
      await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
      const again = (await heldMails(server)).slice(1).map(({ ticket }) => readTicket(ticket));
      expect(again).toEqual([expect.objectContaining({ email: id, isRepeated: false })]);
    });

  it("fails when it has waited for the pace of its receiver for five days", async () => {
    const { id, held } = await handOver();
    await run("UPDATE emails SET created_at = created_at - ?2 WHERE id = ?1", id, 5 * DAY);
    await run("UPDATE emails SET events = json_set(events, '$[0].at', created_at) WHERE id = ?1", id);
    const paced = { kind: "paced", receiver: "outlook", label: "Outlook", seconds: 300, reason: "451 slow down" };
    await reportAll(held, paced);
    const { status, events } = await readEmail(workspace, id);
    expect(status).toBe("failed");
    expect(events.at(-1)?.metadata?.reason).toBe("the email waited five days for Outlook: 451 slow down");
    expect(await outboxRowsOf(ctx, id)).toEqual([]);
  });
});

describe("an email that was handed over twice", () => {
  it("stays under its lease when a deferral of the earlier one comes beside a report of this one", async () => {
    for (const isOldFirst of [false, true]) {
      const { id, held: old } = await handOver();
      await runOutboxAt(Date.now() + LATER, { EGRESS_URL: server.url }, ["deliver"]);
      const held = (await heldMails(server)).slice(-1);
      const reports = [
        ...held.map((mail) => ({ ...mail, result: results.held })),
        ...old.map((mail) => ({ ...mail, result: results.deferred })),
      ];
      const { lost } = await report(isOldFirst ? reports.toReversed() : reports);
      expect(lost).toEqual(old.map(({ ticket }) => ticket));
      const { token } = readTicket(held[0]?.ticket ?? "") ?? {};
      expect(await outboxRowsOf(ctx, id)).toEqual([expect.objectContaining({ token })]);
      expect((await readEmail(workspace, id)).status).toBe("sent");
    }
  });
});
