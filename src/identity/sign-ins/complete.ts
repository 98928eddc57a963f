import { type Client, newSession, type SessionTokens } from "../../access/sessions/start.ts";
import { issueOneTimeToken } from "../../access/tokens/one-time-tokens.ts";
import type { Address } from "../../lib/addresses.ts";
import { auditInNewWorkspaceStatement } from "../../platform/audit/record.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { ConcurrencyError, guardedBatch, isUniqueViolation } from "../../platform/db/batch.ts";
import type { SignInMethod } from "../../platform/db/schema/main/index.ts";
import { newWorkspace } from "../workspaces/index.ts";
import { newInvitationLink } from "./invitation-link.ts";
import { linkStatement, type ProviderAccount } from "./linked-accounts/index.ts";
import { SECOND_FACTOR_TTL_MS } from "./rules.ts";

/** A proven identity: an address that the person controls. */
export interface Identity {
  address: Address;
  name: string | null;
  method: SignInMethod;
  client: Client;
  /** Path that the sign-in leads to. */
  next: string;
  /** Statements that redeem the proof, in the transaction of the sign-in. */
  redeem: readonly MainStatement[];
  /** Id of the workspace that the user joins by `accept`. It becomes the active one, and no other is created. */
  joins?: string;
  /** Returns further statements of the proof, which depend on the user. */
  accept?: (userId: string) => MainStatement[];
  /** The account that proves the identity and is not linked yet. It is once the user is signed in. */
  account?: ProviderAccount;
}

/** A session that was started. `linked`: the account that was linked to the user, and the address to tell about it. */
export interface StartedSession {
  kind: "session";
  tokens: SessionTokens;
  next: string;
  linked?: { to: string; account: ProviderAccount } | undefined;
}

/** The result of a sign-in. `refused`: an address without a workspace that needs an invitation. `invitation`: the path of that. */
export type SignIn =
  | { kind: "invitation"; path: string }
  | StartedSession
  | { kind: "second-factor"; token: string; expiresAt: number }
  | { kind: "refused" }
  | { kind: "redeemed-before" };

interface UserRow {
  id: string;
  totp_enabled_at: number | null;
  workspace_id: string | null;
}

// The oldest workspace of the user becomes the active one, of those that are not shut if there is one.
export const FIND_USER = `
  SELECT u.id, t.enabled_at AS totp_enabled_at, w.id AS workspace_id
    FROM users u
    LEFT JOIN user_totp t ON t.user_id = u.id
    LEFT JOIN memberships m ON m.user_id = u.id
    LEFT JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
   WHERE u.email_key = ?1
   ORDER BY w.id IS NULL, w.shut_at IS NOT NULL, m.created_at, m.workspace LIMIT 1`;

const INSERT_USER = "INSERT INTO users (id, email, email_key, name, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";

/**
 * Signs in the user of a proven address. A new user gets an account and a workspace where sign-up is open
 * (docs/contract/sign-in.md#ways-to-sign-in). With TOTP on, the sign-in waits for the second factor.
 */
export async function completeSignIn(ctx: Ctx, identity: Identity): Promise<SignIn> {
  const { address, method, client, next } = identity;
  const found = await ctx.db.findRow<UserRow>(FIND_USER, address.key);
  const statements = [...identity.redeem];
  const home = identity.joins ?? found?.workspace_id;
  if (!home && !mayGetWorkspace(ctx, found === null ? null : method)) return showInvitation(ctx, identity);
  const userId = found?.id ?? ctx.newId();
  if (!found) {
    const user = [userId, address.address, address.key, identity.name, ctx.now()];
    statements.push(ctx.db.prepare(INSERT_USER).bind(...user));
  }
  statements.push(...(identity.accept?.(userId) ?? []));
  const { account } = identity;
  const isPaused = found?.totp_enabled_at !== undefined && found.totp_enabled_at !== null;
  if (isPaused) return pause(ctx, userId, { method, next, account }, statements);
  if (account) statements.push(linkStatement(ctx, userId, account));
  const user = { userId, email: address.address, name: nameOf(identity) };
  const workspace = home ? null : await firstWorkspace(ctx, user, client.ip);
  const workspaceId = home ?? workspace?.id ?? "";
  const session = await newSession(ctx, { userId, workspaceId, method, client });
  statements.push(...(workspace?.before ?? []), ...session.statements);
  if (workspace) statements.push(workspace.audit(session.sessionId));
  const isCommitted = await commit(ctx, statements);
  // Another sign-in created the account at the same moment.
  if (isCommitted === "repeat") return completeSignIn(ctx, identity);
  if (!isCommitted) return { kind: "redeemed-before" };
  const linked = found && account ? { to: address.address, account } : undefined;
  return { kind: "session", tokens: session.tokens, next, linked };
}

/**
 * Returns whether a person without a workspace gets one: everyone where sign-up is open, and an administrator whom the operator lets in.
 * `method` is how a user with an account signs in; null: there is no account.
 */
export const mayGetWorkspace = ({ settings }: Ctx, method: SignInMethod | null): boolean =>
  settings.signUp === "open" || method === "operator";

/** Returns a workspace of a user who has none: the statements that precede those of the session, and the one that follows them. */
export async function firstWorkspace(
  ctx: Ctx,
  { userId, email, name }: { userId: string; email: string; name: string },
  clientIp: string | null,
) {
  const { id, statements: before } = await newWorkspace(ctx, { name, ownerId: userId });
  const entry = { action: "workspace.created", target: id, detail: { name } } as const;
  const audit = (credentialId: string) => {
    const actor = { userId, email, kind: "session", credentialId } as const;
    return auditInNewWorkspaceStatement({ ...ctx, workspace: null, clientIp, actor }, entry);
  };
  return { id, before, audit };
}

/** Redeems the proof of a person without a workspace, and leads to the invitation of its address. Refuses the sign-in when there is none. */
async function showInvitation(ctx: Ctx, { address, redeem }: Identity): Promise<SignIn> {
  const link = await newInvitationLink(ctx, address);
  if (link === null) return { kind: "refused" };
  const isCommitted = await commit(ctx, [...redeem, link.statement]);
  return isCommitted === true ? { kind: "invitation", path: link.path } : { kind: "redeemed-before" };
}

/** A sign-in that waits for its second factor. */
export type PendingSignIn = Pick<Identity, "method" | "next"> & { account: ProviderAccount | undefined };

async function pause(
  ctx: Ctx,
  userId: string,
  pending: PendingSignIn,
  statements: readonly MainStatement[],
): Promise<SignIn> {
  const { token, expiresAt, statement } = await issueOneTimeToken(ctx, "second_factor", {
    subject: userId,
    data: { ...pending },
    ttlMs: SECOND_FACTOR_TTL_MS,
  });
  const isCommitted = await commit(ctx, [...statements, statement]);
  return isCommitted === true ? { kind: "second-factor", token, expiresAt } : { kind: "redeemed-before" };
}

/** Runs the batch. Returns false when its proof was redeemed before, `repeat` when a row with the same key exists by now. */
async function commit(ctx: Ctx, statements: MainStatement[]): Promise<boolean | "repeat"> {
  try {
    await guardedBatch(ctx.db, statements);
    return true;
  } catch (error) {
    if (error instanceof ConcurrencyError) return false;
    if (isUniqueViolation(error)) return "repeat";
    throw error;
  }
}

const nameOf = ({ name, address }: Identity) => name ?? address.local;
