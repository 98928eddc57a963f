import { beforeEach, describe, expect, it } from "vitest";
import { EGRESS_LEASE_MS, readTicket, writeTicket } from "../../../src/mail/egress-tickets/ticket.ts";
import { releaseLeases } from "../../../src/sending/delivery/index.ts";
import { renewLeases } from "../../../src/sending/egress-outcomes/renew-leases.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database, FILE_SHARD, MAIL_BINDING } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { heldMails, holdingServer, report, results } from "../../support/holding-egress.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { GATEWAY_HEADERS } from "../../support/submissions.ts";
import { apiOn, apiWith, aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const gateway = apiWith(null);
const MINUTE_MS = 60_000;

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
});

interface Renewed {
  until: number;
  now: number;
  lost: string[];
}

const renew = async (tickets: readonly string[]) =>
  (await gateway.post("/gateway/leases", { tickets }, GATEWAY_HEADERS)).json<Renewed>();

/** Adds a row under a lease that ends at `until`. Returns its id and a ticket of it. */
async function aLeasedRow(until = Date.now() + MINUTE_MS) {
  const [id, token] = [crypto.randomUUID(), crypto.randomUUID()];
  await database.run(
    "INSERT INTO outbox (id, due_at, kind, ref, token, leased_until, claims) VALUES (?1, 1, 'deliver', '[1]', ?2, ?3, 1)",
    [id, token, until],
  );
  const email = { email: id, n: 1, attempt: 1, isRepeated: false, isOther: false };
  return { id, ticket: writeTicket({ shard: FILE_SHARD, row: id, token, ...email }) };
}

const leaseOf = (id: string) => database.row("SELECT due_at, leased_until FROM outbox WHERE id = ?1", [id]);

describe("a lease", () => {
  it("lasts 15 minutes from its renewal, and the same ticket reports under it", async () => {
    const server = await holdingServer();
    const past = Date.now() - 5 * MINUTE_MS;
    const id = await acceptEmail(recordingContext({}, () => past).ctx, workspace);
    await runOutboxAt(past + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
    const [mail] = await heldMails(server);
    const ticket = mail?.ticket ?? "";
    const { until, now, ...others } = await renew([ticket]);
    expect(until - now).toBe(EGRESS_LEASE_MS);
    expect(others).toEqual({ reply: null, lost: [] });
    // The email is not tried again before the new end.
    await runOutboxAt(until - MINUTE_MS, { EGRESS_URL: server.url }, ["deliver"]);
    expect(await heldMails(server)).toHaveLength(1);
    const told = await report([{ ticket, address: "friend@example.org", result: results.deferred }]);
    expect(told.lost).toEqual([]);
    expect((await readEmail(workspace, id)).status).toBe("queued");
  });

  it("leaves the place of its row in the outbox when it is renewed, also after its end", async () => {
    const { id, ticket } = await aLeasedRow(Date.now() - MINUTE_MS);
    const { until, lost } = await renew([ticket]);
    expect(lost).toEqual([]);
    expect(await leaseOf(id)).toEqual({ due_at: 1, leased_until: until });
  });

  it.each([
    ["in order", [1, 2, 3]],
    ["in the reverse order", [3, 2, 1]],
    ["in another order, one twice", [2, 3, 1, 2]],
  ] as const)(
    "ends at the latest of its renewals, made %s by several egresses and the Worker, and all of them keep it",
    async (_, minutes) => {
      const { id, ticket } = await aLeasedRow();
      const start = Date.now();
      for (const minute of minutes) {
        const { ctx } = recordingContext({}, () => start + minute * MINUTE_MS);
        expect((await renewLeases(ctx, [ticket])).lost).toEqual([]);
      }
      expect(await leaseOf(id)).toMatchObject({ leased_until: start + 3 * MINUTE_MS + EGRESS_LEASE_MS });
    },
  );

  it("is renewed once for several emails of its row", async () => {
    const { ticket } = await aLeasedRow();
    const read = readTicket(ticket);
    if (!read) throw new Error("no ticket");
    const other = writeTicket({ ...read, email: crypto.randomUUID(), n: 2 });
    expect((await renew([ticket, other, ticket])).lost).toEqual([]);
  });

  it("is lost when another run has claimed the row, when the row is gone, and for a ticket that is none", async () => {
    const [claimed, gone, held] = [await aLeasedRow(), await aLeasedRow(), await aLeasedRow()];
    const until = Date.now() + 2 * MINUTE_MS;
    const claim = "UPDATE outbox SET token = ?2, leased_until = ?3 WHERE id = ?1";
    await database.run(claim, [claimed.id, crypto.randomUUID(), until]);
    await database.run("DELETE FROM outbox WHERE id = ?1", [gone.id]);
    const ofOld = held.ticket.replace(/(?=\.[^.]+\.1\.1$)/, ".mwte6w00");
    const tickets = [claimed.ticket, gone.ticket, "none", "9.a.b", ofOld];
    expect((await renew([...tickets, held.ticket])).lost).toEqual(tickets);
    expect(await leaseOf(claimed.id)).toMatchObject({ leased_until: until });
  });
});

describe("with a mail database that is down", () => {
  const down = { prepare: () => expect.fail("D1 is down") };

  it("a call with its tickets fails, and may be repeated", async () => {
    const { ticket } = await aLeasedRow();
    const read = readTicket(ticket);
    if (!read) throw new Error("no ticket");
    const ofOther = writeTicket({ ...read, shard: 1 - FILE_SHARD });
    const other = MAIL_BINDING === "MAIL_0" ? "MAIL_1" : "MAIL_0";
    const api = apiOn({ [other]: down }, null);
    const tickets = [ticket, ofOther];
    expect((await api.post("/gateway/leases", { tickets }, GATEWAY_HEADERS)).status).toBe(500);
    expect((await api.post("/gateway/leases", { tickets: [ticket] }, GATEWAY_HEADERS)).status).toBe(200);
    expect((await renew(tickets)).lost).toEqual([ofOther]);
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
