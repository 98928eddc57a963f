/**
 * The outbox is upgraded under load: the version that was released last sends while the migrations run and beside the new Worker, which then
 * sends alone, and the other way round (docs/operating/upgrades.md). Skipped in a checkout without the history of that version.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, describe, expect, it } from "vitest";
import { migrateAll } from "../../dev/database.ts";
import { type Seeded, seedWorkspace } from "../../dev/seed-workspace.ts";
import { createContext } from "../../src/platform/create-context.ts";
import { CountingSink } from "./support/counting-sink.ts";
import { bundleScript, ROOT, readWorkerOptions, WORKER } from "./support/hosts/bundle.ts";
import { hasReleased, released, writeReleased } from "./support/released.ts";

type Version = "old" | "new";
type Queues = Record<string, { queueName?: string }>;

const folder = await mkdtemp(path.join(tmpdir(), "email-delivery-upgrade-"));
const source = path.join(folder, "released");
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the options of a Worker with queues of its own, on the databases and the bucket of both. */
async function workerOf(version: Version, script: string, variables: Record<string, string>) {
  const options = await readWorkerOptions();
  const named = (queue: string) => `${version}-${queue}`;
  const producers = Object.entries(options.queueProducers as Queues).map(([binding, producer]) => [
    binding,
    { ...producer, queueName: named(producer.queueName ?? "") },
  ]);
  const consumers = Object.entries(options.queueConsumers as Record<string, { deadLetterQueue?: string }>).map(
    ([queue, consumer]) => [named(queue), { ...consumer, maxBatchTimeout: 0, deadLetterQueue: named("dead") }],
  );
  const bindings = { ...(options.bindings as Record<string, string>), ...variables };
  const ownQueues = Object.entries(bindings).map(([name, value]) => [
    name,
    name.endsWith("_QUEUE") ? named(value) : value,
  ]);
  return {
    ...options,
    name: version,
    bindings: Object.fromEntries(ownQueues),
    queueProducers: Object.fromEntries(producers),
    queueConsumers: Object.fromEntries(consumers),
    modules: [{ type: "ESModule" as const, path: `${version}.mjs`, contents: script }],
  };
}

describe.runIf(hasReleased)(`an upgrade from version ${released.version}, and the way back`, () => {
  it("loses no email, and marks each that is sent twice", { timeout: 600_000 }, async () => {
    await writeReleased(source);
    let messages = 0;
    // The outcome of every fifth first attempt is unknown, so that emails wait for a later one.
    const sink = new CountingSink((earlier) => earlier === 0 && ++messages % 5 === 0);
    await sink.listen();
    const variables = {
      MASTER_KEYS: `1:${Buffer.alloc(32, 7).toString("base64")}`,
      EGRESS_URL: `smtp://127.0.0.1:${sink.port}/?tls=off`,
    };
    const scripts = {
      old: await bundleScript(path.relative(ROOT, path.join(source, WORKER))),
      new: await bundleScript(WORKER),
    };
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        ...{ cf: false, resourcePersistencePath: path.join(folder, "state") },
        workers: [await workerOf("old", scripts.old, variables), await workerOf("new", scripts.new, variables)],
      }),
    );
    try {
      const env = await miniflare.getBindings<Env>("new");
      const ofReleased = (await import(path.join(source, "dev/database.ts"))) as { migrateAll: typeof migrateAll };
      await ofReleased.migrateAll(env);
      const seed = await seedWorkspace(createContext(env, "upgrade"), {
        name: "Upgrade",
        email: "owner@upgrade.example",
        domain: "upgrade.example",
        mailboxLocalPart: "hello",
      });
      const accepted: string[] = [];
      const load = async (version: Version, emails: number) => {
        for (let n = 0; n < emails; n++) accepted.push(...(await send(miniflare, version, seed, n)));
      };
      const cron = async (version: Version) =>
        (await miniflare.getWorker(version)).scheduled({ cron: "* * * * *" }).catch(() => {});
      await load("old", 20);
      const sending = Promise.all([load("old", 30), load("old", 30)]);
      await migrateAll(env);
      await sending;
      await Promise.all([load("old", 20), load("new", 20), cron("old"), cron("new")]);
      await Promise.all([load("new", 20), load("old", 20), cron("new"), cron("old")]);
      await Promise.all([load("old", 10), cron("old")]);
      await load("new", 10);
      await untilFinal(env, () => cron("new"));
      const read = (db: D1Database) =>
        db.prepare("SELECT id, status, events FROM emails").all<{ id: string; status: string; events: string }>();
      const stored = await Promise.all([env.MAIL_0, env.MAIL_1].map(read));
      const emails = new Map(stored.flatMap(({ results }) => results).map((row) => [row.id, row]));
      expect(accepted.filter((id) => emails.get(id)?.status !== "delivered")).toEqual([]);
      const copies = Map.groupBy(sink.receipts, ({ messageId }) => messageId.slice(1, 37));
      expect(accepted.filter((id) => !copies.has(id))).toEqual([]);
      const doubled = [...copies].filter(([, receipts]) => receipts.length > 1);
      const isMarked = (id: string) => /possible_duplicate|ambiguous/.test(emails.get(id)?.events ?? "");
      expect(doubled.map(([id]) => id).filter((id) => !isMarked(id))).toEqual([]);
      expect(sink.receipts.length).toBeGreaterThanOrEqual(accepted.length);
      console.log(`${accepted.length} emails, ${doubled.length} twice or more, all marked`);
    } finally {
      await miniflare.dispose();
      sink.close();
    }
  });
});

/** Sends a lone email, or every tenth time a batch of ten. Returns the ids of the accepted ones. */
async function send(miniflare: Miniflare, version: Version, seed: Seeded, n: number): Promise<string[]> {
  const worker = await miniflare.getWorker(version);
  const mail = {
    from_: { email: seed.mailbox },
    to: [{ email: `p${n}@example.org` }],
    subject: `mail ${n}`,
    text: "Hi",
  };
  const isBatch = n % 10 === 9;
  const response = await worker.fetch(`https://upgrade.example/v1/emails/${isBatch ? "batch" : ""}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${seed.apiKey}`, "Content-Type": "application/json" },
    body: JSON.stringify(isBatch ? Array.from({ length: 10 }, () => mail) : mail),
  });
  const body = (await response.json()) as { id: string; results?: { id: string }[] };
  expect(response.status, JSON.stringify(body)).toBe(202);
  return body.results?.map(({ id }) => id) ?? [body.id];
}

/** Makes waiting emails due, and ends the leases of runs that are over, until all are final. */
async function untilFinal(env: Env, cron: () => Promise<unknown>): Promise<void> {
  const OPEN = "SELECT count(*) AS n FROM emails WHERE status = 'queued'";
  for (const deadline = Date.now() + 240_000; ; await sleep(500)) {
    const open = await Promise.all([env.MAIL_0, env.MAIL_1].map((db) => db.prepare(OPEN).first<number>("n")));
    if (open.every((n) => n === 0)) return;
    if (Date.now() > deadline) throw new Error(`emails are not final: ${open}`);
    for (const db of [env.MAIL_0, env.MAIL_1])
      await db.prepare("UPDATE outbox SET due_at = ?1 WHERE token IS NULL AND due_at > ?1").bind(Date.now()).run();
    await cron();
  }
}
