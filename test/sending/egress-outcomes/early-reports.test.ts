import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { readTicket } from "../../../src/mail/egress-tickets/ticket.ts";
import { deliver, egressOf } from "../../../src/sending/delivery/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database, MAIL_BINDING } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { heldMails, holdingServer, report, results } from "../../support/holding-egress.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import { watchDatabase } from "../../support/watch-database.ts";
import { aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const WAIT = "451 4.4.5 wait 300 s for slow.test (Slow): its rate is used up";
const REFUSAL = "550 5.1.2 no such domain";
const DEFERRAL = "450 4.2.0 try again";

const workspace = perTest(aWorkspace);

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
});

const people = (count: number) => Array.from({ length: count }, (_, n) => ({ email: `p${n}@example.org` }));

const rows = async () =>
  await database.rows<{ id: string; token: string | null; claims: number }>(
    "SELECT id, token, claims FROM outbox WHERE kind = 'deliver'",
  );

type Results = Record<string, Record<string, unknown>>;

/** Hands an email over to an egress, which reports these results before the run writes the outcomes of the others. */
async function reportBeforeTheRun(replies: Record<string, string>, reported: Results) {
  const server = await holdingServer({ recipients: replies });
  const { ctx, woken } = recordingContext();
  const id = await acceptEmail(ctx, workspace, { to: people(3) });
  let isReported = false;
  const watched = watchDatabase(env[MAIL_BINDING], async (_, statements, write) => {
    if (!isReported && statements.some(({ sql }) => sql.includes("UPDATE emails SET status = j.value"))) {
      isReported = true;
      const held = await heldMails(server);
      await report(
        held.flatMap((mail) => [reported[mail.address] ?? []].flat().map((result) => ({ ...mail, result }))),
      );
    }
    return write();
  });
  const delivering = recordingContext({ EGRESS_URL: server.url, [MAIL_BINDING]: watched });
  await deliver(delivering.ctx, woken, egressOf(delivering.ctx.settings));
  return { id, server };
}

describe("an email to several people whose egress reports before the run has written the other outcomes", () => {
  const accepted = { "p0@example.org": results.accepted, "p2@example.org": results.accepted };

  for (const refused of ["p0", "p1", "p2"])
    it(`is finished when the egress has refused ${refused} at once`, async () => {
      const all = Object.fromEntries(people(3).map(({ email }) => [email, results.accepted]));
      const { id } = await reportBeforeTheRun({ [`${refused}@example.org`]: REFUSAL }, all);
      expect(await rows()).toEqual([]);
      const { events } = await readEmail(workspace, id);
      expect(events.map(({ event_type }) => event_type).toSorted()).toEqual([
        "bounced",
        "delivered",
        "delivered",
        "queued",
      ]);
    });

  for (const [name, reply, minutes] of [
    ["waits for pace", WAIT, 6],
    ["was put off", DEFERRAL, 3],
  ] as const)
    it(`tries the one again that ${name}, at its time and without a mark`, async () => {
      const { id, server } = await reportBeforeTheRun({ "p1@example.org": reply }, accepted);
      expect(await rows()).toEqual([{ id, token: null, claims: 0 }]);
      await runOutboxAt(Date.now() + minutes * 60_000, { EGRESS_URL: server.url }, ["deliver"]);
      const tries = (await server.commands()).filter((line) => line.startsWith("RCPT"));
      expect(tries.map((line) => /p\d/.exec(line)?.[0])).toEqual(["p0", "p1", "p2", "p1"]);
    });

  it("waits as long as the egress said for one that its receiver put off", async () => {
    const { id } = await reportBeforeTheRun(
      { "p1@example.org": REFUSAL },
      { "p0@example.org": results.accepted, "p2@example.org": results.deferred },
    );
    const { events } = await readEmail(workspace, id);
    const announced = events.find(({ event_type }) => event_type === "deferred")?.metadata?.next_attempt_at;
    const [row] = await database.rows<{ due_at: number }>("SELECT due_at FROM outbox");
    expect(new Date(row?.due_at ?? 0).toISOString()).toBe(announced);
  });

  it("stays with the egress while that has not told the result of one", async () => {
    const { id, server } = await reportBeforeTheRun(
      { "p1@example.org": REFUSAL },
      { "p0@example.org": results.accepted },
    );
    expect(await rows()).toEqual([{ id, token: expect.any(String), claims: 1 }]);
    const last = (await heldMails(server)).slice(-1);
    await report(last.map((mail) => ({ ...mail, result: results.accepted })));
    expect(await rows()).toEqual([]);
  });
});

it("an email stays with its egress after more than eight attempts that were put off", async () => {
  const server = await holdingServer();
  const id = await acceptEmail(recordingContext().ctx, workspace, { to: people(3) });
  for (const attempt of [8, 9]) {
    const deferred = { recipient: "p1@example.org", attempt };
    await run(
      `UPDATE emails SET attempts = ?2, events = json_insert(events, '$[#]',
         json_object('id', ?3, 'type', 'deferred', 'at', ?4, 'metadata', json(?5))) WHERE id = ?1`,
      id,
      attempt,
      crypto.randomUUID(),
      Date.now(),
      JSON.stringify(deferred),
    );
  }
  await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
  const held = await heldMails(server);
  expect(held.map(({ ticket }) => readTicket(ticket)?.attempt)).toEqual([10, 10, 10]);
  const others = held.filter(({ address }) => address !== "p1@example.org");
  await report(others.map((mail) => ({ ...mail, result: results.accepted })));
  expect(await rows()).toEqual([{ id, token: expect.any(String), claims: 1 }]);
  await report(held.map((mail) => ({ ...mail, result: results.accepted })));
  expect(await rows()).toEqual([]);
  expect((await readEmail(workspace, id)).status).toBe("delivered");
});
