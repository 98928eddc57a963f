import type { CallerCtx } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import type { TopicRow } from "./queries.ts";
import { type TopicOut, type TopicPatch, toTopic } from "./schema.ts";

const UPDATE = `
  UPDATE topics SET name = coalesce(?3, name), description = CASE WHEN ?4 THEN ?5 ELSE description END,
         is_public = coalesce(?6, is_public)
   WHERE workspace = ?1 AND id = ?2
  RETURNING n, id, name, description, default_choice AS defaultChoice, is_public AS isPublic, created_at AS createdAt`;

/** Changes the given fields of a topic. Its default stays (docs/contract/topics.md#topics). Throws 404. */
export async function updateTopic(ctx: CallerCtx, id: string, patch: TopicPatch): Promise<TopicOut> {
  const { name = null, description, is_public: isPublic } = patch;
  const changes = [name, description === undefined ? 0 : 1, description || null];
  const flag = isPublic === undefined ? null : Number(isPublic);
  const row = await ctx.db.findRow<TopicRow>(UPDATE, ctx.workspace.number, parseUuid(id) ?? "", ...changes, flag);
  return toTopic(requireFound(row, "Topic"));
}
