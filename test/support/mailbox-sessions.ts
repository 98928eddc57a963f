import { env } from "cloudflare:workers";
import { signAccessToken } from "../../src/access/sessions/access-token.ts";
import { issueRefreshToken } from "../../src/access/tokens/issue-refresh-token.ts";
import { hashed } from "./hashed-password.ts";
import { browser } from "./sign-ins.ts";
import { type TestWorkspace, testContext } from "./workspace.ts";

/** Opens a mailbox in a new browser: gives the mailbox a password, and the browser the cookies of a session. */
export async function openMailbox(workspace: Pick<TestWorkspace, "mailboxId" | "workspaceId">) {
  const ctx = testContext();
  const now = ctx.now();
  const { mailboxId, workspaceId } = workspace;
  const sessionId = ctx.newId();
  const refresh = await issueRefreshToken(ctx, "mailbox", sessionId);
  const { token } = await signAccessToken(ctx, "mailbox_access", { sub: mailboxId, sid: sessionId, wid: workspaceId });
  await env.DB.batch([
    env.DB.prepare("INSERT INTO mailbox_passwords (mailbox_id, hash, changed_at) VALUES (?1, ?2, ?3)").bind(
      mailboxId,
      await hashed,
      now,
    ),
    env.DB.prepare(
      "INSERT INTO mailbox_sessions (id, mailbox_id, created_at, expires_at) VALUES (?1, ?2, ?3, ?4)",
    ).bind(sessionId, mailboxId, now, refresh.expiresAt),
    refresh.statement,
  ]);
  const page = browser();
  Object.assign(page.jar, { mailbox: token, mailbox_refresh: refresh.token });
  return page;
}
