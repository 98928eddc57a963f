import { keyedHashes } from "../../src/lib/secret-box.ts";
import { type TestWorkspace, testContext } from "./workspace.ts";

/** Inserts an invitation to a workspace from its owner, as if its email had been sent. Returns its id and token. */
export async function insertInvitation(
  { workspaceNumber, userId }: Pick<TestWorkspace, "workspaceNumber" | "userId">,
  { email, token = crypto.randomUUID() }: { email: string; token?: string },
) {
  const ctx = testContext();
  const [hash] = await keyedHashes(ctx.settings.masterKeys, "invitation", token);
  const id = ctx.newId();
  await ctx.db
    .prepare(
      "INSERT INTO invitations (id, workspace, email, email_key, role, hash, invited_by, created_at, expires_at) VALUES (?1, ?2, ?3, lower(?3), 'member', ?4, ?5, ?6, ?7)",
    )
    .bind(id, workspaceNumber, email, hash, userId, ctx.now(), ctx.now() + 60_000)
    .run();
  return { id, token };
}

/** Returns the email address of a user. */
export async function emailOf(userId: string): Promise<string> {
  const user = testContext().db.prepare("SELECT email FROM users WHERE id = ?1").bind(userId);
  return (await user.first<string>("email")) ?? "";
}
