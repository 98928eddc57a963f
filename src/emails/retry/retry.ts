import type { CallerCtx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import {
  type ContentDocument,
  type ContentPlace,
  ContentUpload,
  contentPlace,
  findContent,
  putDocument,
} from "../content/index.ts";
import { type DetailRow, getEmail } from "../queries.ts";
import type { AcceptOut, SendIn } from "../schema.ts";
import type { Draft } from "../send/index.ts";
import { type Checked, checkSends, commitDrafts, refuse, requireAccount, toAccepted, toDraft } from "../send/index.ts";
import { type RecipientEntry, recipientKey } from "../timeline/index.ts";

const RETRIED = ["bounced", "rejected", "failed"];

/**
 * Sends an email again, as a new one, to those of its recipients that it did not reach (decisions 4): same content,
 * attachments included, in an object of its own. The original stays as it is. Throws 404, 409 for one that did not
 * bounce, fail or get rejected or whose content is gone, 403 and 422 as a send does, LostRace when another call with
 * the same Idempotency-Key was first.
 */
export async function retryEmail(ctx: CallerCtx, id: string): Promise<AcceptOut> {
  requireAccount(ctx);
  const row = await getEmail(ctx, id);
  if (!RETRIED.includes(row.status)) throw conflict("Only an email that bounced, was rejected or failed is sent again");
  const place = contentPlace(ctx.workspace.id, row);
  const content = await findContent(ctx, place);
  if (!content) throw conflict("The content of this email is no longer kept");
  const missed = missedOf(row);
  const [checked] = await checkSends(ctx, [toInput(row, content, missed)]);
  if (!checked) throw new Error("nothing was checked");
  refuse(checked.issues);
  const upload = new ContentUpload(ctx);
  const draft = await copyOf(ctx, row, upload, checked, place, content);
  const answer = toAccepted(draft);
  await commitDrafts(ctx, [draft], answer, upload.key);
  return answer;
}

/** Recipients it did not reach. When all were suppressed it reached nobody: they may have been let off the list since. */
function missedOf({ recipients }: DetailRow): RecipientEntry[] {
  const entries = JSON.parse(recipients) as RecipientEntry[];
  const missed = entries.filter(({ state }) => RETRIED.includes(state));
  return missed.length > 0 ? missed : entries;
}

/** The request that would send it. Everybody stands under `to` while it is checked. */
function toInput(row: DetailRow, content: ContentDocument, missed: readonly RecipientEntry[]): SendIn {
  return {
    from_: { email: row.fromEmail, name: row.fromName },
    to: missed.map(({ email, name }) => ({ email, name: name ?? null })),
    subject: row.subject,
    html: content.html,
    text: content.text,
    headers: Object.fromEntries(content.headers),
    tags: row.tags === null ? null : (JSON.parse(row.tags) as string[]),
  };
}

async function copyOf(
  ctx: CallerCtx,
  row: DetailRow,
  upload: ContentUpload,
  checked: Checked,
  place: ContentPlace,
  content: ContentDocument,
): Promise<Draft> {
  const attachments = await copyFiles(ctx, upload, place, content);
  const put = await putDocument(upload, { ...content, attachments });
  const draft = toDraft(ctx, upload.id, checked, put, row.source);
  const kinds = new Map(
    (JSON.parse(row.recipients) as RecipientEntry[]).map((entry) => [recipientKey(entry), entry.kind]),
  );
  const retried = { id: ctx.newId(), type: "retried" as const, at: draft.createdAt, metadata: { retry_of_id: row.id } };
  return {
    ...draft,
    recipients: draft.recipients.map((entry) => ({ ...entry, kind: kinds.get(recipientKey(entry)) ?? entry.kind })),
    events: [retried, ...draft.events],
    retryOfId: row.id,
  };
}

/** Copies the attachments into the upload, one part in memory at most. */
async function copyFiles(
  ctx: CallerCtx,
  upload: ContentUpload,
  { key }: ContentPlace,
  content: ContentDocument,
): Promise<ContentDocument["attachments"]> {
  const copied: ContentDocument["attachments"] = [];
  try {
    for (const file of content.attachments) {
      copied.push({ ...file, at: await upload.takeStream(await openRange(ctx, key, file)) });
    }
  } catch (error) {
    await upload.abort();
    throw error;
  }
  return copied;
}

async function openRange(
  ctx: CallerCtx,
  key: string,
  { at, size }: { at: number; size: number },
): Promise<AsyncIterable<Uint8Array>> {
  // R2 refuses a range of nothing.
  if (size === 0) return new Blob([]).stream();
  const object = await ctx.env.CONTENT.get(key, { range: { offset: at, length: size } });
  if (!object) throw conflict("The content of this email is no longer kept");
  return object.body;
}
