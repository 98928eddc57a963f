import { parsingWork } from "../../lib/liquid/meter.ts";
import { LiquidTextError } from "../../lib/liquid/text.ts";
import type { MailCtx, MailStatement } from "../../platform/context.ts";
import { metadataSql } from "../../platform/db/contact-metadata.ts";
import { hasWorkLeft, spendWork } from "../../platform/db/count-statements.ts";
import { type BodyParts, NO_PARTS } from "../../sending/templates/index.ts";
import { findTopic } from "../../sending/topics/index.ts";
import { findSender, missingTopic } from "./check-start.ts";
import { hasContent, type StoredContent, toContents, toStored } from "./contents.ts";
import { EMAILS_PER_ROW, insertStatements } from "./create-emails.ts";
import type { Sender } from "./fan-out.ts";
import { findSuppressed } from "./find-suppressed.ts";
import { EVENT, type PageContact, toEmail, withEvent } from "./new-email.ts";
import type { BroadcastRow } from "./queries.ts";
import { skipWords } from "./skip-reasons.ts";

/** An email that a step of an automation is to send. */
export interface StepEmail {
  /** Names it to the caller. */
  key: number;
  /** Canonical address of the person. */
  person: string;
  /** UUID that it gets. */
  id: string;
  /** Data of the event, which its content may name as `event`. */
  data: Readonly<Record<string, unknown>>;
}

/** Why an email was not made: about the person, or about the step, which then can make none. */
export type StepEmailIssue = { of: "person" | "step"; text: string };

/** The emails of one step: what was made, by the name of the caller, and the statements that insert it. Beyond the work of the invocation none is made. */
export interface StepEmails {
  issues: ReadonlyMap<number, StepEmailIssue>;
  statements: MailStatement[];
  /** Subjects of those that are made. */
  subjects: ReadonlyMap<number, string>;
}

const FIND_ROW = `
  SELECT b.*, p.parts FROM broadcasts b LEFT JOIN broadcast_parts p ON p.broadcast = b.n WHERE b.workspace = ?1 AND b.id = ?2`;

// The metadata is read only as far as the content names it.
const FIND_CONTACTS = `
  SELECT c.n, c.id, c.email, c.email_key AS key, c.name, c.pending_since AS pendingSince,
         ${metadataSql("?3")} AS metadata
    FROM json_each(?2) j CROSS JOIN contacts c ON c.workspace = ?1 AND c.email_key = j.value
   WHERE EXISTS (SELECT 1 FROM contact_lists l WHERE l.n = c.list) ORDER BY c.n`;

type ContactRow = PageContact & { pendingSince: number | null };

/** Prepares the emails of one step of an automation, whose row of `broadcasts` has this id. At most eight D1 calls. */
export async function prepareStepEmails(
  ctx: MailCtx,
  workspace: { number: number; id: string },
  rowId: string,
  emails: readonly StepEmail[],
): Promise<StepEmails> {
  const step = await readStep(ctx, workspace, rowId);
  if ("issue" in step) return refused(emails, step.issue);
  const names = step.content.names.filter((name) => !["email", "name", EVENT].includes(name));
  const keys = [...new Set(emails.map(({ person }) => person))];
  const values = [workspace.number, JSON.stringify(keys), JSON.stringify(names)];
  const contacts = await ctx.mail.listRows<ContactRow>(FIND_CONTACTS, ...values);
  const suppressed = await findSuppressed(ctx, { workspace: workspace.number, topic: step.topic }, keys);
  const contactsOf = Map.groupBy(contacts, ({ key }) => key);
  const issues = new Map<number, StepEmailIssue>();
  const toSend: { contact: ContactRow; email: StepEmail }[] = [];
  for (const email of emails) {
    const own = contactsOf.get(email.person) ?? [];
    const contact = own.find(({ pendingSince }) => pendingSince === null);
    const cause = contact ? suppressed.get(email.person) : "pending";
    if (!contact || cause) {
      const text = own.length > 0 && cause ? skipWords[cause] : NO_CONTACT;
      issues.set(email.key, { of: "person", text });
    } else toSend.push({ contact, email });
  }
  const made = toNewEmails(ctx, step, toSend);
  const rows = made.map(({ email }) => email);
  return {
    issues,
    subjects: new Map(made.map(({ key, email }) => [key, email.subject])),
    statements: insertStatements(ctx, workspace, step.row.n, rows, [{ variant: 0, queued: rows.length }]),
  };
}

function toNewEmails(
  ctx: MailCtx,
  { row, content, sender, topic }: ReadyStep,
  toSend: readonly { contact: ContactRow; email: StepEmail }[],
) {
  const now = ctx.now();
  const outboxIds = Array.from({ length: Math.ceil(toSend.length / EMAILS_PER_ROW) }, () => ctx.newId());
  return toSend.flatMap(({ contact: found, email: { key, id, data } }, index) => {
    if (index > 0 && !hasWorkLeft(ctx)) return [];
    const contact = content.names.includes(EVENT) ? withEvent(found, data) : found;
    const outboxId = outboxIds[Math.floor(index / EMAILS_PER_ROW)] ?? null;
    return [{ key, email: toEmail(ctx, { row, sender, topic, contact, content, now, outboxId, id }) }];
  });
}

const NO_CONTACT = "no contact of the person is left";

function refused(emails: readonly StepEmail[], text: string): StepEmails {
  const issues = new Map(emails.map(({ key }) => [key, { of: "step" as const, text }]));
  return { issues, statements: [], subjects: new Map() };
}

interface ReadyStep {
  row: BroadcastRow;
  content: StoredContent;
  sender: Sender;
  topic: number | null;
}

async function readStep(
  ctx: MailCtx,
  workspace: { number: number; id: string },
  rowId: string,
): Promise<ReadyStep | { issue: string }> {
  const found = await ctx.mail.findRow<BroadcastRow & { parts: string | null }>(FIND_ROW, workspace.number, rowId);
  if (!found) return { issue: "its content does not exist any more" };
  const { parts, ...row } = found;
  if (row.status === "cancelled") return { issue: "its sending domain was moved to another workspace" };
  const sender = await findSender(ctx, row, null);
  if ("error" in sender) return { issue: sender.error.msg };
  const topic = row.topic_id === null ? null : await findTopic(ctx, row.workspace, row.topic_id);
  if (row.topic_id !== null && topic === null) return { issue: missingTopic.msg };
  const content = readContent(workspace.id, row, parts);
  if ("contentSize" in content) spendWork(ctx, parsingWork(content.contentSize));
  return "issue" in content ? content : { row, content, sender, topic: topic?.n ?? null };
}

function readContent(workspaceId: string, row: BroadcastRow, parts: string | null): StoredContent | { issue: string } {
  try {
    const contents = toContents(row, [], parts === null ? NO_PARTS : (JSON.parse(parts) as BodyParts));
    const [content] = hasContent(contents) ? toStored(workspaceId, row.id, contents) : [];
    return content ?? { issue: "it has no content" };
  } catch (error) {
    if (error instanceof LiquidTextError) return { issue: error.message };
    throw error;
  }
}
