import type { CallerCtx } from "../../access/caller.ts";
import { parseDisplayAddress } from "../../lib/display-address.ts";
import { invalidField, notFound } from "../../lib/errors.ts";
import { LiquidTextError, parseLiquid } from "../../lib/liquid/text.ts";
import { examine } from "../../sending/templates/index.ts";
import { getTopic } from "../../sending/topics/index.ts";
import { getSegment } from "../segments/index.ts";
import { type BroadcastRow, findContactLists, permittedDomains } from "./queries.ts";
import type { BroadcastPatch } from "./schema.ts";

type References = Pick<
  BroadcastPatch,
  "from_address" | "contact_list_id" | "more_contact_list_ids" | "mailbox_id" | "topic_id" | "segment_id"
>;

/**
 * Throws 404 when a contact list, the mailbox, the topic or the segment that a request names does not exist in the workspace, and 422 for
 * a sender whose domain is not one of those that the API key is restricted to.
 */
export async function checkReferences(ctx: CallerCtx, input: References): Promise<void> {
  if (input.from_address !== undefined) await requirePermitted(ctx, domainOfSender(input.from_address));
  const { contact_list_id: first, more_contact_list_ids: more, mailbox_id, topic_id, segment_id } = input;
  const ids = [...new Set([...(first ? [first] : []), ...(more ?? [])])];
  if (ids.length > 0 && (await findContactLists(ctx, ctx.workspace.number, ids)).length < ids.length)
    throw notFound("Contact list");
  if (mailbox_id && !(await hasMailbox(ctx, mailbox_id))) throw notFound("Mailbox");
  if (topic_id) await getTopic(ctx, topic_id);
  if (segment_id) await getSegment(ctx, segment_id);
}

// The domains that the credential is restricted to are JSON, or null.
const FIND_MAILBOX = `
  SELECT 1 FROM mailboxes WHERE workspace = ?1 AND id = ?2
     AND (?3 IS NULL OR domain_id IN (SELECT value FROM json_each(?3)))`;

/** Returns whether the workspace has a mailbox that the caller may use. */
export async function hasMailbox({ db, workspace, actor: { domainIds } }: CallerCtx, id: string): Promise<boolean> {
  const permitted = domainIds && JSON.stringify([...domainIds]);
  return (await db.findRow(FIND_MAILBOX, workspace.number, id, permitted)) !== null;
}

/** Throws 422 when `scheduled_at` is not in the future. */
export function checkScheduledAt(ctx: CallerCtx, scheduledAt: number | null | undefined): void {
  if (scheduledAt === null || scheduledAt === undefined || scheduledAt > ctx.now()) return;
  throw invalidField("scheduled_at", "scheduled_at must be in the future");
}

async function requirePermitted(ctx: CallerCtx, domain: string): Promise<void> {
  const permitted = await permittedDomains(ctx);
  if (permitted !== null && !(JSON.parse(permitted) as string[]).includes(domain))
    throw invalidField("from_address", `This credential may not send from ${domain}`);
}

/** Returns the domain of a sender that the schema has checked. */
export const domainOfSender = (fromAddress: string): string => parseDisplayAddress(fromAddress)?.domain ?? "";

type Texts = Pick<BroadcastRow, "language" | "subject" | "preheader" | "html_body" | "text_body">;

/**
 * Checks the texts of a broadcast or variant that is to be stored. Throws 422 with line and column of the first mistake, or for a part
 * that does not exist (docs/contract/templates.md#liquid). At most one D1 call.
 */
export async function checkTexts(ctx: CallerCtx, { language, ...texts }: Texts): Promise<void> {
  const content = { language, subject: texts.subject, htmlBody: texts.html_body, textBody: texts.text_body };
  await examine(ctx, content, null);
  if (language === "placeholders" || texts.preheader === null) return;
  try {
    if (parseLiquid(texts.preheader, "html").parts.length > 0)
      throw invalidField("preheader", "preheader: a preheader renders no other templates");
  } catch (error) {
    if (error instanceof LiquidTextError) throw invalidField("preheader", `preheader: ${error.message}`);
    throw error;
  }
}
