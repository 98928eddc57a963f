import { beforeEach, describe, expect, it } from "vitest";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { eventTypes, readEmail } from "../../support/emails.ts";
import { heldMails, holdingServer } from "../../support/holding-egress.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aMail, aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const DAY = 24 * 3_600_000;

beforeEach(async () => {
  for (const table of ["outbox", "egress_waits", "receiver_domains"]) await database.run(`DELETE FROM ${table}`);
});

const rows = async () =>
  await database.rows<{ id: string; dueAt: number; token: string | null; claims: number }>(
    "SELECT id, due_at AS dueAt, token, claims FROM outbox WHERE kind = 'deliver' ORDER BY due_at",
  );
const versions = async () =>
  await database.rows("SELECT n, version FROM emails WHERE workspace = ?1 ORDER BY n", [workspace.workspaceNumber]);
const asked = async (server: Awaited<ReturnType<typeof holdingServer>>) =>
  (await server.commands()).filter((line) => line.startsWith("RCPT")).length;

const inLine = (seconds: number) => `451 4.4.5 wait ${seconds} s for google (Google): its rate is used up`;
const paused = (seconds: number) =>
  `451 4.7.1 wait ${seconds} s for outlook (Outlook): 451 4.7.650 The mail server has been rate limited`;

describe("an email that waits for the pace of its receiver", () => {
  it("has its place in the line: no attempt, no event, and no write but its outbox row", async () => {
    const server = await holdingServer({ recipients: { "a@gmail.test": inLine(120) } });
    const now = Date.now() + 2_000;
    const id = await acceptEmail(recordingContext().ctx, workspace, { to: [{ email: "a@gmail.test" }] });
    const before = await versions();
    await runOutboxAt(now, { EGRESS_URL: server.url }, ["deliver"]);
    expect(await versions()).toEqual(before);
    expect(await eventTypes(workspace, id)).toEqual(["queued"]);
    const [row] = await rows();
    expect(row).toMatchObject({ id, token: null, claims: 0 });
    expect(Math.abs((row?.dueAt ?? 0) - now - 120_000)).toBeLessThan(5_000);
    expect(await heldMails(server)).toEqual([]);
  });

  it("does so apart from the others of its batch, and leaves when its time has come", async () => {
    const server = await holdingServer({ recipients: { "a@gmail.test": inLine(120), "b@gmail.test": inLine(180) } });
    const now = Date.now() + 2_000;
    const emails = ["a@gmail.test", "b@gmail.test", "c@gmail.test"].map((email) =>
      aMail(workspace, { to: [{ email }] }),
    );
    await workspace.withoutQueue.post("/v1/emails/batch", emails);
    const before = await versions();
    await runOutboxAt(now, { EGRESS_URL: server.url }, ["deliver"]);
    expect(await versions()).toEqual(before);
    expect((await heldMails(server)).map(({ address }) => address)).toEqual(["c@gmail.test"]);
    expect((await rows()).map(({ token }) => token === null)).toEqual([false, true, true]);
    await database.run("UPDATE outbox SET leased_until = ?1 WHERE token IS NOT NULL", [now + 15 * 60_000]);
    const open = await holdingServer();
    await runOutboxAt(now + 200_000, { EGRESS_URL: open.url }, ["deliver"]);
    expect((await heldMails(open)).map(({ address }) => address).toSorted()).toEqual(["a@gmail.test", "b@gmail.test"]);
    await database.run("UPDATE outbox SET leased_until = ?1 WHERE leased_until < ?2", [
      now + 20 * 60_000,
      now + 15 * 60_000,
    ]);
    // The lease that the egress renewed on the row of the batch ends: only the one that is still held is tried again.
    await runOutboxAt(now + 17 * 60_000, { EGRESS_URL: server.url }, ["deliver"]);
    expect(await asked(server)).toBe(4);
  });

  it("fails after five days, with the reason", async () => {
    const server = await holdingServer({ recipients: { "a@gmail.test": inLine(7_200) } });
    const start = Date.now() + 2_000;
    const id = await acceptEmail(recordingContext().ctx, workspace, { to: [{ email: "a@gmail.test" }] });
    await runOutboxAt(start, { EGRESS_URL: server.url }, ["deliver"]);
    await runOutboxAt(start + 4.9 * DAY, { EGRESS_URL: server.url }, ["deliver"]);
    expect((await readEmail(workspace, id)).status).not.toBe("failed");
    await runOutboxAt(start + 5.1 * DAY, { EGRESS_URL: server.url }, ["deliver"]);
    const { status, events } = await readEmail(workspace, id);
    expect(status).toBe("failed");
    expect(events.at(-1)?.metadata?.reason).toBe("the email waited five days for Google: its rate is used up");
    expect(await rows()).toEqual([]);
  });
});

describe("an egress that has no room, or that stops", () => {
  for (const reply of ["451 4.3.2 The memory of the egress is full", "421 4.3.2 The egress stops"])
    it(`gets the email again soon, without an attempt: ${reply}`, async () => {
      const server = await holdingServer({ transactions: [{ mail: reply }, { mail: reply }] });
      const now = Date.now() + 2_000;
      const id = await acceptEmail(recordingContext().ctx, workspace, { to: [{ email: "a@one.test" }] });
      await runOutboxAt(now, { EGRESS_URL: server.url }, ["deliver"]);
      expect(await eventTypes(workspace, id)).toEqual(["queued"]);
      expect(await rows()).toMatchObject([{ id, token: null, claims: 0 }]);
      await runOutboxAt(now + 31_000, { EGRESS_URL: server.url }, ["deliver"]);
      await runOutboxAt(now + 62_000, { EGRESS_URL: server.url }, ["deliver"]);
      expect(await heldMails(server)).toHaveLength(1);
    });
});

describe("a paused receiver", () => {
  it("is asked for once in a run, and by no run until its time, for all its domains that are known", async () => {
    const mails = ["a@one.test", "b@one.test", "c@one.test"];
    const server = await holdingServer({
      recipients: Object.fromEntries(mails.map((email) => [email, paused(600)])),
    });
    const one = `${server.url}&connections=1`;
    const start = Date.now() + 2_000;
    for (const email of mails) await acceptEmail(recordingContext().ctx, workspace, { to: [{ email }] });
    await acceptEmail(recordingContext().ctx, workspace, { to: [{ email: "d@two.test" }] });
    await runOutboxAt(start, { EGRESS_URL: one }, ["deliver"]);
    expect((await heldMails(server)).map(({ address }) => address)).toEqual(["d@two.test"]);
    const first = await asked(server);
    // Three emails are in flight on a connection before the first reply.
    expect(first).toBeLessThanOrEqual(4);
    await acceptEmail(recordingContext().ctx, workspace, { to: [{ email: "e@one.test" }] });
    await runOutboxAt(start + 60_000, { EGRESS_URL: one }, ["deliver"]);
    expect(await asked(server)).toBe(first);
    const waiting = (await rows()).filter(({ token }) => token === null);
    expect(waiting).toHaveLength(4);
    for (const { dueAt } of waiting) expect(Math.abs(dueAt - start - 600_000)).toBeLessThan(5_000);
    const open = await holdingServer();
    await runOutboxAt(start + 610_000, { EGRESS_URL: open.url }, ["deliver"]);
    // The lease of the one that the egress holds has ended, since that egress renews none.
    const addresses = (await heldMails(open)).map(({ address }) => address);
    expect(addresses.toSorted()).toEqual(["a@one.test", "b@one.test", "c@one.test", "d@two.test", "e@one.test"]);
  });

  it("is no longer known after a day", async () => {
    const server = await holdingServer({ recipients: { "a@one.test": paused(400_000) } });
    const start = Date.now() + 2_000;
    await acceptEmail(recordingContext().ctx, workspace, { to: [{ email: "a@one.test" }] });
    await runOutboxAt(start, { EGRESS_URL: server.url }, ["deliver"]);
    const { ctx } = recordingContext({}, () => start + 1.1 * DAY);
    await acceptEmail(ctx, workspace, { to: [{ email: "b@one.test" }] });
    await runOutboxAt(start + 1.1 * DAY, { EGRESS_URL: server.url }, ["deliver"]);
    expect((await heldMails(server)).map(({ address }) => address)).toEqual(["b@one.test"]);
  });
});
