import { describe, expect, it } from "vitest";
import { sweep } from "../../../src/platform/outbox/sweep.ts";
import { runOutboxRows } from "../../../src/run-outbox.ts";
import { database, MAIL_BINDING, mail } from "../../support/databases.ts";
import { isoIn as at, readEmail, scheduleEmail } from "../../support/emails.ts";
import { byExtent } from "../../support/extent.ts";
import { seeded } from "../../support/failures.ts";
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

const schedule = (inMs = HOUR, changes: Record<string, unknown> = {}) =>
  scheduleEmail(apiWithoutQueue, workspace, inMs, changes);
const detail = (id: string) => readEmail(workspace, id);
const cancel = (id: string) => apiWithoutQueue.call("DELETE", `/v1/emails/scheduled/${id}`);
const sendNow = (id: string) => apiWithoutQueue.call("POST", `/v1/emails/scheduled/${id}/send-now`);
const move = (id: string, send_at: unknown) => apiWithoutQueue.call("PATCH", `/v1/emails/scheduled/${id}`, { send_at });
const workOf = async (id: string) =>
  await database.rows<{ due_at: number }>("SELECT due_at FROM outbox WHERE id = ?1", [id]);

/** Runs the sweep at a time; returns the outbox rows of its queue messages with their delays. */
async function wokenAt(now: number): Promise<Map<string, number>> {
  const woken = new Map<string, number>();
  const { ctx } = recordingContext({}, () => now);
  await sweep({
    ...ctx,
    async wake(rows, delay = 0) {
      for (const { id } of rows) woken.set(id, delay);
      return true;
    },
  });
  return woken;
}

describe("GET /v1/emails/scheduled", () => {
  it("lists scheduled emails soonest first, with the seconds until they are sent", async () => {
    const [late, soon] = [await schedule(2 * HOUR, { tags: ["a"] }), await schedule(HOUR)];
    await apiWithoutQueue.post("/v1/emails/", aMail(workspace));
    const list = await (await workspace.get("/v1/emails/scheduled")).json<Record<string, unknown>[]>();
    expect(list.map(({ id }) => id)).toEqual([soon, late]);
    expect(list[1]).toEqual({
      id: late,
      from_address: `Hello <${workspace.mailbox}>`,
      to_addresses: ["friend@example.org"],
      subject: "A subject",
      status: "scheduled",
      tags: ["a"],
      scheduled_at: expect.any(String),
      seconds_until_send: expect.toSatisfy((seconds: number) => seconds > 7190 && seconds <= 7200),
      created_at: expect.any(String),
    });
    expect(await (await workspace.get("/v1/emails/scheduled?limit=1&page=1")).json()).toMatchObject([{ id: late }]);
  });
});

describe("a scheduled email", () => {
  it("is never sent after cancellation, and its outbox row is deleted", async () => {
    const id = await schedule();
    const response = await cancel(id);
    expect([response.status, await response.json()]).toEqual([200, { id, status: "cancelled" }]);
    expect(await workOf(id)).toEqual([]);
    expect((await detail(id)).events.map(({ event_type }) => event_type)).toEqual(["scheduled", "cancelled"]);
    expect((await wokenAt(Date.now() + 2 * HOUR)).has(id)).toBe(false);
  });

  it("is queued and due at once after send-now", async () => {
    const id = await schedule();
    const response = await sendNow(id);
    expect([response.status, await response.json()]).toEqual([200, { id, status: "queued" }]);
    expect((await wokenAt(Date.now())).get(id)).toBe(0);
    expect((await detail(id)).status).toBe("queued");
    expect(await (await workspace.get("/v1/emails/scheduled")).json()).toEqual([]);
  });

  it("is due at its new time after rescheduling", async () => {
    const id = await schedule();
    const to = at(3 * HOUR);
    const response = await move(id, to);
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ id, scheduled_at: to })]);
    expect(await workOf(id)).toEqual([{ due_at: Date.parse(to) }]);
    expect((await detail(id)).scheduled_at).toBe(to);
    expect((await wokenAt(Date.now() + 2 * HOUR)).has(id)).toBe(false);
    expect((await wokenAt(Date.parse(to))).get(id)).toBe(0);
  });

  it("gets a queue message with the right delay in the minute before its time, and not before", async () => {
    const id = await schedule(HOUR);
    const [{ due_at: due = 0 } = {}] = await workOf(id);
    expect((await wokenAt(due - MINUTE - 1)).has(id)).toBe(false);
    expect((await wokenAt(due - MINUTE)).get(id)).toBe(60);
    expect((await wokenAt(due - 12_345)).get(id)).toBe(13);
    expect((await wokenAt(due)).get(id)).toBe(0);
  });

  it("can be rescheduled from 1 minute to 30 days ahead; any other time is a 400 and changes nothing", async () => {
    const id = await schedule();
    const before = await workOf(id);
    const day = 24 * HOUR;
    for (const bad of [
      undefined,
      null,
      7,
      "",
      "tomorrow",
      "2030-01-01T00:00:00",
      at(59_000),
      at(-1),
      at(30 * day + MINUTE),
    ])
      expect((await move(id, bad)).status, String(bad)).toBe(400);
    expect(await workOf(id)).toEqual(before);
    for (const good of [at(MINUTE + 2_000), at(30 * day - MINUTE)])
      expect((await move(id, good)).status, good).toBe(200);
    expect((await apiWithoutQueue.call("PATCH", `/v1/emails/scheduled/${id}`, [])).status).toBe(422);
  });

  it("returns 404 with its status when it is cancelled or queued, and the same 404 when it is unknown or foreign", async () => {
    const cancelled = await schedule();
    await cancel(cancelled);
    const queued = (await apiWithoutQueue.create("/v1/emails/", aMail(workspace))).id;
    const otherTenant = await aWorkspace();
    const foreign = (await otherTenant.create("/v1/emails/", aMail(otherTenant, { send_at: at(HOUR) }))).id;
    const calls = [
      [cancel, "cancelled"],
      [sendNow, "sent now"],
      [(id: string) => move(id, at(HOUR)), "rescheduled"],
    ] as const;
    for (const [call, action] of calls) {
      const respond = async (id: string) => {
        const response = await call(id);
        return `${response.status} ${(await response.json<{ detail: string }>()).detail}`;
      };
      for (const id of [foreign, crypto.randomUUID(), "nonsense"])
        expect(await respond(id)).toBe("404 Email not found");
      for (const [id, status] of [
        [cancelled, "cancelled"],
        [queued, "queued"],
      ] as const)
        expect(await respond(id)).toBe(`404 This email is ${status}; only a scheduled email can be ${action}`);
    }
    expect(await (await otherTenant.get("/v1/emails/scheduled")).json()).toMatchObject([{ id: foreign }]);
  });

  it("is cancelled, sent now and rescheduled by its id in any letter case", async () => {
    const [first, second, third] = [await schedule(), await schedule(), await schedule()];
    expect(await (await cancel(first.toUpperCase())).json()).toEqual({ id: first, status: "cancelled" });
    expect(await (await sendNow(second.toUpperCase())).json()).toEqual({ id: second, status: "queued" });
    expect(await (await move(third.toUpperCase(), at(2 * HOUR))).json()).toMatchObject({ id: third });
  });

  it("is sent now once per Idempotency-Key, whose response is replayed; the key of another request is a 409", async () => {
    const [id, other] = [await schedule(), await schedule()];
    const call = (which: string, key = "k") =>
      apiWithoutQueue.call("POST", `/v1/emails/scheduled/${which}/send-now`, undefined, { "Idempotency-Key": key });
    const responses = await Promise.all(Array.from({ length: 10 }, () => call(id)));
    for (const response of responses) {
      expect([response.status, await response.json()]).toEqual([200, { id, status: "queued" }]);
    }
    expect(responses.filter((response) => response.headers.get("Idempotency-Replayed") !== "true")).toHaveLength(1);
    expect((await detail(id)).events.map(({ event_type }) => event_type)).toEqual(["scheduled", "queued"]);
    expect((await call(other)).status).toBe(409);
    expect((await detail(other)).status).toBe("scheduled");
    expect((await call(id, "another key")).status).toBe(404);
    const both = await Promise.all([await schedule(), await schedule()].map((which) => call(which, "shared")));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it("cannot be sent now from a paused workspace or a restricted account, but can be cancelled", async () => {
    const id = await schedule();
    await run("UPDATE workspaces SET sending_paused_at = 1 WHERE number = ?1", workspace.workspaceNumber);
    expect((await sendNow(id)).status).toBe(403);
    expect((await detail(id)).status).toBe("scheduled");
    expect((await cancel(id)).status).toBe(200);
  });

  it("is a 404 for a key restricted to other domains", async () => {
    const id = await schedule();
    const key = await aKey(workspace, { domainIds: [crypto.randomUUID()] });
    expect((await apiWith(key).call("DELETE", `/v1/emails/scheduled/${id}`)).status).toBe(404);
    expect(await (await apiWith(key).get("/v1/emails/scheduled")).json()).toEqual([]);
  });

  it("is cancelled once when the database fails after its commit", async () => {
    const id = await schedule();
    let isLost = false;
    const failing = {
      prepare: (sql: string) => mail.prepare(sql),
      async batch(statements: D1PreparedStatement[]) {
        const results = await mail.batch(statements);
        if (isLost) return results;
        isLost = true;
        throw new Error("the response was lost");
      },
    };
    expect(
      (
        await apiOn({ [MAIL_BINDING]: failing, WORK: discardingQueue }, workspace.apiKey).call(
          "DELETE",
          `/v1/emails/scheduled/${id}`,
        )
      ).status,
    ).toBe(200);
    expect((await detail(id)).events.filter(({ event_type }) => event_type === "cancelled")).toHaveLength(1);
  });
});

describe("concurrent calls", () => {
  const TRIALS = byExtent({ quick: 15, full: 40, long: 1_000 });

  it(`cancel, send-now, reschedule and release have one winner, in ${TRIALS} trials`, async () => {
    const server = await sinkServer({ countOnly: false });
    const { ctx } = recordingContext({ EGRESS_URL: server.url });
    const random = seeded(7);
    await emptyOutbox();
    const cancelled: string[] = [];
    const others: string[] = [];
    const won = new Map<string, number>();
    for (let trial = 0; trial < TRIALS; trial++) {
      const subject = `trial ${trial}.`;
      const id = await schedule(HOUR, { subject });
      const [{ due_at: due = 0 } = {}] = await workOf(id);
      const released = async () => {
        await runOutboxRows(ctx, [{ dueAt: due, id, kind: "deliver" }]);
        return null;
      };
      const calls = [() => cancel(id), () => sendNow(id), () => move(id, at(2 * HOUR)), released];
      // The release makes one database call, an API call two. A head start lets each win in some trials.
      const received = await Promise.all(
        calls.map(async (call) => {
          await new Promise((resolve) => setTimeout(resolve, 12 * random()));
          return call();
        }),
      );
      const [cancelling, sending, moving] = received.map((respond) => respond?.status);
      for (const status of [cancelling, sending, moving]) expect([200, 404]).toContain(status);
      const email = await detail(id);
      // Each of these ends the status scheduled, so one of them happens; a later call returns 404.
      const ends = email.events.filter(({ event_type }) => event_type === "cancelled" || event_type === "queued");
      const winner = cancelling === 200 ? "cancel" : sending === 200 ? "send-now" : "release";
      expect(ends.map(({ metadata }) => metadata?.send_now === true)).toEqual(
        { cancel: [false], "send-now": [true], release: [false] }[winner],
      );
      expect(cancelling === 200 && sending === 200).toBe(false);
      if (winner === "cancel") expect(email.status).toBe("cancelled");
      // A rescheduled email is still scheduled, unless a cancel or a send-now followed.
      if (moving === 200) expect(winner).not.toBe("release");
      won.set(winner, (won.get(winner) ?? 0) + 1);
      (winner === "cancel" ? cancelled : others).push(subject);
      // Cancels what is still scheduled, so that each trial ends.
      for (const { due_at } of await workOf(id)) await runOutboxRows(ctx, [{ dueAt: due_at, id, kind: "deliver" }]);
      if (winner !== "cancel") expect((await detail(id)).status).toBe("delivered");
    }
    expect(won.size).toBeGreaterThan(1);
    const sent = (await server.messages()).map(
      ({ raw }) => /Subject: (trial \d+\.)/.exec(new TextDecoder().decode(raw))?.[1],
    );
    expect(sent.filter((subject) => cancelled.includes(subject ?? ""))).toEqual([]);
    expect(sent.sort()).toEqual(others.sort());
    await server.close();
  }, 900_000);

  it("of twenty send-now calls one succeeds and one email is sent; of twenty cancels one succeeds", async () => {
    for (const call of [sendNow, cancel]) {
      const id = await schedule();
      const received = await Promise.all(Array.from({ length: 20 }, () => call(id)));
      expect(received.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 404)]);
    }
  });
});
