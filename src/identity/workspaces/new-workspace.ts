import type { Ctx, MainStatement } from "../../platform/context.ts";
import { placementStatements } from "./place.ts";

const INSERT_WORKSPACE = "INSERT INTO workspaces (id, name, slug, created_at) VALUES (?1, ?2, ?3, ?4)";
const INSERT_OWNER = `
  INSERT INTO memberships (workspace, user_id, role, created_at)
  SELECT number, ?2, 'owner', ?3 FROM workspaces WHERE id = ?1`;

/** Returns the statements that create a workspace with one owner on the emptiest mail database, its test domain, and its id. */
export async function newWorkspace(
  ctx: Ctx,
  { name, ownerId }: { name: string; ownerId: string },
): Promise<{ id: string; createdAt: number; statements: MainStatement[] }> {
  const id = ctx.newId();
  const now = ctx.now();
  const slug = toSlug(name, id);
  const sandbox = await ctx.newSandbox?.(ctx, { id, slug });
  return {
    id,
    createdAt: now,
    statements: [
      ctx.db.prepare(INSERT_WORKSPACE).bind(id, name, slug, now),
      ...placementStatements(ctx, id),
      ctx.db.prepare(INSERT_OWNER).bind(id, ownerId, now),
      ...(sandbox?.statements ?? []),
    ],
  };
}

/** Returns the slug of a new workspace: letters and digits of its name, and the end of its random id. */
export function toSlug(name: string, id: string): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return `${words.slice(0, 40) || "workspace"}-${id.slice(-6)}`;
}
