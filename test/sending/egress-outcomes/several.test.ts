import { beforeEach, describe, expect, it } from "vitest";
import { readTicket } from "../../../src/mail/egress-tickets/ticket.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { heldMails, holdingServer, report, results } from "../../support/holding-egress.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aMail, aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
});

const rows = async () =>
  await database.rows<{ id: string; token: string | null; ref: string }>(
    "SELECT id, token, ref FROM outbox WHERE kind = 'deliver' ORDER BY id",
  );

const people = (count: number) => Array.from({ length: count }, (_, n) => ({ email: `p${n}@example.org` }));

describe("an email to several people", () => {
  it("leaves its row with its last recipient only, so that none is tried twice", async () => {
    const server = await holdingServer();
    const id = await acceptEmail(recordingContext().ctx, workspace, { to: people(3) });
    await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
    const held = await heldMails(server);
    expect(held.map(({ address }) => address)).toEqual(["p0@example.org", "p1@example.org", "p2@example.org"]);
    const all = [results.accepted, results.deferred, results.refused];
    for (const [index, mail] of held.entries()) {
      expect(await rows()).toEqual([expect.objectContaining({ id, token: expect.any(String) })]);
      await report([{ ...mail, result: all[index] ?? results.accepted }]);
    }
    // Only the deferred one is tried again.
    expect(await rows()).toEqual([expect.objectContaining({ id, token: null })]);
    await runOutboxAt(Date.now() + 5 * 60_000, { EGRESS_URL: server.url }, ["deliver"]);
    const again = (await heldMails(server)).slice(3);
    expect(again.map(({ address }) => address)).toEqual(["p1@example.org"]);
    await report(again.map((mail) => ({ ...mail, result: results.accepted })));
    expect(await rows()).toEqual([]);
    expect((await readEmail(workspace, id)).status).toBe("bounced");
  });

  it("of whom the egress refuses one keeps its row for the others", async () => {
    const server = await holdingServer({ recipients: { "p1@example.org": "550 5.1.2 no such domain" } });
    const id = await acceptEmail(recordingContext().ctx, workspace, { to: people(3) });
    await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
    expect(await rows()).toHaveLength(1);
    const held = await heldMails(server);
    await report(held.map((mail) => ({ ...mail, result: results.accepted })));
    expect(await rows()).toEqual([]);
    const { status, events } = await readEmail(workspace, id);
    expect(status).toBe("bounced");
    expect(events.map(({ event_type }) => event_type).sort()).toEqual(["bounced", "delivered", "delivered", "queued"]);
  });

  it("of whom one waits for the pace of the receiver is tried again for that one only", async () => {
    const wait = "451 4.4.5 wait 300 s for slow.test (Slow): its rate is used up";
    const server = await holdingServer({ recipients: { "p1@example.org": wait } });
    await acceptEmail(recordingContext().ctx, workspace, { to: people(2) });
    await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
    const [mail] = await heldMails(server);
    expect(mail?.address).toBe("p0@example.org");
    await report([{ ticket: mail?.ticket ?? "", address: "p0@example.org", result: results.accepted }]);
    expect(await rows()).toEqual([expect.objectContaining({ token: null })]);
    await runOutboxAt(Date.now() + 330_000, { EGRESS_URL: server.url }, ["deliver"]);
    expect(await heldMails(server)).toHaveLength(1);
    const commands = (await server.commands()).filter((line) => line.startsWith("RCPT"));
    expect(commands.filter((line) => line.includes("p0@"))).toHaveLength(1);
    expect(commands.filter((line) => line.includes("p1@"))).toHaveLength(2);
  });
});

describe("a row of many emails", () => {
  it("shrinks once for each report, and is gone with its last email", async () => {
    const server = await holdingServer();
    const emails = people(10).map((to) => aMail(workspace, { to: [to] }));
    const response = await workspace.withoutQueue.post("/v1/emails/batch", emails);
    expect(response.status, await response.clone().text()).toBe(202);
    await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
    const held = await heldMails(server);
    expect(held).toHaveLength(10);
    const tickets = held.map(({ ticket }) => readTicket(ticket));
    expect(new Set(tickets.map((ticket) => ticket?.row)).size).toBe(1);
    const left = async () => (await rows()).map(({ ref }) => (JSON.parse(ref) as number[]).length);
    expect(await left()).toEqual([10]);
    await report(held.slice(0, 4).map((mail) => ({ ...mail, result: results.accepted })));
    expect(await left()).toEqual([6]);
    await report(held.slice(4, 8).map((mail) => ({ ...mail, result: results.deferred })));
    expect((await left()).toSorted((a, b) => a - b)).toEqual([1, 1, 1, 1, 2]);
    await report(held.slice(8).map((mail) => ({ ...mail, result: results.refused })));
    expect(await left()).toEqual([1, 1, 1, 1]);
    const statuses = await database
      .prepare("SELECT status, count(*) AS n FROM emails WHERE workspace = ?1 GROUP BY status")
      .bind(workspace.workspaceNumber)
      .all();
    expect(statuses.results).toEqual([
      { status: "bounced", n: 2 },
      { status: "delivered", n: 4 },
      { status: "queued", n: 4 },
    ]);
  });

  it("does not come back for the emails that were reported when the egress dies with the others", async () => {
    const server = await holdingServer();
    const emails = people(6).map((to) => aMail(workspace, { to: [to] }));
    await workspace.withoutQueue.post("/v1/emails/batch", emails);
    await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
    const held = await heldMails(server);
    await report(held.slice(0, 2).map((mail) => ({ ...mail, result: results.accepted })));
    await report(held.slice(2, 4).map((mail) => ({ ...mail, result: results.held })));
    await runOutboxAt(Date.now() + 16 * 60_000, { EGRESS_URL: server.url }, ["deliver"]);
    const again = (await heldMails(server)).slice(6).map(({ address }) => address);
    expect(again.toSorted()).toEqual(
      held
        .slice(2)
        .map(({ address }) => address)
        .toSorted(),
    );
  });
});
