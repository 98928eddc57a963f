import { and, eq } from "drizzle-orm";
import type { CallerCtx } from "../../access/caller.ts";
import { notFound, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { orm } from "../../platform/db/client.ts";
import { templates } from "../../platform/db/schema/main/index.ts";

/** Deletes a template for good. Emails made with it keep their content. Throws 404. */
export async function deleteTemplate(ctx: CallerCtx, id: string): Promise<void> {
  const uuid = requireFound(parseUuid(id), "Template");
  const [deleted] = await orm(ctx)
    .delete(templates)
    .where(and(eq(templates.id, uuid), eq(templates.workspace, ctx.workspace.number)))
    .returning({ id: templates.id });
  if (!deleted) throw notFound("Template");
}
