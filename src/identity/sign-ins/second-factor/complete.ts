import { type Client, newSession } from "../../../access/sessions/start.ts";
import { findOneTimeToken, redeemStatements } from "../../../access/tokens/one-time-tokens.ts";
import type { Ctx } from "../../../platform/context.ts";
import { ConcurrencyError, guardedBatch } from "../../../platform/db/batch.ts";
import { firstWorkspace, mayGetWorkspace, type PendingSignIn, type StartedSession } from "../complete.ts";
import { linkStatement } from "../linked-accounts/index.ts";
import { returnPath } from "../rules.ts";
import { verifyCode } from "./verify.ts";

/** The result of a second factor. `expired`: the sign-in has to start again. */
export type SecondFactor = StartedSession | { kind: "wrong-code" } | { kind: "expired" };

const FIND_HOME = `
  SELECT u.email, u.name, (
    SELECT w.id FROM memberships m JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
     WHERE m.user_id = u.id ORDER BY w.shut_at IS NOT NULL, m.created_at, m.workspace LIMIT 1) AS home
    FROM users u WHERE u.id = ?1`;

/** Completes a sign-in that waits for its second factor. A user without a workspace gets one where `mayGetWorkspace` allows it. Throws 429 beyond the limit of wrong codes. */
export async function completeSecondFactor(
  ctx: Ctx,
  { token, code, client }: { token: string; code: string; client: Client },
): Promise<SecondFactor> {
  const pending = await findOneTimeToken(ctx, "second_factor", token);
  if (!pending) return { kind: "expired" };
  const userId = pending.subject;
  const verified = await verifyCode(ctx, userId, code, { ip: client.ip, allowsRecovery: true });
  if (!verified) return { kind: "wrong-code" };
  const user = await ctx.db.findRow<{ email: string; name: string | null; home: string | null }>(FIND_HOME, userId);
  const { method, next, account } = pending.data as unknown as PendingSignIn;
  if (!user || (user.home === null && !mayGetWorkspace(ctx, method))) return { kind: "expired" };
  const { email, name } = user;
  const owner = { userId, email, name: name ?? email.slice(0, email.lastIndexOf("@")) };
  const workspace = user.home === null ? await firstWorkspace(ctx, owner, client.ip) : null;
  const workspaceId = user.home ?? workspace?.id ?? "";
  const session = await newSession(ctx, { userId, workspaceId, method, client });
  const redeem = await redeemStatements(ctx, "second_factor", token);
  try {
    await guardedBatch(ctx.db, [
      ...redeem,
      ...verified.statements,
      ...(workspace?.before ?? []),
      ...session.statements,
      ...(workspace ? [workspace.audit(session.sessionId)] : []),
      ...(account ? [linkStatement(ctx, userId, account)] : []),
    ]);
  } catch (error) {
    // The code or the pending sign-in was used at the same moment.
    if (error instanceof ConcurrencyError) return { kind: "wrong-code" };
    throw error;
  }
  await verified.succeeded();
  const linked = account && { to: email, account };
  return { kind: "session", tokens: session.tokens, next: returnPath(next), linked };
}
