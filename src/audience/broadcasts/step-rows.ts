import type { Language } from "../../lib/personal-text.ts";
import type { MailCtx } from "../../platform/context.ts";
import { mailDb } from "../../platform/db/client.ts";
import type { MailStatement } from "../../platform/db/database.ts";

/** The content of the emails of a step of an automation, as it is when the step becomes active. */
export interface StepContent {
  /** Id of the row, which the emails of the step share. */
  id: string;
  /** Path of the step. */
  path: string;
  userId: string;
  mailboxId: string;
  fromAddress: string;
  fromDomain: string;
  subject: string;
  html: string | null;
  text: string | null;
  language: Language;
  topicId: string | null;
  /** JSON of the templates that it renders; null: none. */
  parts: string | null;
}

// `bulk_tags` hides the row from the endpoints of broadcasts.
const INSERT = `
  INSERT OR IGNORE INTO broadcasts (workspace, id, status, user_id, mailbox_id, name, subject, from_address, from_domain, size,
    created_at, updated_at, html_body, text_body, bulk_tags, language, topic_id, automation, automation_id, automation_step)
  SELECT ?2, value->>'id', 'sending', value->>'userId', value->>'mailboxId', 'Automation', value->>'subject', value->>'fromAddress',
    value->>'fromDomain', 0, ?3, ?3, value->>'html', value->>'text', '[]', value->>'language', value->>'topicId',
    (SELECT n FROM automations WHERE workspace = ?2 AND id = ?4), ?4, value->>'path' FROM json_each(?1)`;

const INSERT_PARTS = `
  INSERT OR IGNORE INTO broadcast_parts (broadcast, workspace, parts)
  SELECT b.n, b.workspace, j.value->>'parts' FROM json_each(?1) j CROSS JOIN broadcasts b ON b.workspace = ?2 AND b.id = j.value->>'id'
   WHERE j.value->>'parts' IS NOT NULL`;

/** Returns the statements that insert the rows of steps of an automation, whose row exists. Safe to repeat. */
export function insertStepRowsStatements(
  ctx: MailCtx,
  workspace: number,
  automationId: string,
  contents: readonly StepContent[],
): MailStatement[] {
  const db = mailDb(ctx);
  return contents.flatMap((content) => {
    const json = JSON.stringify([content]);
    return [
      db.prepare(INSERT).bind(json, workspace, ctx.now(), automationId),
      ...(content.parts === null ? [] : [db.prepare(INSERT_PARTS).bind(json, workspace)]),
    ];
  });
}

const READ = `
  SELECT b.automation, b.status, b.paused_at AS pausedAt, b.created_at AS createdAt, b.id, b.user_id AS userId, b.mailbox_id AS mailboxId,
         b.from_address AS fromAddress, b.from_domain AS fromDomain, b.subject, b.html_body AS html, b.text_body AS text, b.language,
         b.topic_id AS topicId, b.automation_id AS automationId, b.automation_step AS path, p.parts
    FROM broadcasts b LEFT JOIN broadcast_parts p ON p.broadcast = b.n WHERE b.workspace = ?1 AND b.id = ?2`;

// The number of the automation is that of its own database.
const INSERT_COPY = `
  INSERT OR IGNORE INTO broadcasts (workspace, id, status, user_id, mailbox_id, name, subject, from_address, from_domain, size,
    created_at, updated_at, html_body, text_body, bulk_tags, language, topic_id, automation, paused_at, automation_id, automation_step)
  SELECT ?2, value->>'id', value->>'status', value->>'userId', value->>'mailboxId', 'Automation', value->>'subject', value->>'fromAddress',
    value->>'fromDomain', 0, value->>'createdAt', value->>'createdAt', value->>'html', value->>'text', '[]', value->>'language',
    value->>'topicId', value->>'automation', value->>'pausedAt', value->>'automationId',
    value->>'path' FROM json_each(?1)`;

/** Copies the row of a step into the database that gets the emails of the workspace, unless it is there. Two or three D1 calls. */
export async function copyRow(here: MailCtx, there: MailCtx, workspace: number, rowId: string): Promise<void> {
  const isThere = "SELECT 1 AS found FROM broadcasts WHERE workspace = ?1 AND id = ?2";
  if (await mailDb(there).prepare(isThere).bind(workspace, rowId).first()) return;
  const row = await mailDb(here).prepare(READ).bind(workspace, rowId).first();
  if (!row) return;
  const json = JSON.stringify([row]);
  const db = mailDb(there);
  await db.batch([db.prepare(INSERT_COPY).bind(json, workspace), db.prepare(INSERT_PARTS).bind(json, workspace)]);
}
