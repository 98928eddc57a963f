const FIND_KEY = "SELECT id FROM api_keys WHERE hash = ?1";
const FIND_SENDER = "SELECT id FROM mailboxes WHERE workspace = 1 AND address = ?1";
const REQUIRE_OPEN =
  "INSERT INTO shard_workspaces (number, id, status) VALUES (1, '', 'open') ON CONFLICT DO UPDATE SET status = 'open' WHERE status = 'closed'";
const INSERT_OUTBOX_ROW = "INSERT INTO outbox (due_at, id, kind, ref) VALUES (9000000000000, ?1, 'baseline', '[]')";
const INSERT_CHANGE =
  "INSERT INTO changes (workspace, at_us, emails) SELECT 0, 1 + coalesce((SELECT max(at_us) FROM changes WHERE workspace = 0), 0), ?1";

/**
 * Makes the same binding calls as POST /v1/emails/ (one D1 batch of three reads in the main database, one rate
 * limit, one D1 batch of four writes in a mail database, one queue message after the response) and does nothing else: the lower bound for the cost of an accept.
 */
export async function baselineSend(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  const body = await request.text();
  const id = crypto.randomUUID();
  await env.DB.batch([
    env.DB.prepare(FIND_KEY).bind(id),
    env.DB.prepare(FIND_SENDER).bind(id),
    env.DB.prepare("SELECT email FROM suppressions WHERE workspace = 1 AND email = ?1").bind(id),
  ]);
  await env.SEND_RATE_LIMIT.limit({ key: "baseline" });
  await env.MAIL_0.batch([
    env.MAIL_0.prepare(REQUIRE_OPEN),
    env.MAIL_0.prepare(
      `INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, from_email, message_id, subject, recipients,
         events, content_offset, content_size, created_at, content)
       VALUES (0, ?1, 'queued', 'baseline', '', '', '', '', '', ?2, '[]', 0, 0, 0, ?3)`,
    ).bind(id, recipientsOf(body), body),
    env.MAIL_0.prepare(INSERT_OUTBOX_ROW).bind(id),
    env.MAIL_0.prepare(INSERT_CHANGE).bind(id),
  ]);
  ctx.waitUntil(env.WORK.sendBatch([{ body: { type: "outbox.wake.v2", database: 0, rows: [] } }]));
  return Response.json({ id }, { status: 202 });
}

/**
 * Makes the same binding calls as POST /v1/emails/batch with a body above 64 KiB, whose credential is read first. Each
 * D1 statement takes all items as one JSON parameter.
 */
export async function baselineBatch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  const items = await request.json<unknown[]>();
  const id = crypto.randomUUID();
  const rows = JSON.stringify(
    items.map((item, index) => ({ id: `${id}-${index}`, item: recipientsOf(JSON.stringify(item)) })),
  );
  await env.DB.prepare(FIND_KEY).bind(id).first();
  await env.SEND_RATE_LIMIT.limit({ key: "baseline" });
  await env.DB.batch([
    env.DB.prepare(FIND_SENDER).bind(id),
    env.DB.prepare(
      "SELECT email FROM suppressions WHERE workspace = 1 AND email IN (SELECT value->>'id' FROM json_each(?1))",
    ).bind(rows),
  ]);
  await env.CONTENT.put(`baseline/${id}`, JSON.stringify(items));
  await env.MAIL_0.batch([
    env.MAIL_0.prepare(REQUIRE_OPEN),
    env.MAIL_0.prepare(
      `INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, from_email, message_id, subject, recipients,
         events, content_offset, content_size, created_at)
       SELECT 0, value->>'id', 'queued', 'baseline', '', '', '', '', '', value->>'item', '[]', 0, 0, 0 FROM json_each(?1)`,
    ).bind(rows),
    env.MAIL_0.prepare(INSERT_OUTBOX_ROW).bind(id),
    env.MAIL_0.prepare(INSERT_CHANGE).bind(id),
  ]);
  ctx.waitUntil(env.WORK.sendBatch([{ body: { type: "outbox.wake.v2", database: 0, rows: [] } }]));
  return Response.json({ id }, { status: 202 });
}

/** Returns recipients of about the size of a small email's. They must be JSON, because cron indexes these emails too. */
const recipientsOf = (text: string) => JSON.stringify([{ email: text.slice(0, 280) }]);
