import { expect, it } from "vitest";
import { readAudit } from "../../support/audit.ts";
import { apiWithCookies, aSession } from "../../support/sessions.ts";
import { aMagicLink, browser, codeOf } from "../../support/sign-ins.ts";
import { aWorkspace } from "../../support/workspace.ts";

const SECRET_FIELDS = /secret|otpauth|scrypt/;

it("two-factor authentication that is turned on or off is recorded once, without its secret or codes", async () => {
  const workspace = await aWorkspace();
  const session = await aSession(workspace);
  const { secret } = await (await session.post("/v1/auth/totp/setup", undefined)).json<{ secret: string }>();
  expect((await session.post("/v1/auth/totp/enable", { code: "000000" })).status).toBe(403);
  const enabled = await session.post("/v1/auth/totp/enable", { code: await codeOf(secret, -1) });
  expect(enabled.status).toBe(200);
  const { recovery_codes } = await enabled.json<{ recovery_codes: string[] }>();
  expect(recovery_codes).toHaveLength(10);
  expect((await session.post("/v1/auth/totp/disable", { code: "000000" })).status).toBe(403);
  expect((await session.post("/v1/auth/totp/disable", { code: await codeOf(secret) })).status).toBe(200);
  const entries = (await readAudit(workspace)).filter(({ action }) => action.startsWith("totp."));
  expect(entries.map(({ action, target, actor }) => [action, target, actor?.credential_id])).toEqual([
    ["totp.enabled", { kind: "user", id: workspace.userId }, session.sessionId],
    ["totp.disabled", { kind: "user", id: workspace.userId }, session.sessionId],
  ]);
  for (const hidden of [secret, ...recovery_codes]) expect(JSON.stringify(entries)).not.toContain(hidden);
  expect(JSON.stringify(entries)).not.toMatch(SECRET_FIELDS);
});

it("a mailbox password that is set is recorded, without it or its hash", async () => {
  const workspace = await aWorkspace();
  const password = "correct horse battery staple";
  const path = `/v1/mailboxes/${workspace.mailboxId}/password`;
  expect((await workspace.call("PUT", path, { password: "short" })).status).toBe(422);
  expect((await workspace.call("PUT", path, { password })).status).toBe(200);
  const entries = await readAudit(workspace);
  expect(entries.map(({ action, target }) => [action, target])).toEqual([
    ["mailbox.password_changed", { kind: "mailbox", id: workspace.mailboxId }],
  ]);
  expect(JSON.stringify(entries)).not.toContain(password);
  expect(JSON.stringify(entries)).not.toMatch(SECRET_FIELDS);
});

it("the workspace of a new account is recorded in its log, with the session that created it", async () => {
  const page = browser({ SIGN_UP: "open" }, "192.0.2.77");
  const email = `new-${crypto.randomUUID()}@example.org`;
  expect((await page.post(await aMagicLink(email))).status).toBe(303);
  const session = apiWithCookies({ session: page.jar.session ?? "" });
  const me = await (await session.get("/v1/me")).json<{
    workspace: { id: string };
    user: { id: string };
    authentication: { session_id: string };
  }>();
  const actor = { user_id: me.user.id, email, method: "session", credential_id: me.authentication.session_id };
  expect(await readAudit(session)).toMatchObject([
    { action: "session.started", target: { kind: "session", id: me.authentication.session_id } },
    { action: "workspace.created", target: { kind: "workspace", id: me.workspace.id }, actor, ip: "192.0.2.77" },
  ]);
});
