/** Faults of one row, message or report that must reach no other. */
import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { runBroadcasts } from "../../../src/audience/broadcasts/index.ts";
import { consumeTogether } from "../../../src/platform/outbox/consume-rows.ts";
import { deleteWaitingEvents } from "../../../src/platform/person-events/main-events.ts";
import { runOutboxRows } from "../../../src/run-outbox.ts";
import { deliver } from "../../../src/sending/delivery/index.ts";
import { aContactList, broadcastsOf } from "../../audience/broadcasts/support.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { ACCEPTED, acceptingEgress, egressWithoutNetwork } from "../../support/accepting-egress.ts";
import { database, mail } from "../../support/databases.ts";
import { heldMails, holdingServer, report, results } from "../../support/holding-egress.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aWorkspace, perTest, recordingContext, testContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));
const HOUR = 3_600_000;

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
});

const statusOf = (id: string) => database.value("SELECT status FROM emails WHERE id = ?1", [id]);

it("a scheduled broadcast keeps its row when its message comes early by the clock of another machine", async () => {
  const contact_list_id = await aContactList(workspace, 3);
  const at = Math.ceil(Date.now() / 1_000) * 1_000 + HOUR;
  const { id } = await broadcasts.create({ contact_list_id, scheduled_at: new Date(at).toISOString() });
  const { ctx } = recordingContext({}, () => at - 5);
  await runBroadcasts(ctx, [{ dueAt: at, id, kind: "broadcast" }]);
  expect(await database.rows("SELECT due_at FROM outbox WHERE id = ?1", [id])).toEqual([{ due_at: at }]);
});

it("a late message of a deleted broadcast leaves the purge that has its id", async () => {
  const now = Date.now();
  const { ctx } = recordingContext({}, () => now);
  const id = ctx.newId();
  const purge = "INSERT INTO outbox (id, due_at, kind, ref) VALUES (?1, ?2, 'purge', '{\"keys\":[]}')";
  await database.run(purge, [id, now]);
  await runOutboxRows(ctx, [{ dueAt: now, id, kind: "broadcast" }]);
  expect(await database.rows("SELECT kind FROM outbox WHERE id = ?1", [id])).toEqual([{ kind: "purge" }]);
});

it("an email whose outcome cannot be written makes no other leave twice, and is set aside", async () => {
  const first = recordingContext();
  const bad = await acceptEmail(first.ctx, workspace, { to: [{ email: "bad@example.org" }] });
  const other = await aWorkspace();
  for (let n = 0; n < 3; n++) await acceptEmail(first.ctx, other, { to: [{ email: `good${n}@example.org` }] });
  const refuse = `BEFORE UPDATE OF attempts ON emails WHEN OLD.id = '${bad}' BEGIN SELECT RAISE(ABORT, 'string or blob too big'); END`;
  await mail.prepare(`CREATE TRIGGER refused ${refuse}`).run();
  const sent: string[] = [];
  const egress = egressWithoutNetwork({
    onSend: async ({ recipients }) => {
      sent.push(...recipients.map(({ address }) => address));
      return ACCEPTED;
    },
  });
  try {
    for (const later of [1_000, 180_000, 360_000]) {
      const { ctx } = recordingContext({}, () => Date.now() + later);
      await deliver(ctx, await database.rows("SELECT due_at AS dueAt, id, kind FROM outbox"), egress);
    }
  } finally {
    await mail.prepare("DROP TRIGGER refused").run();
  }
  expect(sent.sort()).toEqual(["bad@example.org", ...[0, 1, 2].map((n) => `good${n}@example.org`)]);
  const setAside = await mail.prepare("SELECT id FROM quarantine WHERE id = ?1").bind(bad).all();
  expect(setAside.results).toEqual([{ id: bad }]);
});

it("a report about an email that cannot be read keeps no other from being recorded", async () => {
  const server = await holdingServer();
  const { ctx } = recordingContext();
  const [bad, good] = [await acceptEmail(ctx, workspace), await acceptEmail(ctx, workspace)];
  await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
  await database.run("UPDATE emails SET events = '{' WHERE id = ?1", [bad]);
  await report((await heldMails(server)).map((one) => ({ ...one, result: results.accepted })));
  expect(await statusOf(good)).toBe("delivered");
});

it("a row of emails that lists none as it should is set aside, and those beside it leave in the same run", async () => {
  const { ctx, woken } = recordingContext();
  const bad = await acceptEmail(ctx, workspace);
  const good = await acceptEmail(ctx, await aWorkspace());
  await database.run("UPDATE outbox SET ref = 'null' WHERE id = ?1", [bad]);
  await deliver(ctx, woken, acceptingEgress);
  expect(await statusOf(good)).toBe("delivered");
  expect(await database.rows("SELECT id FROM outbox")).toEqual([]);
});

it("a row whose work fails for an unknown reason keeps no other of its claim from being done", async () => {
  const { ctx } = recordingContext();
  const now = Date.now();
  const rows = ["p", "a", "b", "c"].map((id) => ({ id, dueAt: now, kind: "segment" as const }));
  for (const { id } of rows)
    await database.run("INSERT INTO outbox (id, due_at, kind, ref) VALUES (?1, ?2, 'segment', '[]')", [id, now]);
  for (let round = 0; round < 3; round++) {
    const later = { ...ctx, now: () => now + round * 130_000 };
    const work = async (claimed: readonly { id: string }[]) => {
      if (claimed.some(({ id }) => id === "p")) throw new Error("D1_ERROR: Exceeded maximum DB size");
      return claimed.map(({ id }) => id);
    };
    await consumeTogether(later, rows, work).catch(() => {});
  }
  expect(await database.rows("SELECT id FROM outbox")).toEqual([{ id: "p" }]);
});

it("an erasure deletes the events of a person also where they were set aside", async () => {
  const ref = JSON.stringify({ workspace: workspace.workspaceNumber, email: "ada@example.org", at: 1, events: [] });
  const insert = `INSERT INTO quarantine (id, due_at, kind, ref, claims, workspace, error, set_aside_at)
     VALUES (?1, 1, 'events', ?2, 1, 0, '', 1)`;
  await env.DB.prepare(insert).bind(crypto.randomUUID(), ref).run();
  await deleteWaitingEvents(testContext(), workspace.workspaceNumber, "ada@example.org");
  const left = await env.DB.prepare("SELECT ref FROM quarantine WHERE ref = ?1").bind(ref).all();
  expect(left.results).toEqual([]);
});
