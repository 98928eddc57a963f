import type { Language } from "../../lib/personal-text.ts";
import type { MailCtx, MailStatement } from "../../platform/context.ts";

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
  const db = ctx.mail;
  return contents.flatMap((content) => {
    const json = JSON.stringify([content]);
    return [
      db.prepare(INSERT).bind(json, workspace, ctx.now(), automationId),
      ...(content.parts === null ? [] : [db.prepare(INSERT_PARTS).bind(json, workspace)]),
    ];
  });
}
