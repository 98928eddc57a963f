import { beforeEach, describe, expect, it } from "vitest";
import { readTicket } from "../../../src/mail/egress-tickets/ticket.ts";
import { LEASE_MS } from "../../../src/platform/outbox/rules.ts";
import { acceptEmail, outboxRowsOf } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { eventTypes, readEmail } from "../../support/emails.ts";
import { heldMails, holdingServer, report, results } from "../../support/holding-egress.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import type { SmtpServerHandle } from "../../support/smtp-control.ts";
import { aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
let server: SmtpServerHandle;

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
  server = await holdingServer();
});

const rows = async () =>
  await database.rows(
    "SELECT id, due_at AS dueAt, leased_until AS leasedUntil, token, ref FROM outbox WHERE kind = 'deliver' ORDER BY id",
  );

/** Accepts an email and hands it over. Returns its id and what the egress holds. */
async function handOver(changes: Record<string, unknown> = {}, now = Date.now()) {
  const { ctx } = recordingContext({}, () => now);
  const id = await acceptEmail(ctx, workspace, changes);
  await runOutboxAt(now, { EGRESS_URL: server.url }, ["deliver"]);
  return { id, held: await heldMails(server) };
}

describe("an email that the egress holds", () => {
  it("keeps its outbox row, leased for two minutes, and names it in the ticket", async () => {
    const now = Date.now();
    const { id, held } = await handOver({}, now);
    const [row] = await rows();
    expect(row).toMatchObject({ id });
    const ticket = readTicket(held[0]?.ticket ?? "");
    expect(ticket).toMatchObject({
      row: id,
      email: id,
      attempt: 1,
      isRepeated: false,
      token: row?.token,
    });
    expect(row?.leasedUntil).toBe(now + LEASE_MS);
    expect(held).toEqual([{ ticket: expect.any(String), address: "friend@example.org" }]);
    expect((await readEmail(workspace, id)).status).toBe("sending");
  });

  it("is `delivered` with the receiver's words when that accepts, and its row is gone", async () => {
    const { id, held } = await handOver();
    expect(await report(held.map((mail) => ({ ...mail, result: results.accepted })))).toEqual({
      reply: null,
      lost: [],
    });
    const { status, events, sent_at, delivered_at } = await readEmail(workspace, id);
    expect(status).toBe("delivered");
    expect([sent_at, delivered_at]).not.toContain(null);
    expect(events.at(-1)).toMatchObject({
      event_type: "delivered",
      metadata: {
        relay: "mx1.example.org",
        attempt: 1,
        response: "250 2.0.0 Ok: queued as 4F1",
      },
    });
    expect(await rows()).toEqual([]);
  });

  it("is `bounced` and suppressed when the receiver refuses it", async () => {
    const { id, held } = await handOver();
    await report(held.map((mail) => ({ ...mail, result: results.refused })));
    const { status, events } = await readEmail(workspace, id);
    expect(status).toBe("bounced");
    expect(events.at(-1)?.metadata).toMatchObject({ bounce_type: "hard", dsn: "5.1.1" });
    expect((await workspace.get("/v1/suppressions/")).status).toBe(200);
    const listed = await database
      .prepare("SELECT reason FROM suppressions WHERE workspace = ?1")
      .bind(workspace.workspaceNumber)
      .all();
    expect(listed.results).toEqual([{ reason: "bounce" }]);
    expect(await rows()).toEqual([]);
  });

  it("is `sent` while the receiver takes its time, and then has its outcome", async () => {
    const { id, held } = await handOver();
    await report(held.map((mail) => ({ ...mail, result: results.held })));
    expect(await readEmail(workspace, id)).toMatchObject({ status: "sent", delivered_at: null });
    expect(await rows()).toHaveLength(1);
    await report(held.map((mail) => ({ ...mail, result: results.accepted })));
    expect(await eventTypes(workspace, id)).toEqual(["queued", "sent", "delivered"]);
    expect(await rows()).toEqual([]);
  });

  it("is tried again after a deferral by the receiver, whether it was `sent` before or not", async () => {
    for (const isSent of [false, true]) {
      const { id, held } = await handOver({ subject: `sent: ${isSent}` });
      const last = held.slice(-1);
      if (isSent) await report(last.map((mail) => ({ ...mail, result: results.held })));
      await report(last.map((mail) => ({ ...mail, result: results.deferred })));
      const { status, events } = await readEmail(workspace, id);
      expect(status).toBe("queued");
      const [row] = await outboxRowsOf(recordingContext().ctx, id);
      const next = events.at(-1)?.metadata?.next_attempt_at;
      expect(row?.dueAt).toBe(Date.parse(String(next)));
      await runOutboxAt((row?.dueAt ?? 0) + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
      const again = (await heldMails(server)).slice(-1);
      expect(readTicket(again[0]?.ticket ?? "")).toMatchObject({ email: id, attempt: 2, isRepeated: false });
      await report(again.map((mail) => ({ ...mail, result: results.accepted })));
      expect((await readEmail(workspace, id)).status).toBe("delivered");
      expect(await outboxRowsOf(recordingContext().ctx, id)).toEqual([]);
    }
  });

  it("is tried again when the egress dies with it, marked as a possible duplicate", async () => {
    for (const isSent of [false, true]) {
      const { id, held } = await handOver({ subject: `sent: ${isSent}` });
      if (isSent) await report(held.slice(-1).map((mail) => ({ ...mail, result: results.held })));
      await runOutboxAt(Date.now() + LEASE_MS + 60_000, { EGRESS_URL: server.url }, ["deliver"]);
      const again = (await heldMails(server)).slice(-1);
      expect(readTicket(again[0]?.ticket ?? "")).toMatchObject({ email: id, isRepeated: true });
      await report(again.map((mail) => ({ ...mail, result: results.accepted })));
      const { status, events } = await readEmail(workspace, id);
      expect(status).toBe("delivered");
      expect(events.at(-1)?.metadata).toMatchObject({ possible_duplicate: true });
    }
  });

  it("is given back at once when the egress stops: no attempt, and no mark", async () => {
    const { id, held } = await handOver();
    await report(held.map((mail) => ({ ...mail, result: results.returned })));
    expect(await eventTypes(workspace, id)).toEqual(["queued"]);
    await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
    const again = (await heldMails(server)).slice(-1);
    expect(readTicket(again[0]?.ticket ?? "")).toMatchObject({ email: id, attempt: 1, isRepeated: false });
  });
});

describe("a report", () => {
  it("tells when the receiver replied, and its event is stored in the short form", async () => {
    const { id, held } = await handOver();
    const created = Date.parse((await readEmail(workspace, id)).created_at);
    const at = created + 1;
    const timed = held.slice(-1).map((mail) => ({ ...mail, result: { ...results.accepted, at } }));
    await report(timed);
    await report(timed);
    const { events } = await readEmail(workspace, id);
    expect(events.map(({ event_type }) => event_type)).toEqual(["queued", "delivered"]);
    expect(events.at(-1)?.created_at).toBe(new Date(at).toISOString());
    const stored = await database.row<{ events: string }>("SELECT events FROM emails WHERE id = ?1", [id]);
    expect(JSON.parse(stored?.events ?? "")).toEqual([0, expect.any(Array)]);
  });

  it("from a clock that is wrong has a time between the accept and the report", async () => {
    for (const at of [0, Date.now() + 3_600_000]) {
      const { id, held } = await handOver({ subject: String(at) });
      await report(held.slice(-1).map((mail) => ({ ...mail, result: { ...results.accepted, at } })));
      const { created_at, delivered_at } = await readEmail(workspace, id);
      expect(Date.parse(delivered_at ?? "")).toBeGreaterThanOrEqual(Date.parse(created_at));
      expect(Date.parse(delivered_at ?? "")).toBeLessThanOrEqual(Date.now());
    }
  });

  it("changes nothing when it is repeated, at once or later", async () => {
    for (const result of [results.accepted, results.refused, results.deferred, results.held]) {
      const { id, held } = await handOver({ to: [{ email: `${crypto.randomUUID()}@example.org` }] });
      const reports = held.slice(-1).map((mail) => ({ ...mail, result }));
      await Promise.all([report(reports), report(reports)]);
      const after = await readEmail(workspace, id);
      const left = await rows();
      await report(reports);
      expect(await readEmail(workspace, id)).toEqual(after);
      expect(await rows()).toEqual(left);
      expect(after.events).toHaveLength(2);
    }
  });

  it("of a receiver's last word counts after the lease was lost; a deferral does not", async () => {
    for (const result of [results.deferred, results.accepted]) {
      const { id, held } = await handOver({ subject: result.kind });
      const mail = held.slice(-1);
      await runOutboxAt(Date.now() + LEASE_MS + 60_000, { EGRESS_URL: server.url }, ["deliver"]);
      const { lost } = await report(mail.map((one) => ({ ...one, result })));
      expect(lost).toEqual(mail.map(({ ticket }) => ticket));
      const { status } = await readEmail(workspace, id);
      expect(status).toBe(result.kind === "accepted" ? "delivered" : "sending");
    }
  });

  it("on a ticket that is none, or an email that is none, is lost and changes nothing", async () => {
    const { id, held } = await handOver();
    const [mail] = held;
    const other = await aWorkspace();
    const ticket = mail?.ticket.replace(/\.[^.]+\.([^.]+\.1)$/, `.AaIJB4PycQSmCpyAYGOpgQ.$1`) ?? "";
    const strange = [{ ticket: "x", address: "friend@example.org", result: results.accepted }];
    expect((await report(strange)).lost).toEqual(["x"]);
    await report([{ ticket, address: "friend@example.org", result: results.accepted }]);
    await report([{ ticket: mail?.ticket ?? "", address: "stranger@example.org", result: results.accepted }]);
    expect(await eventTypes(workspace, id)).toEqual(["queued"]);
    expect((await other.get(`/v1/emails/${id}`)).status).toBe(404);
    expect(await rows()).toHaveLength(1);
  });
});
