/**
 * A deployment whose EGRESS_URL is missing or malformed: email waits and says why (docs/contract/delivery.md#missing-egress).
 */
import { beforeEach, describe, expect, it } from "vitest";
import { readEvents } from "../../../src/sending/emails/timeline/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { apiOn, aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MALFORMED = "smtp://user:hunter2@relay.test/path";
const workspace = perTest(aWorkspace);

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
});

async function emailOf(id: string) {
  const row = await database.row<{
    id: string;
    status: string;
    attempts: number;
    events: string;
    recipients: string;
    due_at: number;
    createdAt: number;
  }>(
    `SELECT e.id, e.status, e.attempts, e.events, e.recipients, o.due_at, e.created_at AS createdAt
       FROM emails e LEFT JOIN outbox o ON o.id = e.id WHERE e.id = ?1`,
    [id],
  );
  if (!row) throw new Error("no email");
  const events = readEvents(JSON.parse(row.events), { ...row, recipients: JSON.parse(row.recipients) });
  return { ...row, events, deferred: events.filter(({ type }) => type === "deferred") };
}

const issues = [
  { name: "no egress", url: "", egress: "not_configured", reason: "no egress is configured" },
  { name: "a malformed egress", url: MALFORMED, egress: "malformed", reason: "the egress setting is malformed" },
];

describe.each(issues)("with $name", ({ url, egress, reason }) => {
  it("an email stays queued with one deferred event, no attempt counted, and a check each 10 minutes", async () => {
    const start = Date.now();
    const id = await acceptEmail(recordingContext({}, () => start).ctx, workspace);
    for (let now = start; now < start + 60 * MINUTE; now += 10 * MINUTE) {
      await runOutboxAt(now, { EGRESS_URL: url });
      const email = await emailOf(id);
      expect(email).toMatchObject({ status: "queued", attempts: 0, due_at: now + 10 * MINUTE });
      expect(email.deferred).toEqual([expect.objectContaining({ metadata: { egress, reason } })]);
    }
  });

  it("an email is sent as its first attempt when the egress is configured", async () => {
    const sink = await sinkServer();
    const start = Date.now();
    const id = await acceptEmail(recordingContext({}, () => start).ctx, workspace);
    await runOutboxAt(start, { EGRESS_URL: url });
    await runOutboxAt(start + 10 * MINUTE, { EGRESS_URL: sink.url });
    const email = await emailOf(id);
    expect(email.status).toBe("delivered");
    expect(email.events.at(-1)).toMatchObject({ type: "delivered", metadata: { attempt: 1 } });
  });

  it("an email fails after 5 days, not before, with the reason for each recipient", async () => {
    const start = Date.now();
    const to = [{ email: "one@example.org" }, { email: "two@example.org" }];
    const id = await acceptEmail(recordingContext({}, () => start).ctx, workspace, { to });
    await runOutboxAt(start, { EGRESS_URL: url });
    await runOutboxAt(start + 5 * DAY - 1, { EGRESS_URL: url });
    expect((await emailOf(id)).status).toBe("queued");
    await runOutboxAt(start + 5 * DAY + 10 * MINUTE, { EGRESS_URL: url });
    const email = await emailOf(id);
    expect(email.status).toBe("failed");
    expect(email.events.map(({ type, metadata }) => [type, metadata?.recipient ?? null])).toEqual([
      ["queued", null],
      ["deferred", null],
      ["failed", "one@example.org"],
      ["failed", "two@example.org"],
    ]);
    expect(email.events.at(-1)?.metadata?.reason).toBe(`${reason}, for 5 days`);
    expect(await database.rows("SELECT * FROM outbox")).toEqual([]);
  });

  it("simulated recipients are delivered", async () => {
    const start = Date.now();
    const to = [{ email: "delivered@simulator.test" }];
    const id = await acceptEmail(recordingContext({}, () => start).ctx, workspace, { to });
    await runOutboxAt(start, { EGRESS_URL: url });
    expect((await emailOf(id)).status).toBe("delivered");
  });

  it("an email whose account is restricted fails at once", async () => {
    const start = Date.now();
    const id = await acceptEmail(recordingContext({}, () => start).ctx, workspace);
    await database.run("UPDATE users SET restricted_at = 1 WHERE id = ?1", [workspace.userId]);
    await runOutboxAt(start, { EGRESS_URL: url });
    expect((await emailOf(id)).status).toBe("failed");
  });

  it("GET /ready returns 503 with the condition and nothing of the setting", async () => {
    const response = await apiOn({ EGRESS_URL: url }, null).get("/ready");
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      status: "not_ready",
      settings: "valid",
      main: "answers",
      mail: "answers",
      egress,
      system_mail: expect.any(String),
      reasons: expect.arrayContaining([`EGRESS_URL: ${egress}`]),
    });
  });
});

describe("a period without an egress", () => {
  it("that follows another one has its own event and its own 5 days", async () => {
    const start = Date.now();
    const id = await acceptEmail(recordingContext({}, () => start).ctx, workspace);
    await runOutboxAt(start, { EGRESS_URL: "" });
    // No server listens on port 1.
    await runOutboxAt(start + 10 * MINUTE, { EGRESS_URL: "smtp://127.0.0.1:1/?tls=off" });
    await runOutboxAt(start + 20 * MINUTE, { EGRESS_URL: "" });
    const { deferred, status } = await emailOf(id);
    expect(deferred.map(({ metadata }) => metadata?.egress ?? metadata?.phase)).toEqual([
      "not_configured",
      "connect",
      "not_configured",
    ]);
    await runOutboxAt(start + 5 * DAY + 10 * MINUTE, { EGRESS_URL: "" });
    expect(status).toBe("queued");
    expect((await emailOf(id)).status).toBe("queued");
  });
});
