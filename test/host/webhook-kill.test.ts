/**
 * The kill test of webhooks. It sends emails while the host (Node and workerd) gets a SIGKILL repeatedly, with live webhooks
 * on: every event of every email arrives at least once, and none that did not happen. `npm run test:long` runs more.
 */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { type ReceivedRequest, startWebhookReceiver } from "../support/webhook-receiver-server.ts";
import { callerOf } from "./support/call-api.ts";
import { CountingSink } from "./support/counting-sink.ts";
import { byExtent } from "./support/extent.ts";
import { sendUnderKills, waitUntilFinal } from "./support/kill-run.ts";
import { findTestPort } from "./support/ports.ts";
import { RestartableHost } from "./support/restartable-host.ts";
import { eventsOf, listAll, newAttempt } from "./support/sending-client.ts";

const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 1e9));
const counts = byExtent({
  quick: { mails: 12, kills: 1 },
  full: { mails: 30, kills: 2 },
  long: { mails: 2_000, kills: 100 },
});
const plan = { ...counts, seed };
const MASTER_KEYS = `1:${Buffer.alloc(32, 7).toString("base64")}`;
/** The webhook event of each type of timeline event that the emails have. */
const WEBHOOK_EVENTS: Record<string, string> = {
  sent: "email.sent",
  delivered: "email.delivered",
  bounced: "email.bounced",
  failed: "email.failed",
};

it("every event of every email is delivered at least once, and none that did not happen", {
  timeout: byExtent({ quick: 600_000, full: 600_000, long: 1_800_000 }),
}, async () => {
  const sink = new CountingSink(() => false);
  await sink.listen();
  const receiver = await startWebhookReceiver();
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-webhook-kill-"));
  const port = await findTestPort();
  const vars = {
    MASTER_KEYS,
    EGRESS_URL: `smtp://127.0.0.1:${sink.port}/?tls=off`,
    LIVE_WEBHOOKS: "on",
    WEBHOOK_ALLOW_INSECURE: "on",
  };
  const host = new RestartableHost({ stateDir, port, vars, queueSeconds: 0 });
  const received = `http://127.0.0.1:${receiver.ports.receiver}/kill`;
  try {
    const [first, second] = await host.startAndSeed("webhook-0.example", "webhook-1.example");
    if (!first || !second) throw new Error("there are no workspaces");
    await host.start();
    for (const { apiKey } of [first, second]) {
      const hook = { url: `${received}/200`, events: Object.values(WEBHOOK_EVENTS) };
      await callerOf(() => host.url(), apiKey)("POST", "/v1/webhooks/", hook);
    }
    const mails = Array.from({ length: plan.mails }, (_, n) => newAttempt(n, n % 2 === 0 ? first : second));
    await sendUnderKills(plan, host, sink, mails, {});
    await waitUntilFinal(host, false);
    await waitUntilDelivered(host);
    const happened: string[] = [];
    const emails = await listAll(host);
    for (const { id } of emails) {
      const events = await eventsOf(host, id);
      const handedOver = (types: string[]) =>
        new Set(
          events.flatMap(({ event_type, metadata }) => (types.includes(event_type) ? [metadata?.recipient] : [])),
        );
      for (const { event_type, metadata } of events) {
        const event = WEBHOOK_EVENTS[event_type];
        if (event) happened.push(`${id} ${event} ${metadata?.recipient}`);
      }
      // A delivery that no `sent` came before shows the hand-over too.
      const sent = handedOver(["sent"]);
      for (const recipient of handedOver(["delivered"]))
        if (!sent.has(recipient)) happened.push(`${id} email.sent ${recipient}`);
    }
    const requests = (await (await fetch(received)).json()) as ReceivedRequest[];
    const byId = new Map(
      requests.map(({ headers, body }) => [
        headers["x-service-delivery-id"],
        JSON.parse(body) as Record<string, string>,
      ]),
    );
    const delivered = [...byId.values()].map(({ email_id, event, recipient }) => `${email_id} ${event} ${recipient}`);
    const figures = `webhook kill test: mails ${plan.mails}, kills ${host.kills}, events ${happened.length}, requests ${requests.length}, repeated ${requests.length - byId.size}, seed ${seed}`;
    console.log(figures);
    expect(delivered.sort(), figures).toEqual(happened.sort());
    expect(happened.length).toBeGreaterThanOrEqual(emails.length);
    expect(host.kills).toBe(plan.kills);
  } finally {
    await host.stop();
    sink.close();
    await receiver.stop();
    await rm(stateDir, { recursive: true, force: true });
  }
});

/** Waits until no delivery is open. One that failed at a kill becomes due at once: its next attempt is a minute later. */
async function waitUntilDelivered(host: RestartableHost): Promise<void> {
  const OPEN = "SELECT count(*) AS n FROM webhook_deliveries WHERE status IN ('pending', 'retrying')";
  const openDeliveries = async () => {
    const { results } = await host.sql<{ n: number }>(OPEN);
    const open = results.reduce((sum, { n }) => sum + n, 0);
    if (open === 0) return 0;
    const advance = "UPDATE webhook_deliveries SET due_at = ?1 WHERE status = 'retrying' AND due_at > ?1";
    await host.sql(advance, Date.now());
    const due = "UPDATE webhook_endpoints SET due_at = ?1 WHERE token IS NULL AND due_at > ?1";
    if ((await host.sql(due, Date.now())).changes > 0) await host.runCron();
    return open;
  };
  // In npm test the limit only ends a run that hangs.
  const timeout = byExtent({ quick: 100_000, full: 60_000, long: 60_000 });
  await expect.poll(openDeliveries, { timeout, interval: 250, message: `open deliveries (seed ${seed})` }).toBe(0);
}
