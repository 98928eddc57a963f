import type { Ctx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { SWEEP_MIN_AGE_MS } from "./rules.ts";

const FIND_UNNAMED = `
  SELECT j.value->>'key' AS key FROM json_each(?1) j JOIN workspaces w ON w.id = j.value->>'workspaceId'
   WHERE NOT EXISTS (
     SELECT 1 FROM templates t WHERE t.id = j.value->>'templateId' AND t.workspace = w.number
        AND (t.content_key = j.value->>'key' OR (j.value->>'isLast' AND t.updated_at > ?2)))`;

/**
 * Deletes those of these R2 objects that are edits of templates which no row names. The last one of each template stays for a day after
 * the template has changed: a backup, or a request, may have its row of before. The keys, in their order, are those of old objects; other
 * kinds and unknown workspaces are ignored.
 */
export async function sweepTemplateObjects(ctx: Ctx, keys: readonly string[]): Promise<void> {
  const objects = keys.flatMap((key) => {
    const [, workspaceId, folder, templateId] = key.split("/");
    return key.startsWith(r2Keys.workspaces) && folder === "templates" ? [{ key, workspaceId, templateId }] : [];
  });
  if (objects.length === 0) return;
  const rows = objects.map((one, at) => ({ ...one, isLast: objects[at + 1]?.templateId !== one.templateId }));
  const since = ctx.now() - SWEEP_MIN_AGE_MS;
  const unnamed = await ctx.db.listRows<{ key: string }>(FIND_UNNAMED, JSON.stringify(rows), since);
  if (unnamed.length === 0) return;
  ctx.log("retention.objects_without_rows", { objects: unnamed.length });
  await ctx.env.CONTENT.delete(unnamed.map(({ key }) => key));
}
