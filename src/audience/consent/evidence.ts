import { mailBudgets } from "../../platform/budgets/mail-tables.ts";
import type { MailCtx, MailStatement } from "../../platform/context.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import type { consents } from "../../platform/db/schema/mail/index.ts";
import { shortHash } from "./tokens.ts";

/** One piece of evidence: a person asked for mail (`requested`), confirmed it, or a caller stated consent that it has. */
export type Evidence = Omit<typeof consents.$inferSelect, "workspace">;

const INSERT = `
  INSERT OR IGNORE INTO consents (workspace, email_key, id, kind, at, list_id, list_name, ip, user_agent, words, source, user_id)
  SELECT ?1, value->>'emailKey', value->>'id', value->>'kind', value->>'at', value->>'listId', value->>'listName',
         value->>'ip', value->>'userAgent', value->>'words', value->>'source', value->>'userId' FROM json_each(?2)`;

const COUNT = "(SELECT count(*) FROM consents c WHERE c.workspace = ?1 AND c.email_key = value->>'emailKey')";
/** At the end of the budget the statement of a caller is refused, and the request of a visitor is not kept, who learns nothing of it. */
const HAS_ROOM: Readonly<Record<Evidence["kind"], string>> = {
  stated: hasRoom("consents", "value->>'emailKey'", COUNT),
  requested: `${COUNT} < ${mailBudgets.consents.rows}`,
  confirmed: "true",
};

/** Characters of a user agent that are kept. */
const USER_AGENT_CHARACTERS = 300;

/** When evidence is kept: when the statement before it changed a row, or when its contact has not confirmed yet. */
const CONDITIONS = {
  always: "true",
  changed: "changes() > 0",
  pending: `EXISTS (
    SELECT 1 FROM contact_lists l CROSS JOIN contacts c
     WHERE l.workspace = ?1 AND l.id = value->>'listId' AND c.workspace = ?1 AND c.email_key = value->>'emailKey' AND c.list = l.n
       AND c.pending_since IS NOT NULL)`,
} as const;

/**
 * Returns the statement that keeps evidence. Safe to run twice. Its batch throws BudgetSpentError for a statement about a person with too
 * much.
 */
export function evidenceStatement(
  ctx: MailCtx,
  workspace: number,
  when: keyof typeof CONDITIONS,
  evidence: Evidence,
): MailStatement {
  const userAgent = evidence.userAgent?.slice(0, USER_AGENT_CHARACTERS).toWellFormed() ?? null;
  return ctx.mail
    .prepare(`${INSERT} WHERE ${CONDITIONS[when]} AND ${HAS_ROOM[evidence.kind]}`)
    .bind(workspace, JSON.stringify([{ ...evidence, userAgent }]));
}

// The ids of contacts are those of their evidence, so that a repeated import adds none.
const INSERT_STATED = `
  INSERT OR IGNORE INTO consents (workspace, email_key, id, kind, at, list_id, list_name, ip, source, user_id)
  SELECT c.workspace, c.email_key, c.id, 'stated', ?3, l.id, l.name, ?4, ?5, ?6
    FROM json_each(?1) j CROSS JOIN contacts c ON c.list = ?2 AND c.id = j.value->>'id'
    JOIN contact_lists l ON l.n = c.list`;

/** Returns the statement that keeps a caller's statement about the contacts of an import. Safe to run twice. */
export function statedByImportStatement(
  ctx: MailCtx,
  {
    chunk,
    list,
    ip,
    source,
    userId,
  }: { chunk: string; list: number; ip: string | null; source: string; userId: string },
): MailStatement {
  return ctx.mail.prepare(INSERT_STATED).bind(chunk, list, ctx.now(), ip, source, userId);
}

/** Returns the statement that stores words, and their version. */
export async function wordsStatement(
  ctx: MailCtx,
  workspace: number,
  words: object,
): Promise<{ version: string; statement: MailStatement }> {
  const text = JSON.stringify(words);
  const version = await shortHash(text);
  const statement = ctx.mail
    .prepare("INSERT OR IGNORE INTO consent_words (workspace, version, words) VALUES (?1, ?2, ?3)")
    .bind(workspace, version, text);
  return { version, statement };
}
