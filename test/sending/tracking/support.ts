/** Delivered emails, hits on them, and the hits consumer. */
import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { consumeHits } from "../../../src/queue.ts";
import type { HitMessage } from "../../../src/sending/tracking/index.ts";
import { database } from "../../support/databases.ts";
import { type Detail, run } from "../../support/sending.ts";
import { aMail, type TestWorkspace, testContext } from "../../support/workspace.ts";

export const READER = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
export const SENT_AT = Date.UTC(2026, 0, 1);

/** Creates an email that was delivered at SENT_AT to these addresses. */
export async function aDeliveredMail(workspace: TestWorkspace, ...addresses: string[]): Promise<string> {
  const to = (addresses.length > 0 ? addresses : ["friend@one.example"]).map((email) => ({ email }));
  const api = workspace.withoutQueue;
  const { id } = await api.create("/v1/emails/", aMail(workspace, { to }));
  await run(
    "UPDATE emails SET status = 'delivered', due_at = NULL, content = NULL, sent_at = ?2, delivered_at = ?2 WHERE id = ?1",
    id,
    SENT_AT,
  );
  await run("DELETE FROM outbox WHERE id = ?1", id);
  return id;
}

/** Returns a person's open or click, one hour after delivery. */
export function aHit(workspace: TestWorkspace, email: string, changes: Partial<HitMessage> = {}): HitMessage {
  const click = changes.kind === "click" ? { url: "https://shop.example/" } : {};
  return {
    ...{ type: "hit.v1", id: testContext().newId(), kind: "open", workspace: workspace.workspaceNumber, email },
    ...{ recipient: 0, at: SENT_AT + 3_600_000, ua: READER, ip: "192.0.2.1" },
    ...click,
    ...changes,
  };
}

let batches = 0;

/** Passes messages to the consumer as one queue batch. */
export async function consume(bodies: readonly unknown[], bindings: Record<string, unknown> = {}) {
  const timestamp = new Date();
  batches += 1;
  const messages = bodies.map((body, n) => ({ id: `m${batches}-${n}`, timestamp, attempts: 1, body }));
  const batch = createMessageBatch("hits", messages);
  await consumeHits(batch, { ...env, ...bindings } as Env);
  return batch;
}

export async function detailOf(workspace: TestWorkspace, id: string): Promise<Detail> {
  return (await workspace.get(`/v1/emails/${id}`)).json<Detail>();
}

/** Returns the opens and clicks of the roll-ups by domain, and those of emails under the empty domain. */
export async function rollupTotals({ workspaceNumber }: TestWorkspace): Promise<Record<string, [number, number]>> {
  const results = await database.rows<{ domain: string; opens: number; clicks: number }>(
    `SELECT domain, sum(opens) AS opens, sum(clicks) AS clicks FROM (
        SELECT domain, opens, clicks FROM rollups_hourly WHERE workspace = ?1
        UNION ALL SELECT '', emails_opened, emails_clicked FROM rollups_hourly WHERE workspace = ?1)
      GROUP BY domain HAVING sum(opens) + sum(clicks) > 0`,
    [workspaceNumber],
  );
  return Object.fromEntries(results.map(({ domain, opens, clicks }) => [domain, [opens, clicks]]));
}
