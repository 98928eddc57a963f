import type { CallerCtx } from "../../access/caller.ts";
import { findTopic } from "../../sending/topics/index.ts";
import { findSegment } from "../segments/index.ts";
import { hasMailbox } from "./check-references.ts";
import { insertBroadcast } from "./create.ts";
import { newRow, toColumns } from "./new-row.ts";
import { type Broadcast, findContactLists, getBroadcast, listIdsOf, toRecord } from "./queries.ts";
import { limits } from "./rules.ts";
import { type BroadcastOut, BroadcastPatch } from "./schema.ts";
import { findVariants } from "./variants/queries.ts";

const COPY_VARIANTS = `
  INSERT INTO broadcast_variants (workspace, broadcast, id, label, subject, weight, created_at, html_body, text_body, language)
  SELECT b.workspace, b.n, j.value->>'copy', v.label, v.subject, v.weight, b.created_at, v.html_body, v.text_body, v.language
    FROM json_each(?3) j CROSS JOIN broadcasts b ON b.workspace = ?1 AND b.id = ?2
    JOIN broadcast_variants v ON v.n = j.value->>'n'`;

const SUFFIX = " (copy)";

/**
 * Copies a broadcast with its variants as a draft, in any status: its content, audience and settings, without its time. Lists, mailbox, topic
 * and segment that are gone since are null. Throws 404, and 422 when a template that it renders is gone.
 */
export async function copyBroadcast(ctx: CallerCtx, id: string): Promise<BroadcastOut> {
  const broadcast = await getBroadcast(ctx, id);
  const [variants, references] = await Promise.all([
    findVariants(ctx, broadcast.row.n),
    findReferences(ctx, broadcast),
  ]);
  const name = broadcast.row.name.slice(0, limits.nameCharacters - SUFFIX.length) + SUFFIX;
  const stored = toRecord(ctx.workspace.id, broadcast);
  const row = newRow(ctx, toColumns(BroadcastPatch.parse({ ...stored, ...references, name, scheduled_at: null })));
  const ids = JSON.stringify(variants.map(({ n }) => ({ n, copy: ctx.newId() })));
  return insertBroadcast(ctx, row, [ctx.mail.prepare(COPY_VARIANTS).bind(row.workspace, row.id, ids)]);
}

/** Returns the references of a broadcast that still exist. Without its segment, its lists are null too: a copy must not reach more people. */
async function findReferences(ctx: CallerCtx, { row }: Broadcast) {
  const { workspace, contact_list_id: first, mailbox_id, topic_id, segment_id } = row;
  const [lists, hasOwnMailbox, topic, segment] = await Promise.all([
    findContactLists(ctx, workspace, listIdsOf(row)),
    mailbox_id !== null && hasMailbox(ctx, mailbox_id),
    topic_id === null ? null : findTopic(ctx, workspace, topic_id),
    segment_id === null ? null : findSegment(ctx, workspace, segment_id),
  ]);
  const ids = segment_id !== null && segment === null ? [] : lists.map((list) => list.id);
  return {
    contact_list_id: ids.find((listId) => listId === first) ?? null,
    more_contact_list_ids: ids.filter((listId) => listId !== first),
    mailbox_id: hasOwnMailbox ? mailbox_id : null,
    topic_id: topic === null ? null : topic_id,
    segment_id: segment === null ? null : segment_id,
  };
}
