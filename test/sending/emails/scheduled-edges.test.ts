import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { WakeUp } from "../../../src/platform/context.ts";
import { sweep } from "../../../src/platform/outbox/sweep.ts";
import type { OutboxMessage } from "../../../src/platform/outbox/wake.ts";
import { deliver, egressOf } from "../../../src/sending/delivery/index.ts";
import { countingDb, planOf } from "../../support/counting-db.ts";
import { database, MAIL_BINDING, mail } from "../../support/databases.ts";
import { isoIn as at, eventTypes, readEmail, scheduleEmail } from "../../support/emails.ts";
import { byExtent } from "../../support/extent.ts";
import { nextPath } from "../../support/next-path.ts";
import { emptyOutbox } from "../../support/outbox.ts";
import { run } from "../../support/sending.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import {
  aKey,
  aMail,
  apiOn,
  apiWith,
  aWorkspace,
  discardingQueue,
  perTest,
  recordingContext,
} from "../../support/workspace.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const workspace = perTest(aWorkspace);
const apiWithoutQueue = perTest(() => workspace.withoutQueue);

beforeEach(async () => {
  await emptyOutbox();
});

const schedule = (inMs = HOUR, changes: Record<string, unknown> = {}) =>
  scheduleEmail(apiWithoutQueue, workspace, inMs, changes);
const detail = (id: string) => readEmail(workspace, id);
const eventsOf = (id: string) => eventTypes(workspace, id);
const dueOf = async (id: string) =>
  await database.rows<{ due_at: number }>("SELECT due_at FROM outbox WHERE id = ?1", [id]);
const changesOf = async () =>
  (
    await database.row<{ n: number }>("SELECT count(*) AS n FROM changes WHERE workspace = ?1", [
      workspace.workspaceNumber,
    ])
  )?.n ?? 0;

type Api = ReturnType<typeof apiOn>;
const changesByName = {
  cancel: (api: Api, id: string) => api.call("DELETE", `/v1/emails/scheduled/${id}`),
  "send-now": (api: Api, id: string) => api.call("POST", `/v1/emails/scheduled/${id}/send-now`),
  reschedule: (api: Api, id: string) => api.call("PATCH", `/v1/emails/scheduled/${id}`, { send_at: at(2 * HOUR) }),
};

/** Returns a database whose first batches fail, before they run or after they commit. */
function failing(times: number, moment: "before" | "after") {
  let failed = 0;
  return {
    prepare: (sql: string) => mail.prepare(sql),
    async batch(statements: D1PreparedStatement[]) {
      const isFailing = failed < times;
      failed += 1;
      if (isFailing && moment === "before") throw new Error("the database did not respond");
      const results = await mail.batch(statements);
      if (isFailing) throw new Error("the response was lost");
      return results;
    },
  };
}

describe("a change of a scheduled email when the database fails", () => {
  for (const [name, call] of Object.entries(changesByName)) {
    for (const moment of ["before", "after"] as const) {
      it(`${name} returns 200 and writes one event and one change row when the database fails ${moment} the commit`, async () => {
        const id = await schedule();
        const changes = await changesOf();
        const response = await call(
          apiOn({ [MAIL_BINDING]: failing(2, moment), WORK: discardingQueue }, workspace.apiKey),
          id,
        );
        expect(response.status).toBe(200);
        expect(await eventsOf(id)).toHaveLength(2);
        expect(await changesOf()).toBe(changes + 1);
      });
    }

    it(`${name} returns 500 and writes nothing when the batch never commits`, async () => {
      const id = await schedule();
      const before = [await detail(id), await dueOf(id), await changesOf()];
      const response = await call(
        apiOn({ [MAIL_BINDING]: failing(9, "before"), WORK: discardingQueue }, workspace.apiKey),
        id,
      );
      expect(response.status).toBe(500);
      expect([await detail(id), await dueOf(id), await changesOf()]).toEqual(before);
    });

    it(`${name} does not change an email that shares an outbox row`, async () => {
      const id = await schedule();
      await run("UPDATE emails SET outbox_id = ?2 WHERE id = ?1", id, crypto.randomUUID());
      const before = await dueOf(id);
      expect((await call(apiWithoutQueue, id)).status).toBe(404);
      expect([await dueOf(id), await eventsOf(id)]).toEqual([before, ["scheduled"]]);
    });

    it(`${name} takes one write, at most two reads before it, and scans no table`, async () => {
      const id = await schedule();
      const { bindings, trips } = countingDb();
      expect((await call(apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey), id)).status).toBe(200);
      const isWrite = ({ statements }: (typeof trips)[number]) => /^\s*(UPDATE|DELETE)/.test(statements[0]?.sql ?? "");
      // The first trip reads the credential; reschedule reads the email after the write, for its response.
      expect(trips.slice(1).filter(isWrite)).toHaveLength(1);
      expect(trips.slice(1).filter((trip) => !isWrite(trip)).length).toBeLessThanOrEqual(2);
      for (const statement of trips.slice(1).flatMap(({ statements }) => statements)) {
        const plan = await planOf(statement);
        expect(plan.filter((line) => /SCAN (?!json_each|v |j VIRTUAL TABLE|CONSTANT)/.test(line))).toEqual([]);
      }
    });
  }
});

describe("GET /v1/emails/scheduled", () => {
  it("reads its index in order, and no more rows than it returns", async () => {
    for (let i = 0; i < 6; i++) await schedule(HOUR + i * 1000);
    for (let i = 0; i < 30; i++) await apiWithoutQueue.post("/v1/emails/", aMail(workspace));
    const { bindings, trips } = countingDb();
    const list = await (await apiOn(bindings, workspace.apiKey).get("/v1/emails/scheduled?limit=3")).json<unknown[]>();
    expect(list).toHaveLength(3);
    const statement = trips.at(-1)?.statements[0];
    if (!statement) throw new Error("nothing was asked");
    const plan = (await planOf(statement)).join("\n");
    expect(plan).toContain("USING INDEX emails_scheduled");
    expect(plan).not.toMatch(/TEMP B-TREE|SCAN/);
  });

  it("returns every scheduled email up to 10,000, soonest first, and a Link header beyond", async () => {
    await insertScheduled(10_600);
    const page = async (path: string) => {
      const response = await workspace.get(path);
      const emails = await response.json<{ id: string; scheduled_at: string }[]>();
      return { emails, next: nextPath(response) };
    };
    const first = await page("/v1/emails/scheduled");
    expect(first.emails).toHaveLength(10_000);
    const second = await page(first.next ?? "");
    expect([second.emails.length, second.next]).toEqual([600, null]);
    const all = [...first.emails, ...second.emails];
    expect(new Set(all.map(({ id }) => id)).size).toBe(10_600);
    expect(all.map(({ scheduled_at }) => scheduled_at)).toEqual(all.map(({ scheduled_at }) => scheduled_at).toSorted());
    expect(await page("/v1/emails/scheduled?limit=10000&page=2")).toEqual({ emails: [], next: null });
  });

  it("ends a page of long records early, with a Link header to the rest", async () => {
    await insertScheduled(2_500);
    const entry = (i: number) => ({
      kind: "to",
      email: `${"a".repeat(64)}${i}@${"b".repeat(180)}.example`,
      state: "queued",
    });
    await run(
      "UPDATE emails SET recipients = ?2 WHERE workspace = ?1",
      workspace.workspaceNumber,
      JSON.stringify(Array.from({ length: 50 }, (_, i) => entry(i))),
    );
    const sizes: number[] = [];
    const seen = new Set<string>();
    for (let path: string | null = "/v1/emails/scheduled"; path !== null; ) {
      const response: Response = await workspace.get(path);
      const text = await response.text();
      expect(text.length).toBeLessThan(17_000_000);
      const emails = JSON.parse(text) as { id: string }[];
      for (const { id } of emails) seen.add(id);
      sizes.push(emails.length);
      path = nextPath(response);
    }
    expect([sizes.length, seen.size]).toEqual([3, 2_500]);
  });

  it("pages by Link through emails of one time without gaps or duplicates, in any letter case of the cursor", async () => {
    await insertScheduled(25, "1000");
    const seen: string[] = [];
    for (let path: string | null = "/v1/emails/scheduled?limit=10"; path !== null; ) {
      const response: Response = await workspace.get(path);
      seen.push(...(await response.json<{ id: string }[]>()).map(({ id }) => id));
      path = nextPath(response)?.replace(/after=.*/, (cursor) => `after=${cursor.slice(6).toUpperCase()}`) ?? null;
    }
    expect([seen.length, new Set(seen).size]).toEqual([25, 25]);
  });

  it("shows a key restricted to domains its own emails only, each once", async () => {
    await insertScheduled(30);
    const own = await schedule();
    await run(
      "UPDATE emails SET domain_id = 'another' WHERE workspace = ?1 AND id <> ?2",
      workspace.workspaceNumber,
      own,
    );
    const api = apiWith(await aKey(workspace, { domainIds: [workspace.domainId] }));
    const seen: string[] = [];
    for (let path: string | null = "/v1/emails/scheduled?limit=10"; path !== null; ) {
      const response: Response = await api.get(path);
      seen.push(...(await response.json<{ id: string }[]>()).map(({ id }) => id));
      path = nextPath(response);
    }
    expect(seen).toEqual([own]);
  });

  it("returns as many as `limit` asks for; an invalid page, limit or cursor is a 422", async () => {
    await insertScheduled(501);
    const list = async (query: string) =>
      (await workspace.get(`/v1/emails/scheduled${query}`)).json<{ id: string; seconds_until_send: number }[]>();
    const [first, most, rest] = [await list("?limit=100"), await list("?limit=500"), await list("?limit=500&page=1")];
    expect([first.length, most.length, rest.length]).toEqual([100, 500, 1]);
    expect(new Set([...most, ...rest].map(({ id }) => id)).size).toBe(501);
    // seconds_until_send of a past time is 0, not negative.
    expect(new Set(most.map(({ seconds_until_send }) => seconds_until_send))).toEqual(new Set([0]));
    for (const bad of [
      "?limit=0",
      "?limit=10001",
      "?limit=0x5",
      "?page=-1",
      "?page=x",
      "?limit=500&page=201",
      "?after=",
      "?after=1",
      `?after=1.${crypto.randomUUID()}%00`,
    ])
      expect((await workspace.get(`/v1/emails/scheduled${bad}`)).status, bad).toBe(422);
    expect(await list(`?after=0.${crypto.randomUUID()}&limit=1`)).toEqual(await list("?limit=1"));
  });

  /** Inserts scheduled emails of this workspace; `at` is SQL for their times, `key` the index. */
  const insertScheduled = (count: number, at = "1000 * (key % 7000)") =>
    run(
      `INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, from_email, message_id, subject,
         recipients, events, content_offset, content_size, created_at, scheduled_at)
       SELECT ?1, value, 'scheduled', 'api', ?2, ?3, 'a@example.org', '<x@y>', 's', '[]', '[]', 0, 0, 1, ${at}
         FROM json_each(?4)`,
      ...[workspace.workspaceNumber, workspace.domainId, workspace.mailboxId],
      JSON.stringify(Array.from({ length: count }, () => crypto.randomUUID())),
    );
});

describe("a scheduled email", () => {
  it("has an event for each new send time", async () => {
    const id = await schedule();
    const times = [at(2 * HOUR), at(3 * HOUR)];
    for (const send_at of times)
      expect((await apiWithoutQueue.call("PATCH", `/v1/emails/scheduled/${id}`, { send_at })).status).toBe(200);
    const events = (await detail(id)).events.slice(1);
    expect(events.map(({ event_type, metadata }) => [event_type, metadata])).toEqual(
      times.map((scheduled_at) => ["scheduled", { scheduled_at }]),
    );
  });

  it("cannot be sent now by a restricted account", async () => {
    const id = await schedule();
    await run("UPDATE users SET restricted_at = 1 WHERE id = ?1", workspace.userId);
    const response = await changesByName["send-now"](apiWithoutQueue, id);
    expect([response.status, await eventsOf(id)]).toEqual([403, ["scheduled"]]);
  });

  it("is not sent now when the sender rule no longer holds: 422, and it stays scheduled", async () => {
    const id = await schedule();
    const breaks = [
      ["UPDATE mailboxes SET is_active = 0 WHERE id = ?1", "UPDATE mailboxes SET is_active = 1 WHERE id = ?1"],
      [
        "UPDATE mailboxes SET local_part = '*' WHERE id = ?1",
        "UPDATE mailboxes SET local_part = 'hello' WHERE id = ?1",
      ],
    ] as const;
    for (const [breakRule, restore] of breaks) {
      await run(breakRule, workspace.mailboxId);
      const response = await changesByName["send-now"](apiWithoutQueue, id);
      expect(response.status, breakRule).toBe(422);
      expect(await response.json()).toMatchObject({ detail: [{ loc: ["body", "from_", "email"] }] });
      await run(restore, workspace.mailboxId);
    }
    await run("UPDATE domains SET status = 'failed' WHERE id = ?1", workspace.domainId);
    expect((await changesByName["send-now"](apiWithoutQueue, id)).status).toBe(422);
    await run("UPDATE domains SET status = 'verified' WHERE id = ?1", workspace.domainId);
    expect(await eventsOf(id)).toEqual(["scheduled"]);
    expect((await changesByName["send-now"](apiWithoutQueue, id)).status).toBe(200);
  });

  it("fails at dispatch when its sender is deleted after send-now", async () => {
    const id = await schedule();
    expect((await changesByName["send-now"](apiWithoutQueue, id)).status).toBe(200);
    await run("UPDATE mailboxes SET is_active = 0 WHERE id = ?1", workspace.mailboxId);
    const server = await sinkServer();
    const { ctx } = recordingContext({ EGRESS_URL: server.url });
    for (const { due_at: dueAt } of await dueOf(id))
      await deliver(ctx, [{ dueAt, id, kind: "deliver" }], egressOf(ctx.settings));
    expect([(await detail(id)).status, (await server.counters()).messages]).toEqual(["failed", 0]);
    await server.close();
  });

  it("is dispatched once after send-now, not again at its old time", async () => {
    const id = await schedule();
    const [{ due_at: before = 0 } = {}] = await dueOf(id);
    const woken: WakeUp[] = [];
    const WORK = {
      async sendBatch(messages: MessageSendRequest<OutboxMessage>[]) {
        for (const { body, delaySeconds } of messages) {
          expect(delaySeconds).toBeUndefined();
          woken.push(...body.rows);
        }
      },
    };
    expect((await changesByName["send-now"](apiOn({ WORK }, workspace.apiKey), id)).status).toBe(200);
    const [{ due_at: dueAt = 0 } = {}] = await dueOf(id);
    expect(woken).toEqual([{ dueAt, id, kind: "deliver" }]);
    const server = await sinkServer();
    const { ctx } = recordingContext({ EGRESS_URL: server.url });
    for (const due of [before, dueAt, dueAt, before])
      await deliver(ctx, [{ dueAt: due, id, kind: "deliver" }], egressOf(ctx.settings));
    expect([(await detail(id)).status, (await server.counters()).accepted]).toEqual(["delivered", 1]);
    await server.close();
  });
});

describe("a due email", () => {
  it("is sent at its time or up to 60 seconds later, for any clock minute and lost queue messages", async () => {
    const server = await sinkServer({ countOnly: true });
    const phase = fc.record({ offset: fc.nat({ max: MINUTE - 1 }), isLost: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(phase, async ({ offset, isLost }) => {
        const id = await schedule();
        const [{ due_at: due = 0 } = {}] = await dueOf(id);
        let now = due - 2 * MINUTE + offset;
        const { ctx } = recordingContext({ EGRESS_URL: server.url }, () => now);
        const left = await firstLeft(id, due, isLost);
        expect(left - due).toBeGreaterThanOrEqual(0);
        expect(left - due).toBeLessThanOrEqual(MINUTE);
        expect((await server.counters()).accepted).toBe(++sent);

        /** Runs the sweep each minute and delivers messages after their delay. Returns the time when the email was sent. */
        async function firstLeft(email: string, dueAt: number, mayLose: boolean): Promise<number> {
          const start = now;
          for (let tick = 0; tick < 4; tick++) {
            now = start + tick * MINUTE;
            const messages: { from: number; row: WakeUp }[] = [];
            const wake = async (rows: readonly WakeUp[], delay = 0) => {
              const mine = rows.filter((row) => row.id === email);
              // Drops the delayed message; the next sweep finds the row due.
              if (!(mayLose && now < dueAt)) messages.push(...mine.map((row) => ({ from: now + delay * 1000, row })));
              return true;
            };
            await sweep({ ...ctx, wake });
            for (const { from, row } of messages) {
              now = from;
              await deliver(ctx, [row], egressOf(ctx.settings));
              if ((await detail(email)).status === "delivered") return now;
            }
          }
          throw new Error("it never left");
        }
      }),
      {
        numRuns: byExtent({ quick: 4, full: 8, long: 200 }),
        examples: [[{ offset: 0, isLost: true }], [{ offset: MINUTE - 1, isLost: true }]],
      },
    );
    await server.close();
  });
  let sent = 0;
});
