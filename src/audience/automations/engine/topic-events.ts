import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import { ID_SUFFIX_SQL, idPrefix } from "../../../platform/db/random-id.ts";

const INSERT = `
  INSERT INTO events (workspace, id, email_key, name, data, occurred_at, created_at)
  SELECT j.value->>'workspace', ?2 || ${ID_SUFFIX_SQL}, j.value->>'key', j.value->>'name', j.value->'data', ?3, ?3 FROM json_each(?1) j`;

/** Returns the statement that records that steps changed topics of people. */
export function topicEventStatement(
  ctx: MailCtx,
  events: readonly { workspace: number; key: string; name: string; data: object }[],
): MailStatement {
  return ctx.mail.prepare(INSERT).bind(JSON.stringify(events), idPrefix(ctx), ctx.now());
}
