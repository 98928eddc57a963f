/** One SMTP transaction per email and recipient, under repeated and concurrent deliveries (safety R3). */
import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  ConnectError,
  type Connection,
  type Envelope,
  type OutgoingMessage,
  type TransactionResult,
} from "../../../src/mail/smtp/transport.ts";
import type { MailCtx, WakeUp } from "../../../src/platform/context.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { onShard } from "../../../src/platform/jobs/shards.ts";
import { LEASE_MS } from "../../../src/platform/outbox/rules.ts";
import { sweep } from "../../../src/platform/outbox/sweep.ts";
import type { OutboxMessage } from "../../../src/platform/outbox/wake.ts";
import { consume } from "../../../src/queue.ts";
import { deliver, type Egress, egressOf } from "../../../src/sending/delivery/index.ts";
import { readEvents } from "../../../src/sending/emails/timeline/index.ts";
import { ACCEPTED, CAPABILITIES } from "../../support/accepting-egress.ts";
import { database, FILE_SHARD, mail } from "../../support/databases.ts";
import { ManualQueue, seeded, shuffled } from "../../support/failures.ts";
import { scriptedServer, sinkServer } from "../../support/smtp-control.ts";
import { aMail, apiOn, aWorkspace, type TestWorkspace, until } from "../../support/workspace.ts";

const seed = Math.floor(Math.random() * 1e9);
const FILE = { filename: "file.txt", content_base64: btoa("A file") };

/** Sends `count` emails to two recipients each from a new workspace; nothing is delivered. */
async function accepted(count: number) {
  const workspace = await aWorkspace();
  const queue = new ManualQueue<OutboxMessage>();
  const api = apiOn({ WORK: queue }, workspace.apiKey);
  for (let n = 0; n < count; n++) {
    const to = [{ email: `a${n}@one.test` }, { email: `b${n}@two.test` }];
    expect((await api.post("/v1/emails/", aMail(workspace, { to, attachments: [FILE] }))).status).toBe(202);
  }
  const bodies = queue.take();
  return { workspace, bodies, rows: bodies.flatMap((body) => body.rows) };
}

/** Moves all emails of a workspace to one outbox row, as a batch has. */
async function onOneRow(workspace: TestWorkspace, claims = 0): Promise<WakeUp> {
  const row: WakeUp = { dueAt: Date.now(), id: crypto.randomUUID(), kind: "deliver" };
  const all = "SELECT id FROM emails WHERE workspace = ?1";
  await mail.batch([
    database.prepare(`DELETE FROM outbox WHERE id IN (${all})`).bind(workspace.workspaceNumber),
    database
      .prepare(
        `INSERT INTO outbox (due_at, id, kind, ref, claims)
       SELECT ?2, ?3, 'deliver', json_group_array(n), ?4 FROM emails WHERE workspace = ?1`,
      )
      .bind(workspace.workspaceNumber, row.dueAt, row.id, claims),
    database
      .prepare("UPDATE emails SET outbox_id = ?3, due_at = ?2 WHERE workspace = ?1")
      .bind(workspace.workspaceNumber, row.dueAt, row.id),
  ]);
  return row;
}

interface Row {
  id: string;
  status: string;
  events: { id: string; type: string; metadata?: Record<string, unknown> }[];
}

async function emailsOf({ workspaceNumber }: TestWorkspace): Promise<Row[]> {
  const results = await database.rows<Omit<Row, "events"> & { events: string; recipients: string; createdAt: number }>(
    "SELECT id, status, events, recipients, created_at AS createdAt FROM emails WHERE workspace = ?1 ORDER BY n",
    [workspaceNumber],
  );
  return results.map((row) => {
    const email = { ...row, recipients: JSON.parse(row.recipients) };
    return { ...row, events: readEvents(JSON.parse(row.events), email) };
  });
}

async function outbox(): Promise<unknown[]> {
  return await database.rows("SELECT * FROM outbox");
}

/** Sums of the workspace's roll-ups. */
async function rollupCounts({ workspaceNumber }: TestWorkspace) {
  return database.row(
    "SELECT sum(emails_sent) AS sent, sum(emails_delivered) AS delivered FROM rollups_hourly WHERE workspace = ?1",
    [workspaceNumber],
  );
}

/** Returns a context with the test's clock, and the list of its wake-ups. */
function contextAt(now: () => number, bindings: Record<string, unknown> = {}) {
  const woken: WakeUp[] = [];
  const ctx: MailCtx = {
    ...onShard(createContext({ ...env, ...bindings } as Env, "test", now), FILE_SHARD),
    wake: async (rows, delay = 0) => {
      if (delay === 0) woken.push(...rows);
      return true;
    },
  };
  return { ctx, woken };
}

/** An egress without a network. While it is paused, transactions start and get no reply. */
class PausableEgress implements Egress {
  readonly relay = "pausable.test";
  readonly dsn = false;
  readonly connections: number;
  /** Ids of the emails whose transaction started, in order. */
  readonly started: string[] = [];
  readonly #pausedResult = Promise.withResolvers<TransactionResult["recipients"][number] | null>();
  #paused: boolean;

  constructor(connections: number, paused = false) {
    this.connections = connections;
    this.#paused = paused;
  }

  readonly transport = { open: async () => this.#connection() };

  /** Ends the pause. `result`: the result of the paused transactions, whose connections break; by default they succeed. */
  resume(result: TransactionResult["recipients"][number] | null = null): void {
    this.#paused = false;
    this.#pausedResult.resolve(result);
  }

  #connection(): Connection {
    let usable = true;
    return {
      capabilities: CAPABILITIES,
      get usable() {
        return usable;
      },
      send: async (envelope: Envelope, message: OutgoingMessage) => {
        this.started.push(await emailIdOf(message));
        const result = this.#paused ? await this.#pausedResult.promise : null;
        if (result) usable = false;
        return { recipients: envelope.recipients.map(() => result ?? ACCEPTED) };
      },
      close: async () => {},
    };
  }
}

async function emailIdOf(message: OutgoingMessage): Promise<string> {
  let text = "";
  for await (const chunk of message.chunks()) text += new TextDecoder().decode(chunk);
  return emailIdIn(text);
}

const emailIdIn = (text: string) => /^Message-ID: <([^@]+)@/im.exec(text)?.[1] ?? "";

/** Waits until `count` transactions have started. */
async function waitUntilStarted(egress: PausableEgress, count: number): Promise<void> {
  await until(
    async () => egress.started.length,
    (started) => started >= count,
  );
}

describe(`queue messages (seed ${seed})`, () => {
  it("consumed three times, out of order and by ten consumers concurrently: one transaction per recipient, no duplicate event", async () => {
    const random = seeded(seed);
    const { workspace, bodies } = await accepted(40);
    const sink = await sinkServer();
    const bindings = { ...env, EGRESS_URL: sink.url } as Env;
    const consumer = async (mine: OutboxMessage[]) => {
      while (mine.length > 0) {
        const messages = mine
          .splice(0, 1 + Math.floor(random() * 20))
          .map((body) => ({ id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body }));
        await consume(createMessageBatch("work", messages), bindings);
      }
    };
    const thrice = [...bodies, ...bodies, ...bodies];
    await Promise.all(Array.from({ length: 10 }, () => consumer(shuffled(thrice, random))));
    const emails = await emailsOf(workspace);
    for (const { status, events } of emails) {
      expect(status).toBe("delivered");
      expect(events.map(({ type, metadata }) => [type, metadata?.recipient ?? null])).toEqual([
        ["queued", null],
        ["delivered", expect.stringMatching(/^a\d+@one\.test$/)],
        ["delivered", expect.stringMatching(/^b\d+@two\.test$/)],
      ]);
    }
    const messages = await sink.messages();
    expect(messages.map(({ raw }) => emailIdIn(new TextDecoder().decode(raw))).sort()).toEqual(
      emails.flatMap(({ id }) => [id, id]).sort(),
    );
    expect(new Set(messages.flatMap(({ rcpts }) => rcpts)).size).toBe(80);
    expect(await rollupCounts(workspace)).toEqual({ sent: 40, delivered: 40 });
    expect(await outbox()).toEqual([]);
  });
});

describe("two concurrent runs on one outbox", () => {
  it("a run whose lease ended starts no email; the outcomes of both runs are written and counted once", async () => {
    let now = Date.now();
    const { workspace, rows } = await accepted(40);
    const slow = new PausableEgress(4, true);
    const first = contextAt(() => now);
    const slowRun = deliver(first.ctx, rows, slow);
    await waitUntilStarted(slow, 12);
    now += LEASE_MS + 1;
    const fast = new PausableEgress(4);
    const second = contextAt(() => now);
    await sweep(second.ctx);
    await deliver(second.ctx, second.woken, fast);
    expect([...fast.started].sort()).toEqual((await emailsOf(workspace)).flatMap(({ id }) => [id, id]).sort());
    slow.resume();
    await slowRun;
    expect(slow.started).toHaveLength(12);
    for (const { id, status, events } of await emailsOf(workspace)) {
      expect(status).toBe("delivered");
      const by = events.filter(({ type }) => type === "delivered").map(({ metadata }) => metadata?.possible_duplicate);
      // The transaction of its first recipient had started; that of the second does not.
      expect(by).toEqual(slow.started.includes(id) ? [true, true, undefined] : [true, true]);
      expect(events.filter(({ type }) => type === "deferred")).toEqual([]);
      expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
    }
    expect(await rollupCounts(workspace)).toEqual({ sent: 40, delivered: 40 });
    expect(await outbox()).toEqual([]);
  });

  it("a run detects a lost lease at its first flush: at most 20 duplicates, each with possible_duplicate", async () => {
    const now = Date.now();
    const { workspace, rows } = await accepted(60);
    const slow = new PausableEgress(4, true);
    const slowRun = deliver(contextAt(() => now).ctx, rows, slow);
    await waitUntilStarted(slow, 12);
    const second = contextAt(() => now + LEASE_MS + 1);
    await sweep(second.ctx);
    await deliver(second.ctx, second.woken, new PausableEgress(4));
    slow.resume();
    await slowRun;
    expect(new Set(slow.started).size).toBeLessThanOrEqual(20);
    for (const { status, events } of await emailsOf(workspace)) {
      expect(status).toBe("delivered");
      expect(events.filter(({ metadata }) => metadata?.possible_duplicate)).toHaveLength(2);
    }
    expect(await rollupCounts(workspace)).toEqual({ sent: 60, delivered: 60 });
    expect(await outbox()).toEqual([]);
  });

  it("a run whose lease ended does not retry an email on a new connection", async () => {
    let now = Date.now();
    const { workspace, rows } = await accepted(2);
    const slow = new PausableEgress(1, true);
    const slowRun = deliver(contextAt(() => now).ctx, rows, slow);
    await waitUntilStarted(slow, 2);
    now += LEASE_MS + 1;
    const second = contextAt(() => now);
    await sweep(second.ctx);
    await deliver(second.ctx, second.woken, new PausableEgress(1));
    slow.resume({ kind: "deferred", phase: "mail", reply: null, reason: "the connection was closed" });
    await slowRun;
    expect(slow.started).toHaveLength(2);
    expect((await emailsOf(workspace)).map(({ status }) => status)).toEqual(["delivered", "delivered"]);
    expect(await outbox()).toEqual([]);
  });
});

describe("one outbox row of several emails", () => {
  it("a run interrupted after 33 of 80 recipients: the next run sends the rest, each once", async () => {
    let now = Date.now();
    const { workspace } = await accepted(40);
    const row = await onOneRow(workspace);
    const transactions = [...Array.from({ length: 33 }, () => ({})), { data: { silent: true } as const }];
    const [breaking, working] = [await scriptedServer({ transactions }), await sinkServer()];
    const first = contextAt(() => now);
    const ended = deliver(
      first.ctx,
      [row],
      egressOf({ ...first.ctx.settings, egressUrl: `${breaking.url}&connections=1` }),
    );
    const delivered = async () =>
      (await emailsOf(workspace)).flatMap(({ events }) => events).filter(({ type }) => type === "delivered").length;
    await until(delivered, (count) => count === 33);
    now += LEASE_MS + 1;
    const second = contextAt(() => now);
    await sweep(second.ctx);
    expect(second.woken.map(({ id }) => id)).toEqual([row.id]);
    await deliver(second.ctx, second.woken, egressOf({ ...second.ctx.settings, egressUrl: working.url }));
    const messages = [...(await breaking.messages()), ...(await working.messages())];
    await breaking.close();
    await ended;
    const emails = await emailsOf(workspace);
    expect(emails.map(({ status }) => status)).toEqual(emails.map(() => "delivered"));
    const ids = messages.map(({ raw }) => emailIdIn(new TextDecoder().decode(raw)));
    expect(ids.sort()).toEqual(emails.flatMap(({ id }) => [id, id]).sort());
    expect(new Set(messages.flatMap(({ rcpts }) => rcpts)).size).toBe(80);
    expect(await outbox()).toEqual([]);
  });
});

interface InterruptedCase {
  what: string;
  /** Prepares three emails of an interrupted run; returns the bindings and the egress of the next run. */
  arrange(workspace: TestWorkspace): Promise<{ bindings?: Record<string, unknown>; egress: Egress }>;
}

const interruptedCases: InterruptedCase[] = [
  {
    what: "its row of several emails was split",
    async arrange(workspace) {
      await onOneRow(workspace, 2);
      return { egress: new PausableEgress(1) };
    },
  },
  {
    what: "a pause of the workspace",
    async arrange({ workspaceNumber }) {
      await database.run("UPDATE workspaces SET sending_paused_at = 1 WHERE number = ?1", [workspaceNumber]);
      return { egress: new PausableEgress(1) };
    },
  },
  {
    what: "its content could not be read",
    async arrange() {
      const get = () => Promise.reject(new Error("R2 is unavailable"));
      return { bindings: { CONTENT: { get } }, egress: new PausableEgress(1) };
    },
  },
  {
    what: "the egress could not be reached",
    async arrange() {
      const open = () => Promise.reject(new ConnectError("connect", null, "refused"));
      return { egress: { relay: "pausable.test", connections: 1, dsn: false, transport: { open } } };
    },
  },
];

describe("an email that an interrupted run may have sent", () => {
  for (const { what, arrange } of interruptedCases) {
    it(`has possible_duplicate in its next outcome, also after ${what}`, async () => {
      const { workspace } = await accepted(3);
      await database.run("UPDATE outbox SET claims = 1");
      const { bindings, egress } = await arrange(workspace);
      let now = Date.now();
      const first = contextAt(() => now, bindings);
      await sweep(first.ctx);
      expect(first.woken).not.toEqual([]);
      await deliver(first.ctx, first.woken, egress);
      await database.run("UPDATE workspaces SET sending_paused_at = NULL");
      now += 15 * 60_000;
      const second = contextAt(() => now);
      await sweep(second.ctx);
      await deliver(second.ctx, second.woken, new PausableEgress(1));
      const emails = await emailsOf(workspace);
      expect(emails.map(({ status }) => status)).toEqual(emails.map(() => "delivered"));
      const announced = emails.map(({ events }) =>
        events.some(({ metadata }) => metadata?.possible_duplicate === true),
      );
      expect(announced).toEqual(emails.map(() => true));
    });
  }
});
