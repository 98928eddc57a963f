/** Counts attempts at a receiver, and no waits before them (docs/contract/delivery.md#attempts-and-waits). */
import { beforeEach, expect, it } from "vitest";
import { attemptWaitsMs } from "../../../src/sending/delivery/rules.ts";
import { acceptEmail, outboxRowsOf } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { heldMails, holdingServer, report, results } from "../../support/holding-egress.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import type { SmtpServerHandle } from "../../support/smtp-control.ts";
import { aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const paced = { kind: "paced", receiver: "google", label: "Google", seconds: 60, reason: "its rate is used up" };
const workspace = perTest(aWorkspace);
let server: SmtpServerHandle;
let id: string;
beforeEach(async () => {
  await database.run("DELETE FROM outbox");
  server = await holdingServer();
  id = await acceptEmail(recordingContext().ctx, workspace);
});

/** Hands the email over at the time of its row, and reports results of this attempt, one after the other. */
async function attempt(...reported: Record<string, unknown>[]): Promise<void> {
  const [row] = await outboxRowsOf(recordingContext().ctx, id);
  await runOutboxAt((row?.dueAt ?? 0) + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
  const last = (await heldMails(server)).slice(-1);
  for (const result of reported) await report(last.map((mail) => ({ ...mail, result })));
}

/** Returns the status, and the next attempt that the last event announces, in milliseconds since 1970; infinite without one. */
async function read(): Promise<{ status: string; nextAt: number }> {
  const { status, events } = await readEmail(workspace, id);
  const next = events.at(-1)?.metadata?.next_attempt_at;
  return { status, nextAt: typeof next === "string" ? Date.parse(next) : Number.POSITIVE_INFINITY };
}

it("an email that an egress held and gave back seven times has the wait of a first attempt after its first one", async () => {
  for (let n = 0; n < 7; n++) await attempt(results.held, n % 2 === 0 ? results.returned : paced);
  await attempt(results.deferred);
  const { status, nextAt } = await read();
  expect(status).toBe("queued");
  expect(nextAt).toBeLessThanOrEqual(Date.now() + 1.1 * (attemptWaitsMs[0] ?? 0));
});

it("an email fails after eight attempts at its receiver, however often it waited between them", async () => {
  const statuses: string[] = [];
  for (let n = 0; n < 8; n++) {
    await attempt(results.held, results.returned);
    await attempt(results.held, results.deferred);
    statuses.push((await read()).status);
  }
  expect(statuses).toEqual([...Array<string>(7).fill("queued"), "failed"]);
});

it("an email to two people that was given back for both has the wait of a first attempt too", async () => {
  await database.run("DELETE FROM outbox");
  id = await acceptEmail(recordingContext().ctx, workspace, {
    to: [{ email: "a@example.org" }, { email: "b@example.org" }],
  });
  const both = async (result: Record<string, unknown>) => {
    await attempt();
    const last = (await heldMails(server)).slice(-2);
    await report(last.map((mail) => ({ ...mail, result: results.held })));
    await report(last.map((mail) => ({ ...mail, result })));
  };
  for (let n = 0; n < 7; n++) await both(results.returned);
  await both(results.deferred);
  const { status, nextAt } = await read();
  expect(status).toBe("queued");
  expect(nextAt).toBeLessThanOrEqual(Date.now() + 1.1 * (attemptWaitsMs[0] ?? 0));
});
