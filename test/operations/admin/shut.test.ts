import { beforeAll, describe, expect, it } from "vitest";
import { anAppPassword, findEnded, logInToImap } from "../../mailboxes/app-passwords/support.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { openMailbox } from "../../support/mailbox-sessions.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { aSubmitter } from "../../support/submissions.ts";
import { aWorkspace, recordingContext } from "../../support/workspace.ts";

let admin: Awaited<ReturnType<typeof aSession>>;
let own: string;

beforeAll(async () => {
  const workspace = await aWorkspace();
  await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [workspace.userId]);
  admin = await aSession(workspace);
  own = workspace.workspaceId;
});

const act = async (id: string, what: "pause" | "shut" | "resume") => {
  const response = await admin.post(`/v1/admin/workspaces/${id}/${what}`, undefined);
  return { status: response.status, body: await response.json<Record<string, unknown>>() };
};

describe("a workspace that the platform has shut", () => {
  it("is refused by the API, pages, SMTP and IMAP until it is resumed, and nothing of it is revoked", async () => {
    const workspace = await aWorkspace();
    const session = await aSession(workspace);
    const { credential, gateway } = await aSubmitter(workspace);
    const { password } = await anAppPassword(workspace);
    const program = await logInToImap(workspace.mailbox, password);
    const webmail = await openMailbox(workspace);
    const answers = async () => ({
      key: (await workspace.get("/v1/me")).status,
      session: (await session.get("/v1/me")).status,
      page: (await session.get("/app/emails")).status,
      webmail: (await webmail.get(`/mail/${workspace.mailboxId}/INBOX`)).status,
      smtp: (await gateway.login(credential)).reply?.slice(0, 3) ?? "logged in",
      imap: (await logInToImap(workspace.mailbox, password)).error?.code ?? "logged in",
      open: await findEnded(program.access),
    });
    const working = { key: 200, session: 200, page: 200, webmail: 200, smtp: "logged in", imap: "logged in", open: [] };
    expect(await answers()).toEqual(working);
    expect((await act(workspace.workspaceId, "shut")).body).toMatchObject({
      workspace: { shut_at: expect.any(String), paused_by_platform_at: expect.any(String) },
      left: [],
    });
    expect(await answers()).toEqual({
      key: 403,
      session: 403,
      page: 403,
      webmail: 403,
      smtp: "535",
      imap: "AUTHENTICATIONFAILED",
      open: [0],
    });
    expect(await (await workspace.get("/v1/me")).json()).toEqual({
      detail: "The platform has shut this workspace; ask the operator of the service",
    });
    expect((await act(workspace.workspaceId, "resume")).body).toMatchObject({ shut_at: null });
    expect(await answers()).toEqual(working);
  });

  it("lists what left it in the last day by recipient domain, the largest first", async () => {
    const workspace = await aWorkspace();
    const start = Date.now() + 3_600_000;
    const { ctx } = recordingContext({}, () => start);
    const to = ["a@one.test", "b@one.test", "c@two.test"].map((email) => ({ email }));
    await acceptEmail(ctx, workspace, { to });
    await runOutboxAt(start);
    const { body } = await act(workspace.workspaceId, "shut");
    expect(body.left).toEqual([
      { domain: "one.test", recipients: 2 },
      { domain: "two.test", recipients: 1 },
    ]);
  });

  it("is paused by a plain pause without being shut, and shut after it", async () => {
    const workspace = await aWorkspace();
    expect((await act(workspace.workspaceId, "pause")).body).toMatchObject({ shut_at: null });
    expect((await workspace.get("/v1/me")).status).toBe(200);
    for (const _ of ["once", "again"]) expect((await act(workspace.workspaceId, "shut")).status).toBe(200);
    expect((await workspace.get("/v1/me")).status).toBe(403);
    expect((await act(crypto.randomUUID(), "shut")).status).toBe(404);
  });

  it("is never that of the administrator, who could not resume it", async () => {
    expect((await act(own, "shut")).status).toBe(409);
    expect((await admin.get("/v1/me")).status).toBe(200);
  });
});
