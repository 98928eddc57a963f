import { eq } from "drizzle-orm";
import type { CallerCtx } from "../context.ts";
import { orm } from "../db/client.ts";
import { workspaces } from "../db/schema/index.ts";
import { notFound } from "../errors.ts";

/** The workspace a credential belongs to. An API key sees its own and no other, whoever made it. */
export async function getWorkspace(ctx: CallerCtx, id: string) {
  if (id !== ctx.workspace.id) throw notFound("Workspace");
  const [row] = await orm(ctx).select().from(workspaces).where(eq(workspaces.number, ctx.workspace.number));
  if (!row) throw notFound("Workspace");
  return row;
}
