import type { CallerCtx } from "../../access/caller.ts";
import { LiquidTextError } from "../../lib/liquid/text.ts";
import { findSenderOf } from "../../sending/emails/index.ts";
import { type BodyParts, NO_PARTS } from "../../sending/templates/index.ts";
import {
  type ContentColumns,
  currentParts,
  hasContent,
  partNames,
  storeContents,
  toContents,
  type VariantContent,
} from "./contents.ts";
import type { StepContent } from "./step-rows.ts";

/** Texts of an email of a step. */
export type StepTexts = Pick<StepContent, "subject" | "html" | "text" | "language">;

/** A step that sends emails. */
export interface EmailOfStep extends Pick<StepContent, "id" | "path" | "mailboxId" | "topicId"> {
  texts: StepTexts;
}

/** Returns the content of a step with the templates that it renders as they are now, or why it cannot be sent. At most two D1 calls. */
export async function toStepContent(
  ctx: CallerCtx,
  { id, path, mailboxId, topicId, texts }: EmailOfStep,
): Promise<StepContent | { issue: string }> {
  const sender = await findSenderOf(ctx, mailboxId);
  if ("error" in sender) return { issue: sender.error === "unknown" ? "the mailbox does not exist" : sender.error };
  const content: StepContent = {
    id,
    path,
    mailboxId,
    topicId,
    parts: null,
    ...texts,
    userId: ctx.actor.userId,
    fromAddress: sender.email,
    fromDomain: sender.domain,
  };
  const row = toRow(ctx.workspace.number, content);
  try {
    const parts = partNames(row, []).length > 0 ? await currentParts(ctx, row, []) : null;
    if (!hasContent(toContents(row, [], parts ?? NO_PARTS))) return { issue: "it has neither html nor text" };
    return { ...content, parts: parts && JSON.stringify(parts) };
  } catch (error) {
    if (error instanceof LiquidTextError) return { issue: error.message };
    throw error;
  }
}

/** Returns the content of the emails of a step. Throws LiquidTextError. */
export function contentOfStep(ctx: CallerCtx, step: StepContent): VariantContent {
  const [content] = toContents(toRow(ctx.workspace.number, step), [], partsOf(step));
  if (!content) throw new Error("a row without variants has one content");
  return content;
}

const partsOf = ({ parts }: StepContent): BodyParts => (parts === null ? NO_PARTS : (JSON.parse(parts) as BodyParts));

/** Writes the content of steps to R2, where their emails read it. Writing it again changes nothing. */
export async function storeStepContents(ctx: CallerCtx, contents: readonly StepContent[]): Promise<void> {
  for (const content of contents) {
    await storeContents(ctx, ctx.workspace.id, content.id, [contentOfStep(ctx, content)]);
  }
}

/** Returns the row of a step, as far as contents read it. */
function toRow(workspace: number, { language, subject, html, text }: StepContent): ContentColumns {
  const bodies = { html_body: html, text_body: text, text_from_html: 0 };
  return { workspace, language, subject, preheader: null, ...bodies, reply_to: null };
}
