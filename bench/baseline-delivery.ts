/** The binding calls of a delivery without its work: what the simulators of D1 and R2 cost. */

import { CLAIM_EMAILS } from "../src/platform/outbox/rules.ts";
import { FLUSH_EMAILS } from "../src/sending/delivery/rules.ts";
import { RANGE_BYTES } from "../src/sending/emails/content/content-ranges.ts";

const OBJECT = "baseline/delivery";

interface EmailRow {
  n: number;
  recipients: string;
  events: string;
}

const FIND_EMAILS = `
  SELECT n, workspace, id, status, recipients, events, attempts, version, due_at, outbox_id, sent_at, delivered_at, opened_count,
    clicked_count, hits, broadcast, variant, message_id, subject, from_email, from_name, content_key, content_offset,
    content_size, content, created_at, domain_id, mailbox_id, user_id, source, variables
  FROM emails ORDER BY n DESC LIMIT ?1`;
const FIND_NO_ROW = "UPDATE outbox SET claims = claims WHERE due_at = 0 AND id IN (SELECT value FROM json_each(?1))";
const FIND_SUPPRESSIONS =
  "SELECT s.email FROM json_each(?1) j CROSS JOIN suppressions s ON s.workspace = 0 AND s.email = j.value->>'recipients'";
const UPDATE_EMAILS = `
  WITH j AS MATERIALIZED (SELECT value FROM json_each(?1))
  UPDATE emails SET recipients = j.value->>'recipients', events = j.value->>'events' FROM j WHERE emails.n = j.value->>'n'`;
const INSERT_CHANGE =
  "INSERT INTO changes (workspace, at_us, emails) SELECT 0, 1 + coalesce((SELECT max(at_us) FROM changes WHERE workspace = 0), 0), ?1";
const ADD_TO_ROLLUPS =
  "INSERT INTO rollups_hourly (workspace, hour, domain, sent) VALUES (0, 0, '', 1) ON CONFLICT DO UPDATE SET sent = sent + 1";

/** Puts the object whose ranges `baselineDelivery` reads. */
export async function prepareBaselineDelivery(request: Request, env: Env): Promise<Response> {
  const { bytes } = await request.json<{ bytes: number }>();
  await env.CONTENT.put(OBJECT, new Uint8Array(Math.max(bytes * CLAIM_EMAILS, RANGE_BYTES)));
  return new Response();
}

/**
 * Makes the calls to D1 and R2 that the delivery of `emails` emails of batches makes, each with `bytes` of content: a claim
 * and a read of the senders for each 300 emails, a write for each 16, and a read of each range of contents. The newest
 * emails of the database stand for those delivered; their rows are written with the values that they have.
 */
export async function baselineDelivery(request: Request, env: Env): Promise<Response> {
  const { emails, bytes } = await request.json<{ emails: number; bytes: number }>();
  for (let claimed = 0; claimed < emails; claimed += CLAIM_EMAILS) await baselineClaim(env, bytes);
  return new Response();
}

async function baselineClaim(env: Env, bytes: number): Promise<void> {
  const { DB, MAIL_0 } = env;
  const [, , found] = await MAIL_0.batch<EmailRow>([
    MAIL_0.prepare(FIND_NO_ROW).bind("[]"),
    MAIL_0.prepare(FIND_NO_ROW).bind("[]"),
    MAIL_0.prepare(FIND_EMAILS).bind(CLAIM_EMAILS),
  ]);
  const rows = found?.results ?? [];
  await DB.batch([
    DB.prepare("SELECT id, settings FROM workspaces LIMIT 1"),
    DB.prepare("SELECT id, domain_id, selector, algorithm, private_key FROM dkim_keys LIMIT 2"),
    DB.prepare(FIND_SUPPRESSIONS).bind(JSON.stringify(rows.map(({ recipients }) => ({ recipients })))),
  ]);
  for (let at = 0; at < bytes * CLAIM_EMAILS; at += RANGE_BYTES) {
    const object = await env.CONTENT.get(OBJECT, { range: { offset: at, length: RANGE_BYTES } });
    await object?.arrayBuffer();
  }
  for (let at = 0; at < rows.length; at += FLUSH_EMAILS) {
    const flushed = rows.slice(at, at + FLUSH_EMAILS);
    const numbers = JSON.stringify(flushed.map(({ n }) => n));
    const values = flushed.map(({ n, recipients, events }) => ({ n, recipients, events }));
    await MAIL_0.batch([
      MAIL_0.prepare(UPDATE_EMAILS).bind(JSON.stringify(values)),
      MAIL_0.prepare("SELECT changes()"),
      MAIL_0.prepare(INSERT_CHANGE).bind(numbers),
      MAIL_0.prepare(ADD_TO_ROLLUPS),
      MAIL_0.prepare(FIND_NO_ROW).bind(numbers),
      MAIL_0.prepare(FIND_NO_ROW).bind("[]"),
    ]);
  }
}
