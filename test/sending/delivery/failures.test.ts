/** Random failures of every binding between POST and the egress; one sweep afterwards must deliver everything (safety R11). */
import { createExecutionContext, createMessageBatch, createScheduledController, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runSchedule } from "../../../src/cron.ts";
import type { OutboxMessage } from "../../../src/platform/outbox/wake.ts";
import { consume } from "../../../src/queue.ts";
import { FILE_SHARD } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { type FailureInjection, failingDatabase, failingObjects, ManualQueue, seeded } from "../../support/failures.ts";
import { type SmtpServerHandle, sinkServer } from "../../support/smtp-control.ts";
import { pathIn } from "../../support/smtp-path.ts";
import { aMail, apiOn, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";

const MAILS = byExtent({ quick: 12, full: 24, long: 200 });
const CHANCES = env.TEST_LONG ? [0.01, 0.05, 0.2] : [0.15];
const SHARDS = [0, 1] as const;
const DATABASES = ["main", "mail_0", "mail_1"] as const;
const seed = Math.floor(Math.random() * 1e9);
const FILE = { filename: "file.txt", content_base64: btoa("A line of the file.\r\n".repeat(500)) };
/** A lease and the first retry wait: after this every outbox row is due. */
const ALL_DUE_MS = 130_000;

beforeEach(async () => {
  // Rows left by a failed test must not affect the next one.
  await Promise.all([env.MAIL_0, env.MAIL_1].map((db) => db.prepare("DELETE FROM outbox").run()));
  // Each failure writes a log line; hundreds of them would hide the test output.
  vi.spyOn(console, "log").mockImplementation(() => {});
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The service on failing bindings, with a queue that the test controls. */
class FailingService {
  readonly injection: FailureInjection;
  readonly queue: ManualQueue<OutboxMessage>;
  readonly sink: SmtpServerHandle;
  /** One on each mail database of the plan. */
  readonly workspaces: readonly TestWorkspace[];
  readonly bindings: Env;

  constructor(injection: FailureInjection, sink: SmtpServerHandle, workspaces: readonly TestWorkspace[]) {
    this.injection = injection;
    this.queue = new ManualQueue(injection);
    this.sink = sink;
    this.workspaces = workspaces;
    const databases = {
      DB: failingDatabase(env.DB, injection, "main"),
      MAIL_0: failingDatabase(env.MAIL_0, injection, "mail_0"),
      MAIL_1: failingDatabase(env.MAIL_1, injection, "mail_1"),
    };
    const CONTENT = failingObjects(env.CONTENT, injection);
    this.bindings = { ...env, ...databases, CONTENT, WORK: this.queue, EGRESS_URL: sink.url } as unknown as Env;
  }

  static async open(injection: Partial<FailureInjection>, shards: readonly number[] = SHARDS): Promise<FailingService> {
    const whole: FailureInjection = {
      random: seeded(seed),
      chance: 0,
      bindings: [],
      moments: ["before"],
      count: 0,
      ...injection,
    };
    const workspaces = await Promise.all(shards.map((mailShard) => aWorkspace({ mailShard })));
    return new FailingService(whole, await sinkServer(), workspaces);
  }

  /** Returns the workspace that sends the nth email: each takes two, with and without an Idempotency-Key, in turn. */
  workspaceOf(n: number): TestWorkspace {
    const workspace = this.workspaces[Math.floor(n / 2) % this.workspaces.length];
    if (!workspace) throw new Error("there is no workspace");
    return workspace;
  }

  /** Consumes queue messages until the queue is empty, each up to four times while it fails. */
  async deliverAll(): Promise<void> {
    for (let bodies = this.queue.take(); bodies.length > 0; bodies = this.queue.take()) {
      for (const body of bodies) {
        for (let attempts = 1; attempts <= 4 && !(await this.#consumeMessage(body, attempts)); attempts++);
      }
    }
  }

  async #consumeMessage(body: OutboxMessage, attempts: number): Promise<boolean> {
    const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts, body };
    const batch = createMessageBatch<OutboxMessage>("work", [message]);
    await consume(batch, this.bindings);
    const { retryMessages } = await getQueueResult(batch, createExecutionContext());
    return retryMessages.length === 0;
  }

  sweep(): Promise<void> {
    return runSchedule(createScheduledController({ cron: "* * * * *", scheduledTime: new Date() }), this.bindings);
  }

  /** Ends the failures, makes everything due and runs one sweep. */
  async recover(): Promise<void> {
    this.injection.chance = 0;
    vi.setSystemTime(Date.now() + ALL_DUE_MS);
    await this.sweep();
    await this.deliverAll();
  }
}

interface Sent {
  subject: string;
  status: number;
  id: string | null;
}

/** Sends emails one by one; every other one has an Idempotency-Key and is repeated until it is accepted. */
async function sendAll(service: FailingService): Promise<{ sent: Sent[]; failures: number }> {
  const sent: Sent[] = [];
  let failures = 0;
  for (let n = 0; n < MAILS; n++) {
    const workspace = service.workspaceOf(n);
    const api = apiOn(service.bindings as unknown as Record<string, unknown>, workspace.apiKey);
    const subject = `Mail ${n}`;
    const to = [{ email: `a${n}@one.test` }, { email: `b${n}@two.test` }];
    // Delivery reads R2 only for attachments, twice: to sign and to send.
    const mail = aMail(workspace, { subject, to, ...(n % 3 === 0 ? { attachments: [FILE] } : {}) });
    const key = n % 2 === 0 ? { "Idempotency-Key": `key-${n}` } : undefined;
    let response = await api.post("/v1/emails/", mail, key);
    for (let again = 0; key && response.status !== 202 && again < 100; again++) {
      expect(response.status).toBe(500);
      failures += 1;
      response = await api.post("/v1/emails/", mail, key);
    }
    if (response.status !== 202) failures += 1;
    const id = response.status === 202 ? (await response.json<{ id: string }>()).id : null;
    sent.push({ subject, status: response.status, id });
  }
  return { sent, failures };
}

interface Row {
  id: string;
  subject: string;
  status: string;
  /** Where the content is: its own object, a packed one, or only the row. */
  place: "object" | "pack" | "row";
  events: { type: string; metadata?: { recipient?: string; possible_duplicate?: boolean; ambiguous?: boolean } }[];
}

const mailOf = ({ mailShard }: TestWorkspace) => (mailShard === 0 ? env.MAIL_0 : env.MAIL_1);

async function rowsOf({ workspaces }: FailingService): Promise<Row[]> {
  return (await Promise.all(workspaces.map(rowsIn))).flat();
}

async function rowsIn(workspace: TestWorkspace): Promise<Row[]> {
  const { results } = await mailOf(workspace)
    .prepare(
      `SELECT id, subject, status, events, CASE WHEN content_key IS NOT NULL THEN 'pack' WHEN content IS NOT NULL THEN 'row'
       ELSE 'object' END AS place FROM emails WHERE workspace = ?1`,
    )
    .bind(workspace.workspaceNumber)
    .all<Omit<Row, "events"> & { events: string }>();
  return results.map((row) => ({ ...row, events: JSON.parse(row.events) as Row["events"] }));
}

/** Counts the messages that each recipient received, by `<email id> <recipient>`. */
async function arrivals({ sink }: FailingService): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { raw, rcpts } of await sink.messages()) {
    const id = /^Message-ID: <([^@]+)@/im.exec(new TextDecoder().decode(raw))?.[1] ?? "";
    for (const rcpt of rcpts) {
      const key = `${id} ${pathIn(rcpt)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

async function objectsOf({ workspaces }: FailingService): Promise<Set<string>> {
  const ids = workspaces.map(async ({ workspaceId }) => {
    const prefix = `w/${workspaceId}/emails/`;
    const { objects } = await env.CONTENT.list({ prefix });
    return objects.map(({ key }) => key.slice(prefix.length));
  });
  return new Set((await Promise.all(ids)).flat());
}

/** Checks every guarantee after the failures ended. Returns how many recipients received an email twice. */
async function expectConsistent(service: FailingService, sent: readonly Sent[], failures: number): Promise<number> {
  const rows = await rowsOf(service);
  const ids = new Set(rows.map(({ id }) => id));
  // Every 2xx has a row, and no request has two.
  expect(sent.filter(({ id }) => id !== null && !ids.has(id))).toEqual([]);
  expect(new Set(rows.map(({ subject }) => subject)).size).toBe(rows.length);
  // Every email is delivered and the outbox is empty.
  expect(rows.filter(({ status }) => status !== "delivered")).toEqual([]);
  for (const db of [env.MAIL_0, env.MAIL_1])
    expect((await db.prepare("SELECT * FROM outbox").all()).results).toEqual([]);
  const arrived = await arrivals(service);
  const expected = rows.flatMap(({ id, subject }) => {
    const n = subject.slice("Mail ".length);
    return [`${id} a${n}@one.test`, `${id} b${n}@two.test`];
  });
  // Exactly the accepted emails arrived.
  expect([...arrived.keys()].sort()).toEqual(expected.sort());
  const duplicates = [...arrived].filter(([, times]) => times > 1).map(([key]) => key);
  expect(duplicates.filter((key) => !isAnnounced(rows, key))).toEqual([]);
  // Each delivery is written once and counted once.
  const delivered = rows.flatMap(({ id, events }) =>
    events.filter(({ type }) => type === "delivered").map(({ metadata }) => `${id} ${metadata?.recipient}`),
  );
  expect([...arrived].filter(([key, times]) => delivered.filter((fact) => fact === key).length > times)).toEqual([]);
  expect(await rollupCounts(service)).toEqual({ sent: rows.length, delivered: rows.length });
  // Every row has its content; only failed requests may leave an object without a row.
  const objects = await objectsOf(service);
  const inObjects = rows.filter(({ place }) => place === "object");
  expect(inObjects.filter(({ id }) => !objects.has(id))).toEqual([]);
  expect(objects.size - inObjects.length).toBeLessThanOrEqual(failures);
  return duplicates.length;
}

/** Sums of the roll-ups of all workspaces. */
async function rollupCounts({ workspaces }: FailingService): Promise<{ sent: number; delivered: number }> {
  const sums = await Promise.all(
    workspaces.map((workspace) =>
      mailOf(workspace)
        .prepare(
          "SELECT sum(emails_sent) AS sent, sum(emails_delivered) AS delivered FROM rollups_hourly WHERE workspace = ?1",
        )
        .bind(workspace.workspaceNumber)
        .first<{ sent: number | null; delivered: number | null }>(),
    ),
  );
  const total = (of: "sent" | "delivered") => sums.reduce((sum, counts) => sum + (counts?.[of] ?? 0), 0);
  return { sent: total("sent"), delivered: total("delivered") };
}

/** Prints the figures of a long run. */
function report(what: string, { injection }: FailingService, sent: readonly Sent[], failures: number): void {
  if (!env.TEST_LONG) return;
  const accepted = sent.filter(({ id }) => id !== null).length;
  console.info(
    `${what}: ${sent.length} emails, ${accepted} accepted, ${failures} refusals, ${injection.count} failures, 0 lost`,
  );
}

function isAnnounced(rows: readonly Row[], key: string): boolean {
  const [id, recipient] = key.split(" ");
  const events = rows.find((row) => row.id === id)?.events ?? [];
  // An event announces a possible duplicate.
  return events.some(
    ({ metadata }) => metadata?.recipient === recipient && (metadata?.possible_duplicate || metadata?.ambiguous),
  );
}

const everywhere = [...DATABASES, "queue", "objects"] as const;
const BOTH = ["before", "after"] as const;
const plans: [string, Pick<FailureInjection, "bindings" | "moments">][] = [
  ["every database, before it commits", { bindings: DATABASES, moments: ["before"] }],
  ["every database, after it has committed", { bindings: DATABASES, moments: ["after"] }],
  ["the main database", { bindings: ["main"], moments: BOTH }],
  ["one mail database", { bindings: ["mail_0"], moments: BOTH }],
  ["the other mail database", { bindings: ["mail_1"], moments: BOTH }],
  ["both mail databases", { bindings: ["mail_0", "mail_1"], moments: BOTH }],
  ["the queue", { bindings: ["queue"], moments: BOTH }],
  ["the object store", { bindings: ["objects"], moments: BOTH }],
  ["everything", { bindings: everywhere, moments: BOTH }],
];

describe(`failures between POST and the egress (seed ${seed})`, { timeout: env.TEST_LONG ? 600_000 : 60_000 }, () => {
  for (const [what, plan] of plans) {
    for (const chance of CHANCES) {
      it(`${what} fails in ${chance * 100} % of calls: after one sweep every accepted email is delivered`, async () => {
        const service = await FailingService.open({ ...plan, chance });
        const { sent, failures } = await sendAll(service);
        // A failing queue delays mail but never fails a request.
        if (what === "the queue") expect(failures).toBe(0);
        await service.deliverAll();
        await service.sweep().catch(() => {});
        await service.deliverAll();
        await service.recover();
        await expectConsistent(service, sent, failures);
        report(`${what} at ${chance * 100} %`, service, sent, failures);
      });
    }
  }

  for (const moment of ["before", "after"] as const) {
    it(`one database call fails ${moment} it runs: the email is accepted and stored, or refused and not stored`, async () => {
      const service = await FailingService.open({ bindings: DATABASES, moments: [moment], chance: 0.5 }, [FILE_SHARD]);
      const workspace = service.workspaceOf(0);
      const api = apiOn(service.bindings as unknown as Record<string, unknown>, workspace.apiKey);
      for (let failing = 0, hit = true; hit; failing++) {
        let calls = 0;
        service.injection.count = 0;
        service.injection.random = () => (calls++ === failing ? 0 : 0.99);
        const subject = `Mail ${failing}`;
        const { status } = await api.post("/v1/emails/", aMail(workspace, { subject }));
        const rows = (await rowsOf(service)).filter((row) => row.subject === subject).length;
        expect([status, rows], `call ${failing}`).toEqual(status === 202 ? [202, 1] : [500, 0]);
        hit = service.injection.count > 0;
      }
      expect((await rowsOf(service)).length).toBeGreaterThan(0);
      await service.recover();
      expect((await rowsOf(service)).filter(({ status }) => status !== "delivered")).toEqual([]);
    });
  }

  it("a flush that commits but reports an error does not end the run", async () => {
    const service = await FailingService.open({ bindings: DATABASES, moments: ["after"] }, [FILE_SHARD]);
    await sendAll(service);
    const rows = service.queue.take().flatMap((body) => body.rows);
    await service.queue.sendBatch([{ body: { type: "outbox.wake.v2", database: FILE_SHARD, rows } }]);
    let calls = 0;
    // The third call is the first flush, after the two of the claim.
    service.injection.random = () => (calls++ === 2 ? 0 : 0.99);
    service.injection.chance = 0.5;
    await service.deliverAll();
    service.injection.chance = 0;
    const statuses = (await rowsOf(service)).map(({ status }) => status);
    await service.recover();
    expect(service.injection.count).toBe(1);
    expect(statuses).toEqual(statuses.map(() => "delivered"));
  });

  it("a database that fails during delivery duplicates at most 20 emails, and each has possible_duplicate", async () => {
    const service = await FailingService.open({ bindings: DATABASES }, [FILE_SHARD]);
    const { sent } = await sendAll(service);
    let calls = 0;
    // The two calls of the claim succeed; every later call fails.
    service.injection.random = () => (calls++ < 2 ? 1 : 0);
    service.injection.chance = 0.5;
    const bodies = service.queue.take();
    const rows = bodies.flatMap((body) => body.rows);
    await service.queue.sendBatch([{ body: { type: "outbox.wake.v2", database: FILE_SHARD, rows } }]);
    await service.deliverAll();
    expect(service.injection.count).toBeGreaterThan(0);
    await service.recover();
    const duplicates = await expectConsistent(service, sent, 0);
    expect(duplicates).toBeGreaterThan(0);
    // Each email has two recipients.
    expect(duplicates / 2).toBeLessThanOrEqual(20);
  });
});
