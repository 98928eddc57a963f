import { eq } from "drizzle-orm";
import type { CallerCtx } from "../context.ts";
import { orm } from "../db/client.ts";
import { workspaces } from "../db/schema/main/index.ts";
import { notFound } from "../errors.ts";

/** Returns the workspace of the credential. Throws 404 for any other id: an API key sees its own workspace only. */
export async function getWorkspace(ctx: CallerCtx, id: string) {
  if (id.toLowerCase() !== ctx.workspace.id) throw notFound("Workspace");
  const [row] = await orm(ctx).select().from(workspaces).where(eq(workspaces.number, ctx.workspace.number));
  if (!row) throw notFound("Workspace");
  return row;
}
