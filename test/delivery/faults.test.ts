/** Every binding fails by chance, over the whole way from POST to the egress; then one sweep sets things right (safety R11). */
import { createMessageBatch, createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runSchedule } from "../../src/cron.ts";
import type { WorkMessage } from "../../src/outbox/index.ts";
import { consume } from "../../src/queue.ts";
import { type Faults, faultyDatabase, faultyObjects, HeldQueue, seeded } from "../support/faults.ts";
import { type SmtpServerHandle, sinkServer } from "../support/smtp-control.ts";
import { aMail, apiOn, aWorkspace, type TestWorkspace } from "../support/workspace.ts";

const MAILS = env.TEST_LONG ? 200 : 24;
const CHANCES = env.TEST_LONG ? [0.01, 0.05, 0.2] : [0.02, 0.2];
const seed = Math.floor(Math.random() * 1e9);
const FILE = { filename: "file.txt", content_base64: btoa("A line of the file.\r\n".repeat(500)) };
/** A lease, and the first wait of the schedule: after this everything is due. */
const ALL_DUE_MS = 130_000;

beforeEach(async () => {
  // What a failed test left is no business of the next one.
  await env.DB.prepare("DELETE FROM outbox").run();
  // The faults are in the log by the hundred; what they lead to is what is looked at.
  vi.spyOn(console, "log").mockImplementation(() => {});
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The service on faulty bindings, with a queue in the test's hands. */
class House {
  readonly faults: Faults;
  readonly queue: HeldQueue<WorkMessage>;
  readonly sink: SmtpServerHandle;
  readonly workspace: TestWorkspace;
  readonly bindings: Env;

  constructor(faults: Faults, sink: SmtpServerHandle, workspace: TestWorkspace) {
    this.faults = faults;
    this.queue = new HeldQueue(faults);
    this.sink = sink;
    this.workspace = workspace;
    const DB = faultyDatabase(env.DB, faults);
    const CONTENT = faultyObjects(env.CONTENT, faults);
    this.bindings = { ...env, DB, CONTENT, WORK: this.queue, EGRESS_URL: sink.url } as unknown as Env;
  }

  static async open(faults: Partial<Faults>): Promise<House> {
    const whole: Faults = { random: seeded(seed), chance: 0, bindings: [], moments: ["before"], count: 0, ...faults };
    return new House(whole, await sinkServer(), await aWorkspace());
  }

  /** Hands over what the queue holds until it holds nothing, each message up to four times while it fails. */
  async deliverAll(): Promise<void> {
    for (let bodies = this.queue.take(); bodies.length > 0; bodies = this.queue.take()) {
      for (const body of bodies) {
        for (let attempts = 1; attempts <= 4 && !(await this.#handOver(body, attempts)); attempts++);
      }
    }
  }

  async #handOver(body: WorkMessage, attempts: number): Promise<boolean> {
    const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts, body };
    return consume(createMessageBatch("work", [message]), this.bindings).then(
      () => true,
      () => false,
    );
  }

  sweep(): Promise<void> {
    return runSchedule(createScheduledController({ cron: "* * * * *", scheduledTime: new Date() }), this.bindings);
  }

  /** Faults end, everything is due, and one sweep comes. */
  async recover(): Promise<void> {
    this.faults.chance = 0;
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

/** Sends mails one by one; every other one has an Idempotency-Key, and is called again until it is accepted. */
async function sendAll(house: House): Promise<{ sent: Sent[]; failures: number }> {
  const api = apiOn(house.bindings as unknown as Record<string, unknown>, house.workspace.apiKey);
  const sent: Sent[] = [];
  let failures = 0;
  for (let n = 0; n < MAILS; n++) {
    const subject = `Mail ${n}`;
    const to = [{ email: `a${n}@one.test` }, { email: `b${n}@two.test` }];
    // Small content needs no object to be delivered; a file does, twice: to sign and to send.
    const mail = aMail(house.workspace, { subject, to, ...(n % 3 === 0 ? { attachments: [FILE] } : {}) });
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
  events: { type: string; metadata?: { recipient?: string; possible_duplicate?: boolean; ambiguous?: boolean } }[];
}

async function rowsOf({ workspace }: House): Promise<Row[]> {
  const { results } = await env.DB.prepare("SELECT id, subject, status, events FROM emails WHERE workspace = ?1")
    .bind(workspace.workspaceNumber)
    .all<Omit<Row, "events"> & { events: string }>();
  return results.map((row) => ({ ...row, events: JSON.parse(row.events) as Row["events"] }));
}

/** What came to each recipient of each email: how often, by `<email id> <recipient>`. */
async function arrivals({ sink }: House): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { raw, rcpts } of await sink.messages()) {
    const id = /^Message-ID: <([^@]+)@/im.exec(new TextDecoder().decode(raw))?.[1] ?? "";
    for (const rcpt of rcpts) {
      const key = `${id} ${/<([^>]*)>/.exec(rcpt)?.[1]}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

async function objectsOf({ workspace }: House): Promise<Set<string>> {
  const prefix = `w/${workspace.workspaceId}/emails/`;
  const { objects } = await env.CONTENT.list({ prefix });
  return new Set(objects.map(({ key }) => key.slice(prefix.length)));
}

/** Everything that must hold once the faults are over. Answers how many arrivals were doubled. */
async function expectSound(house: House, sent: readonly Sent[], failures: number): Promise<number> {
  const rows = await rowsOf(house);
  const ids = new Set(rows.map(({ id }) => id));
  // No 2xx without a row, no second row for one request.
  expect(sent.filter(({ id }) => id !== null && !ids.has(id))).toEqual([]);
  expect(new Set(rows.map(({ subject }) => subject)).size).toBe(rows.length);
  // Nothing stuck, nothing lost.
  expect(rows.filter(({ status }) => status !== "delivered")).toEqual([]);
  expect((await env.DB.prepare("SELECT * FROM outbox").all()).results).toEqual([]);
  const came = await arrivals(house);
  const wanted = rows.flatMap(({ id, subject }) => {
    const n = subject.slice("Mail ".length);
    return [`${id} a${n}@one.test`, `${id} b${n}@two.test`];
  });
  // Nothing invented.
  expect([...came.keys()].sort()).toEqual(wanted.sort());
  const doubled = [...came].filter(([, times]) => times > 1).map(([key]) => key);
  expect(doubled.filter((key) => !isSaid(rows, key))).toEqual([]);
  // What became known is written once and counts once.
  const delivered = rows.flatMap(({ id, events }) =>
    events.filter(({ type }) => type === "delivered").map(({ metadata }) => `${id} ${metadata?.recipient}`),
  );
  expect([...came].filter(([key, times]) => delivered.filter((fact) => fact === key).length > times)).toEqual([]);
  expect(await counted(house)).toEqual({ sent: rows.length, delivered: rows.length });
  // Every row has its content; an object without a row is left by failed calls only.
  const objects = await objectsOf(house);
  expect(rows.filter(({ id }) => !objects.has(id))).toEqual([]);
  expect(objects.size - rows.length).toBeLessThanOrEqual(failures);
  return doubled.length;
}

/** How many emails the roll-ups count. */
function counted({ workspace }: House) {
  return env.DB.prepare(
    "SELECT sum(sent) AS sent, sum(delivered) AS delivered FROM rollups_hourly WHERE workspace = ?1 AND domain = ''",
  )
    .bind(workspace.workspaceNumber)
    .first();
}

function isSaid(rows: readonly Row[], key: string): boolean {
  const [id, recipient] = key.split(" ");
  const events = rows.find((row) => row.id === id)?.events ?? [];
  return events.some(
    ({ metadata }) => metadata?.recipient === recipient && (metadata?.possible_duplicate || metadata?.ambiguous),
  );
}

const everywhere = ["database", "queue", "objects"] as const;
const plans: [string, Pick<Faults, "bindings" | "moments">][] = [
  ["the database, before it commits", { bindings: ["database"], moments: ["before"] }],
  ["the database, after it has committed", { bindings: ["database"], moments: ["after"] }],
  ["the queue", { bindings: ["queue"], moments: ["before", "after"] }],
  ["the object store", { bindings: ["objects"], moments: ["before", "after"] }],
  ["everything", { bindings: everywhere, moments: ["before", "after"] }],
];

describe(`faults over the whole way of a mail (seed ${seed})`, { timeout: env.TEST_LONG ? 600_000 : 60_000 }, () => {
  for (const [what, plan] of plans) {
    for (const chance of CHANCES) {
      it(`${what} fails in ${chance * 100} % of calls: one sweep later every accepted mail has arrived`, async () => {
        const house = await House.open({ ...plan, chance });
        const { sent, failures } = await sendAll(house);
        // A queue that takes nothing costs time, never an answer.
        if (what === "the queue") expect(failures).toBe(0);
        await house.deliverAll();
        await house.sweep().catch(() => {});
        await house.deliverAll();
        await house.recover();
        await expectSound(house, sent, failures);
      });
    }
  }

  for (const moment of ["before", "after"] as const) {
    it(`one call of the database fails ${moment} it is done: the mail is accepted and there, or refused and not`, async () => {
      const house = await House.open({ bindings: ["database"], moments: [moment], chance: 0.5 });
      const api = apiOn(house.bindings as unknown as Record<string, unknown>, house.workspace.apiKey);
      for (let failing = 0, hit = true; hit; failing++) {
        let calls = 0;
        house.faults.count = 0;
        house.faults.random = () => (calls++ === failing ? 0 : 0.99);
        const subject = `Mail ${failing}`;
        const { status } = await api.post("/v1/emails/", aMail(house.workspace, { subject }));
        const there = (await rowsOf(house)).filter((row) => row.subject === subject).length;
        expect([status, there], `call ${failing}`).toEqual(status === 202 ? [202, 1] : [500, 0]);
        hit = house.faults.count > 0;
      }
      expect((await rowsOf(house)).length).toBeGreaterThan(0);
      await house.recover();
      expect((await rowsOf(house)).filter(({ status }) => status !== "delivered")).toEqual([]);
    });
  }

  it("a flush that was committed though it seemed to fail does not end the run", async () => {
    const house = await House.open({ bindings: ["database"], moments: ["after"] });
    await sendAll(house);
    const rows = house.queue.take().flatMap((body) => body.rows);
    await house.queue.sendBatch([{ body: { type: "outbox.wake.v1", rows } }]);
    let calls = 0;
    // The second call fails: the first flush, after the claim.
    house.faults.random = () => (calls++ === 1 ? 0 : 0.99);
    house.faults.chance = 0.5;
    await house.deliverAll();
    house.faults.chance = 0;
    const statuses = (await rowsOf(house)).map(({ status }) => status);
    await house.recover();
    expect(house.faults.count).toBe(1);
    expect(statuses).toEqual(statuses.map(() => "delivered"));
  });

  it("a database that goes away in the middle of a delivery doubles at most 20 mails, and each says so", async () => {
    const house = await House.open({ bindings: ["database"] });
    const { sent } = await sendAll(house);
    let calls = 0;
    // The claim goes through, nothing after it does.
    house.faults.random = () => (calls++ === 0 ? 1 : 0);
    house.faults.chance = 0.5;
    const bodies = house.queue.take();
    const rows = bodies.flatMap((body) => body.rows);
    await house.queue.sendBatch([{ body: { type: "outbox.wake.v1", rows } }]);
    await house.deliverAll();
    expect(house.faults.count).toBeGreaterThan(0);
    await house.recover();
    const doubled = await expectSound(house, sent, 0);
    expect(doubled).toBeGreaterThan(0);
    // Two recipients each.
    expect(doubled / 2).toBeLessThanOrEqual(20);
  });
});
