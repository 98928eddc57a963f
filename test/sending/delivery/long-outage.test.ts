/** An egress that refuses connections for two hours while mail is accepted, as its operator sees it (docs/monitoring.md). */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { WakeUp } from "../../../src/platform/context.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { closedPort, receivedIds } from "../../support/closed-port.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { apiOn, aWorkspace, recordingContext, testContext } from "../../support/workspace.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Minutes between two batches of accepted emails, over two hours. */
const EVERY = 5;
const BATCHES = 120 / EVERY + 1;
const EMAILS = env.TEST_LONG ? 2_000 : 125;
/** Emails of one retry step, and those of the step before that may still wait (src/sending/delivery/rules.ts). */
const MOST_IN_TWO_SECONDS = 750;
const TOKEN = "token-of-the-monitoring-0123456789ab";

/** Returns what an operator sees: the response of /ready, and the figure of emails that wait for the egress. */
async function watch() {
  const api = apiOn({ METRICS_TOKEN: TOKEN }, null);
  const ready = await api.get("/ready");
  const metrics = await api.get("/metrics", { Authorization: `Bearer ${TOKEN}` });
  const name = `email_outbox_waiting_for_egress{database="${testContext().shard}"} `;
  const line = (await metrics.text()).split("\n").find((one) => one.startsWith(name));
  return { ...(await ready.json<{ status: string; egress: string }>()), waiting: Number(line?.slice(name.length)) };
}

it(`${EMAILS} emails of two hours without egress leave within ten minutes of its return, oldest first, each once`, {
  timeout: 1_800_000,
}, async () => {
  const workspace = await aWorkspace();
  await database.run("DELETE FROM outbox");
  const { url, open } = await closedPort();
  const start = Date.now();
  const ids: string[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const now = start + batch * EVERY * MINUTE;
    const { ctx } = recordingContext({}, () => now);
    const upTo = Math.ceil((EMAILS * (batch + 1)) / BATCHES);
    while (ids.length < upTo) ids.push(await acceptEmail(ctx, workspace));
    await runOutboxAt(now, { EGRESS_URL: url });
  }
  expect(await watch()).toMatchObject({ status: "degraded", egress: "unreachable", waiting: EMAILS });

  const rows = await database.prepare("SELECT id, due_at AS dueAt FROM outbox WHERE kind = 'deliver'").all<WakeUp>();
  const retryAt = new Map(rows.results.map(({ id, dueAt }) => [id, dueAt]));
  const server = await open();
  const recovery = start + 120 * MINUTE;
  let now = recovery;
  const counts = [0];
  for (let sent = 0; sent < EMAILS && now < recovery + 10 * MINUTE; counts.push(sent)) {
    now += 2 * SECOND;
    await runOutboxAt(now, { EGRESS_URL: url });
    sent = (await server.counters()).accepted;
  }
  // Nothing is left that could leave a second time.
  for (const later of [MINUTE, 60 * MINUTE, 6 * 60 * MINUTE]) await runOutboxAt(now + later, { EGRESS_URL: url });
  const received = await receivedIds(server);
  expect(new Set(received).size).toBe(received.length);
  expect(received.toSorted()).toEqual(ids.toSorted());
  // The first success comes from an email whose own retry is due, and others of these may come between. All that were released
  // follow in the order of their accept.
  const released = ids.filter((id) => (retryAt.get(id) ?? 0) > now);
  expect(received.filter((id) => released.includes(id))).toEqual(released);
  expect(released.length).toBeGreaterThan(EMAILS / 2);
  const steps = counts.slice(1).map((count, index) => count - (counts[index] ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(MOST_IN_TWO_SECONDS);
  expect(await watch()).toMatchObject({ egress: "configured", waiting: 0 });
});
