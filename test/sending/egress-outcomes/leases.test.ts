import { beforeEach, describe, expect, it } from "vitest";
import { EGRESS_LEASE_MS, readTicket, writeTicket } from "../../../src/mail/egress-tickets/ticket.ts";
import { releaseLeases } from "../../../src/sending/delivery/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { heldMails, holdingServer, report, results } from "../../support/holding-egress.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { GATEWAY_HEADERS } from "../../support/submissions.ts";
import { apiOn, apiWith, aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const gateway = apiWith(null);

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
});

interface Renewed {
  until: number;
  now: number;
  tickets: Record<string, string>;
  lost: string[];
}

const renew = async (tickets: readonly string[]) =>
  (await gateway.post("/gateway/leases", { tickets }, GATEWAY_HEADERS)).json<Renewed>();

describe("a lease", () => {
  it("lasts 15 minutes more when it is renewed, and the new ticket reports under it", async () => {
    const server = await holdingServer();
    const past = Date.now() - 5 * 60_000;
    const { ctx } = recordingContext({}, () => past);
    const id = await acceptEmail(ctx, workspace);
    await runOutboxAt(past + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
    const [mail] = await heldMails(server);
    const old = mail?.ticket ?? "";
    const { until, now, tickets, lost } = await renew([old]);
    expect(until - now).toBe(EGRESS_LEASE_MS);
    expect(lost).toEqual([]);
    const renewed = tickets[old] ?? "";
    expect(readTicket(renewed)).toEqual({ ...readTicket(old), until });
    // The email is not tried again before the new end.
    await runOutboxAt((readTicket(old)?.until ?? 0) + 60_000, { EGRESS_URL: server.url }, ["deliver"]);
    expect(await heldMails(server)).toHaveLength(1);
    await report([{ ticket: renewed, address: "friend@example.org", result: results.deferred }]);
    expect((await readEmail(workspace, id)).status).toBe("queued");
  });

  it("is lost when another run has claimed the row, when the row is gone, and for a ticket that is none", async () => {
    const server = await holdingServer();
    await acceptEmail(recordingContext().ctx, workspace);
    await acceptEmail(recordingContext().ctx, workspace);
    await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
    const [first, second] = await heldMails(server);
    await report([{ ticket: first?.ticket ?? "", address: "friend@example.org", result: results.accepted }]);
    await runOutboxAt(Date.now() + EGRESS_LEASE_MS + 60_000, { EGRESS_URL: server.url }, ["deliver"]);
    const tickets = [first?.ticket ?? "", second?.ticket ?? "", "none", "9.a.b"];
    const { lost, tickets: renewed } = await renew(tickets);
    expect(lost).toEqual(tickets);
    expect(renewed).toEqual({});
  });
});

describe("with a mail database that is down", () => {
  const down = { prepare: () => expect.fail("D1 is down") };
  const renewWith = (bindings: Record<string, unknown>, tickets: readonly string[]) =>
    apiOn(bindings, null).post("/gateway/leases", { tickets }, GATEWAY_HEADERS);

  it("leases of the other are renewed, and its own are not lost", async () => {
    const server = await holdingServer();
    await acceptEmail(recordingContext().ctx, workspace);
    await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
    const [mail] = await heldMails(server);
    const ticket = readTicket(mail?.ticket ?? "");
    if (!ticket) throw new Error("no ticket");
    const other = 1 - ticket.shard;
    const [held, ofOther] = [mail?.ticket ?? "", writeTicket({ ...ticket, shard: other })];
    const response = await renewWith({ [`MAIL_${other}`]: down }, [held, ofOther]);
    const { tickets, lost } = await response.json<Renewed>();
    expect(Object.keys(tickets)).toEqual([held]);
    expect(lost).toEqual([]);
    // With no other database there is nothing to tell.
    expect((await renewWith({ [`MAIL_${other}`]: down }, [ofOther])).status).toBe(500);
  });
});

describe("a restart of the whole service", () => {
  it("ends the leases from before it, and those alone", async () => {
    const server = await holdingServer();
    // Ids of this isolate never go back in time, also after a test with a later clock.
    const start = Number.parseInt(recordingContext().ctx.newId().replace("-", "").slice(0, 12), 16) + 1_000;
    const at = (ms: number) => recordingContext({}, () => start + ms).ctx;
    const before = await acceptEmail(at(0), workspace);
    await runOutboxAt(start + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
    const startedAt = start + 60_000;
    const after = await acceptEmail(at(61_000), workspace);
    await runOutboxAt(start + 62_000, { EGRESS_URL: server.url }, ["deliver"]);
    await releaseLeases(at(63_000), startedAt);
    const leased = await database.prepare("SELECT id, token FROM outbox ORDER BY id").all();
    expect(leased.results).toEqual([
      { id: before, token: null },
      { id: after, token: expect.any(String) },
    ]);
  });
});

describe("the calls of an egress", () => {
  const bad: [string, string, unknown][] = [
    ["no outcome", "outcomes", { address: "192.0.2.1", outcomes: [] }],
    ["101 outcomes", "outcomes", { address: "192.0.2.1", outcomes: Array(101).fill({ ticket: "x", recipients: [] }) }],
    [
      "an outcome without recipients",
      "outcomes",
      { address: "192.0.2.1", outcomes: [{ ticket: "x", recipients: [] }] },
    ],
    [
      "an unknown result",
      "outcomes",
      { address: "", outcomes: [{ ticket: "x", recipients: [{ address: "a@b.test", result: { kind: "eaten" } }] }] },
    ],
    [
      "a time that no id can have",
      "outcomes",
      {
        address: "",
        outcomes: [{ ticket: "x", recipients: [{ address: "a@b.test", result: { kind: "held", at: 2 ** 48 } }] }],
      },
    ],
    ["no ticket", "leases", { tickets: [] }],
    ["101 tickets", "leases", { tickets: Array(101).fill("x") }],
    ["no address", "volume", {}],
  ];
  for (const [name, path, body] of bad)
    it(`are refused with ${name}`, async () => {
      expect((await gateway.post(`/gateway/${path}`, body, GATEWAY_HEADERS)).status).toBe(422);
    });

  it("are refused above 256 KB, and without the secret", async () => {
    const big = { address: "x".repeat(300_000), outcomes: [] };
    expect((await gateway.post("/gateway/outcomes", big, GATEWAY_HEADERS)).status).toBe(413);
    for (const path of ["outcomes", "leases", "volume"])
      expect((await gateway.post(`/gateway/${path}`, {}, { Authorization: "Bearer wrong" })).status).toBe(401);
  });
});
