import type { MailCtx } from "../../platform/context.ts";
import { MIN_PACKED_EMAILS, type MovedContent, packContents } from "../emails/index.ts";
import type { KnownReport } from "./types.ts";

/**
 * Moves the content of emails whose receivers have said their last word from their rows to R2: one object for each workspace with enough of
 * them. Returns the places by emails.n, which the write of the outcomes sets without a row more. What R2 did not take is moved by cron.
 */
export async function moveContents(
  ctx: MailCtx,
  reports: readonly KnownReport[],
): Promise<ReadonlyMap<number, MovedContent>> {
  const places = new Map<number, MovedContent>();
  const inRow = reports.flatMap(({ outcome, state: { n, id, recipients }, content, workspaceId }) => {
    const isLast = recipients.length === 1 && outcome.recipients.every(({ result }) => LAST_WORDS.has(result.kind));
    return isLast && content !== null ? [{ n, id, content, workspaceId }] : [];
  });
  for (const [workspaceId, emails] of Map.groupBy(inRow, (email) => email.workspaceId)) {
    if (emails.length < MIN_PACKED_EMAILS) continue;
    try {
      for (const place of await packContents(ctx, workspaceId, emails)) places.set(place.n, place);
    } catch (error) {
      ctx.log("delivery.content.not_moved", { error: String(error) });
    }
  }
  return places;
}

const LAST_WORDS: ReadonlySet<string> = new Set(["accepted", "recipient-refused", "message-refused"]);
