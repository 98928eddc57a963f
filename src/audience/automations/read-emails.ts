import type { CallerCtx } from "../../access/caller.ts";
import { unprocessable } from "../../lib/errors.ts";
import { BODY_COLUMNS, type ContentColumns, fillContents } from "../../sending/templates/index.ts";
import { type StepContent, type StepTexts, toStepContent } from "../broadcasts/index.ts";
import { type Definition, type EmailStep, placedSteps, stepNumber } from "./definition.ts";
import { emailRowId } from "./versions.ts";

const FIND_TEMPLATES = `
  SELECT t.id, coalesce(t.subject, '') AS subject, t.language, ${BODY_COLUMNS}
    FROM json_each(?2) j CROSS JOIN templates t ON t.workspace = ?1 AND t.id = j.value`;

/**
 * Returns the contents of the emails of a version, as their templates are now: later changes of a template do not reach people who are
 * inside. Throws 422 for a sender that may not send, and with line and column for a text that cannot be rendered. Three D1 calls for each
 * step that sends, at most, and one to R2 for each large template.
 */
export async function readEmails(
  ctx: CallerCtx,
  { automationId, number, definition }: { automationId: string; number: number; definition: Definition },
): Promise<StepContent[]> {
  const steps = placedSteps(definition.steps).flatMap(({ path, step }) =>
    step.kind === "send_email" ? [{ path, step }] : [],
  );
  const templates = await findTemplates(ctx, steps);
  const contents: StepContent[] = [];
  for (const { path, step } of steps) {
    const texts = step.template_id === undefined ? ownTexts(step) : templates.get(step.template_id);
    if (!texts) throw refuse(path, "the template does not exist any more");
    const id = await emailRowId(automationId, number, path);
    const { mailbox_id: mailboxId, topic_id: topicId = null } = step;
    const content = await toStepContent(ctx, { id, path, mailboxId, topicId, texts });
    if ("issue" in content) throw refuse(path, content.issue);
    contents.push(content);
  }
  return contents;
}

function refuse(path: string, issue: string) {
  const msg = `Step ${stepNumber(path)} can send no email: ${issue}`;
  return unprocessable([{ loc: ["body", "steps", ...path.split(".")], msg, type: "value_error" }]);
}

async function findTemplates(ctx: CallerCtx, steps: readonly { step: EmailStep }[]) {
  const ids = [...new Set(steps.flatMap(({ step }) => step.template_id ?? []))];
  if (ids.length === 0) return new Map<string, StepTexts>();
  const values = [ctx.workspace.number, JSON.stringify(ids)];
  type Row = ContentColumns & Pick<StepTexts, "subject" | "language"> & { id: string };
  const results = await fillContents(ctx, await ctx.db.listRows<Row>(FIND_TEMPLATES, ...values));
  return new Map<string, StepTexts>(
    results.map(({ id, subject, language, htmlBody: html, textBody: text }) => [id, { subject, language, html, text }]),
  );
}

function ownTexts({ subject = "", html, text, language = "placeholders" }: EmailStep): StepTexts {
  return { subject, html: html ?? null, text: text ?? null, language };
}
