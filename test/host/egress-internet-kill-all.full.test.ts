/**
 * Two egresses behind one name, Worker and gateway are killed in turn while emails are sent by API and by SMTP. Each email is delivered, and one that
 * arrives twice is marked. The lease of what a killed process held would end within 15 minutes; here it ends by SQL once nothing moves any more.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { seeded } from "../support/failures.ts";
import { systemsOf } from "./support/egress-internet/systems.ts";
import { startWorkerRig, type WorkerRig } from "./support/egress-internet/worker-rig.ts";
import { byExtent } from "./support/extent.ts";
import { eventsOf, listAll, listOpen, type SendAttempt, send } from "./support/sending-client.ts";
import { SubmittingClient } from "./support/submitting-client.ts";

const { kills, mails } = byExtent({
  quick: { kills: 3, mails: 80 },
  full: { kills: 21, mails: 800 },
  long: { kills: 200, mails: 8_000 },
});
/** Callers of the API, and mail programs. */
const CALLERS = 5;
const PROGRAMS = 3;
const DOMAINS = 8;
const KILL_WITHIN_MS = 400;
/** Without a change for so long, nothing is on its way: the mail systems reply at once. */
const STILL_MS = 2_500;
const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 1e9));

let rig: WorkerRig;
beforeAll(async () => {
  rig = await startWorkerRig({ systems: systemsOf("k", DOMAINS, {}, 50), kept: "size" }, {}, true);
}, 120_000);
afterAll(async () => {
  await rig?.close();
});

it("no accepted email is lost when egresses, Worker and gateway are killed, and each that arrives twice is marked", async () => {
  const { server, sender } = rig;
  const gateway = await rig.startGateway();
  const attempts = Array.from({ length: mails }, (_, n) => newAttempt(n, sender));
  const random = seeded(seed);
  const left = [...attempts];
  const call = async () => {
    for (let mail = left.pop(); mail; mail = left.pop()) await send(server, mail);
  };
  const submit = async () => {
    const program = new SubmittingClient(gateway.door);
    for (let mail = left.pop(); mail; mail = left.pop()) await program.send(mail);
    program.close();
  };
  const callers = Promise.all([...Array.from({ length: CALLERS }, call), ...Array.from({ length: PROGRAMS }, submit)]);
  callers.catch(() => {});
  for (let kill = 1; kill <= kills; kill++) {
    while (left.length > mails - Math.ceil((mails * kill) / (kills + 1))) await Promise.race([sleep(5), callers]);
    await sleep(random() * KILL_WITHIN_MS);
    await [rig.killEgress, rig.killWorker, gateway.kill][kill % 3]?.();
  }
  await callers;
  await settle();
  const listed = await listAll(server);
  expect(listed.filter(({ status }) => status !== "delivered")).toEqual([]);
  const accepted = new Set(attempts.flatMap(({ ids }) => [...ids]));
  expect(listed.filter(({ id }) => accepted.has(id))).toHaveLength(accepted.size);
  await expectArrivals(listed);
});

/** Waits until every email is final. */
async function settle(): Promise<void> {
  let [before, changedAt] = ["", Date.now()];
  for (;;) {
    const open = await listOpen(rig.server);
    const { results } = await rig.host.sql<{ n: number }>("SELECT count(*) AS n FROM outbox");
    if (open.length === 0 && results.every(({ n }) => n === 0)) return;
    const state = JSON.stringify([open, results]);
    if (state !== before) [before, changedAt] = [state, Date.now()];
    if (Date.now() - changedAt > STILL_MS) {
      await rig.host.sql("UPDATE outbox SET due_at = ?1, leased_until = ?1", Date.now());
      await rig.host.scheduled("* * * * *");
      changedAt = Date.now();
    }
    await sleep(100);
  }
}

async function expectArrivals(listed: readonly { id: string; subject: string }[]): Promise<void> {
  const arrivals = new Map<string, number>();
  for (let n = 0; n < DOMAINS; n++)
    for (const { to } of rig.internet.receiver(`k-${n}`).messages)
      for (const address of to) arrivals.set(address, (arrivals.get(address) ?? 0) + 1);
  const idsOf = Map.groupBy(listed, ({ subject }) => subject);
  for (const [subject, emails] of idsOf) {
    const count = arrivals.get(recipientOf(subject)) ?? 0;
    expect(count, `${subject} (seed ${seed})`).toBeGreaterThanOrEqual(emails.length);
    if (count === emails.length) continue;
    const events = (await Promise.all(emails.map(({ id }) => eventsOf(rig.server, id)))).flat();
    const isMarked = events.some(({ metadata }) => metadata?.possible_duplicate || metadata?.ambiguous);
    expect(isMarked, `${subject} (seed ${seed}) arrived ${count} times: ${JSON.stringify(events)}`).toBe(true);
  }
}

const recipientOf = (subject: string) => `${subject}@k-${Number(subject.slice(1)) % DOMAINS}.test`;

/** Returns the n-th request, of which every other one has a key by which it can be repeated. */
function newAttempt(n: number, { mailbox, apiKey }: { mailbox: string; apiKey: string }): SendAttempt {
  const subject = `m${n}`;
  const recipients = [recipientOf(subject)];
  const to = recipients.map((email) => ({ email }));
  const body = JSON.stringify({ from_: { email: mailbox }, to, subject, text: `The text of ${subject}.` });
  return {
    subject,
    recipients,
    key: n % 2 === 0 ? `key-${n}` : null,
    body,
    apiKey,
    ids: new Set(),
    responseLost: false,
  };
}
