import { describe, expect, it } from "vitest";
import { applyFacts, type Fact, findEmail, type Outcome } from "../../../src/sending/emails/timeline/index.ts";
import { runCloseHours } from "../../support/retention.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import { scriptedServer } from "../../support/smtp-control.ts";
import { aMail, aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { analytics, HOUR_MS, type Point, reopen } from "./support.ts";

const workspace = perTest(aWorkspace);

async function send(...addresses: string[]): Promise<string> {
  const to = addresses.map((email) => ({ email }));
  return (await workspace.withoutQueue.create("/v1/emails/", aMail(workspace, { to }))).id;
}

/** Sends an email that no run delivers. */
async function sendAside(...addresses: string[]): Promise<string> {
  const id = await send(...addresses);
  await run("DELETE FROM outbox WHERE id = ?1", id);
  return id;
}

/** Records outcomes of one recipient of an email, this many hours ago. */
async function record(emailId: string, recipient: string, outcome: Outcome, hoursAgo = 0): Promise<void> {
  const ctx = testContext();
  const found = await findEmail(ctx, { workspace: workspace.workspaceNumber, emailId });
  if (!found) throw new Error("no email");
  const fact: Fact = { id: ctx.newId(), recipient, at: ctx.now() - hoursAgo * HOUR_MS, ...outcome };
  await applyFacts(found.ctx, [{ state: found.state, facts: [fact], attempt: 1 }]);
}

const relay = { relay: "mx.example", attempt: 1 };
const ACCEPTED: Outcome = { on: "accepted-final", metadata: relay };
const HANDED_OVER: Outcome = { on: "accepted-dsn-to-come", metadata: relay };
const HARD: Outcome = { on: "recipient-refused", metadata: { ...relay, bounce_type: "hard" } };
const SOFT: Outcome = { on: "recipient-refused", metadata: { ...relay, bounce_type: "soft" } };
const LATE_BOUNCE: Outcome = { on: "dsn-failed", metadata: { source: "dsn", bounce_type: "hard" } };

const overview = () => analytics<Record<string, number>>(workspace, "overview?period=24h");
const states = async () => {
  const { total_sent, delivered, bounced, soft_bounced, failed, unsent } = await overview();
  return { total_sent, delivered, bounced, soft_bounced, failed, unsent };
};
const none = { total_sent: 0, delivered: 0, bounced: 0, soft_bounced: 0, failed: 0, unsent: 0 };

describe("sent", () => {
  it("counts recipients that the egress refused at once, so a domain where all bounces has sent what it bounced", async () => {
    const recipients = { "a@one.example": "550 5.1.1 unknown user", "b@one.example": "550 5.1.1 unknown user" };
    const server = await scriptedServer({ recipients });
    await send("a@one.example", "b@one.example");
    await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
    await server.close();
    expect(await states()).toEqual({ ...none, total_sent: 2, bounced: 2 });
    expect(await analytics(workspace, "domain-stats?period=24h")).toMatchObject([
      { domain: "one.example", sent: 2, delivered: 0, bounced: 2, soft_bounced: 0, failed: 0 },
    ]);
    expect(await analytics(workspace, "deliverability?period=24h")).toMatchObject({
      items: [{ sent: 2, refused: 2, bounced: 2, bounce_rate: 1 }],
    });
  });

  it("counts each recipient once, whatever happens to it later", async () => {
    const id = await sendAside("a@one.example");
    await record(id, "a@one.example", HARD, 3);
    await record(id, "a@one.example", { on: "complaint", metadata: { source: "arf" } }, 1);
    expect(await states()).toEqual({ ...none, total_sent: 1, delivered: 1 });
  });

  it("has no recipient whose email failed before it was handed over: these are unsent", async () => {
    const [late, restricted] = [await sendAside("a@one.example"), await sendAside("b@one.example")];
    await record(late, "a@one.example", { on: "gave-up", metadata: { ...relay, attempt: 8 } });
    await record(restricted, "b@one.example", { on: "gave-up", metadata: { reason: "the account is restricted" } });
    expect(await states()).toEqual({ ...none, total_sent: 1, failed: 1, unsent: 1 });
  });

  it("counts the recipients of the overview, as the domains do", async () => {
    const id = await sendAside("a@one.example", "b@one.example", "c@two.example");
    for (const address of ["a@one.example", "b@one.example", "c@two.example"]) await record(id, address, ACCEPTED);
    expect(await states()).toEqual({ ...none, total_sent: 3, delivered: 3 });
    const domains = await analytics<{ sent: number }[]>(workspace, "domain-stats?period=24h");
    expect(domains.map(({ sent }) => sent)).toEqual([2, 1]);
  });
});

describe("the states of what was sent", () => {
  it("are the last known ones: a late bounce takes its recipient from those delivered", async () => {
    const id = await sendAside("a@one.example");
    await record(id, "a@one.example", ACCEPTED, 5);
    expect(await states()).toEqual({ ...none, total_sent: 1, delivered: 1 });
    await record(id, "a@one.example", LATE_BOUNCE);
    expect(await states()).toEqual({ ...none, total_sent: 1, bounced: 1 });
  });

  it("move in the hour that counted them, and the bounce counts in its own, so that no bucket is negative", async () => {
    const id = await sendAside("a@one.example");
    await record(id, "a@one.example", ACCEPTED, 5);
    await reopen();
    await runCloseHours(testContext());
    await record(id, "a@one.example", LATE_BOUNCE, 1);
    const { data } = await analytics<{ data: Point[] }>(workspace, "timeseries?period=24h&granularity=hour");
    const [handedOver, bounced] = [data.at(-6), data.at(-2)];
    expect(handedOver).toMatchObject({ sent: 1, delivered: 0, bounced: 0 });
    expect(bounced).toMatchObject({ sent: 0, delivered: 0, bounced: 1 });
    expect(await states()).toEqual({ ...none, total_sent: 1, bounced: 1 });
  });

  it("have hard bounces in `bounced`, and soft ones apart", async () => {
    const id = await sendAside("a@one.example", "b@one.example");
    await record(id, "a@one.example", SOFT);
    await record(id, "b@one.example", HARD);
    expect(await states()).toEqual({ ...none, total_sent: 2, bounced: 1, soft_bounced: 1 });
  });

  it("are none while a report is to come", async () => {
    const id = await sendAside("a@one.example");
    await record(id, "a@one.example", HANDED_OVER);
    expect(await states()).toEqual({ ...none, total_sent: 1 });
    await record(id, "a@one.example", { on: "dsn-delivered", metadata: { source: "dsn" } });
    expect(await states()).toEqual({ ...none, total_sent: 1, delivered: 1 });
  });

  it("never add up to more than sent, also after a failure that turned out to be a delivery", async () => {
    const id = await sendAside("a@one.example", "b@one.example");
    await record(id, "a@one.example", { on: "gave-up", metadata: { ...relay, attempt: 8 } }, 4);
    await record(id, "a@one.example", { on: "dsn-delivered", metadata: { source: "dsn" } }, 2);
    await record(id, "b@one.example", { on: "gave-up", metadata: { reason: "interrupted" } }, 4);
    await record(id, "b@one.example", ACCEPTED, 2);
    expect(await states()).toEqual({ ...none, total_sent: 2, delivered: 2 });
  });
});

it("rates divide by sent", async () => {
  const id = await sendAside("a@one.example", "b@one.example", "c@one.example", "d@one.example");
  await record(id, "a@one.example", HARD);
  await record(id, "b@one.example", SOFT);
  await record(id, "c@one.example", ACCEPTED);
  await record(id, "c@one.example", { on: "complaint", metadata: { source: "arf" } });
  await record(id, "d@one.example", { on: "deferred", metadata: relay });
  await record(id, "d@one.example", ACCEPTED);
  expect(await analytics(workspace, "deliverability?period=24h")).toMatchObject({
    items: [{ sent: 4, bounce_rate: 0.25, complaint_rate: 0.25, deferral_rate: 0.25 }],
  });
});
