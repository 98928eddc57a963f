import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { messagesOf } from "../../sending/submissions/support.ts";
import { aGrant } from "../../support/oauth.ts";
import { aGateway, aSubmitter } from "../../support/submissions.ts";
import { aSystemWorkspace, transfer } from "../../support/transfers.ts";
import { aKey, aMail, aMember, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";

/** Submission, webmail and OAuth after the completion. Sends of the API, broadcasts and what was scheduled: old-owner.test.ts. */

const source = perTest(aWorkspace);
const target = perTest(aWorkspace);

beforeAll(aSystemWorkspace);

const text = { to: ["friend@example.org"], subject: "From a mailbox", text: "Hello" };

describe("the old owner", () => {
  it("submits nothing by SMTP: the login is refused, and an open connection at MAIL FROM and at the message", async () => {
    const { credential, token, submit, gateway } = await aSubmitter(source);
    const { message } = messagesOf(source);
    expect(await submit(message())).toMatchObject({ reply: null });
    await transfer(source, target);
    expect((await gateway.checkSender(token, source.mailbox)).reply).toMatch(/^5/);
    expect((await submit(message())).reply).toMatch(/^5/);
    const login = await aGateway().login(credential, "c2");
    expect(login).toEqual({ reply: expect.stringMatching(/^535/) });
  });

  it("sends nothing by webmail: the session of the mailbox has ended, and owner, assignee and key find no mailbox", async () => {
    const password = "correct horse battery staple";
    const { mailboxId, mailbox } = source;
    const assignee = await aMember(source, "member");
    await source.call("PUT", `/v1/mailboxes/${mailboxId}/password`, { password });
    await source.call("PUT", `/v1/mailboxes/${mailboxId}/assignees`, { user_ids: [assignee.userId] });
    const login = await apiWith(null).post("/v1/webmail/login", { email: mailbox, password });
    const { access_token } = await login.json<{ access_token: string }>();
    const session = apiWith(access_token);
    const path = `/v1/inbox/${mailboxId}`;
    const others = [source, assignee, apiWith(await aKey(source, { domainIds: [source.domainId] }))];
    for (const api of [session, ...others]) expect((await api.post(`${path}/send`, text)).status).toBe(202);

    await transfer(source, target);
    expect((await session.post(`${path}/send`, text)).status).toBe(401);
    for (const api of others)
      for (const call of [api.post(`${path}/send`, text), api.get(`${path}/messages`)])
        expect((await call).status).toBe(404);
    expect((await target.post(`${path}/send`, text)).status).toBe(202);
  });

  it("sends no automatic reply and forwards nothing: its replies are deleted, its rules off", async () => {
    const { mailboxId, domainId, workspaceNumber } = source;
    await env.DB.batch([
      env.DB.prepare(
        "INSERT INTO auto_replies (mailbox_id, is_active, text, updated_at) VALUES (?1, 1, 'Away', 0)",
      ).bind(mailboxId),
      env.DB.prepare(
        `INSERT INTO forwarding_rules (id, workspace, domain_id, match, action, target, is_active, position, created_at, updated_at)
         VALUES (?1, ?2, ?3, '{}', 'address', 'a@example.org', 1, 0, 0, 0)`,
      ).bind(crypto.randomUUID(), workspaceNumber, domainId),
    ]);
    await transfer(source, target);
    const active = env.DB.prepare(
      `SELECT is_active FROM auto_replies WHERE mailbox_id = ?1
        UNION ALL SELECT is_active FROM forwarding_rules WHERE domain_id = ?2`,
    );
    expect((await active.bind(mailboxId, domainId).all()).results).toEqual([{ is_active: 0 }]);
  });

  it("sends nothing by a program that was connected to the workspace", async () => {
    const grant = await aGrant(source, { scopes: ["emails:send"] });
    expect((await grant.post("/v1/emails/", aMail(source))).status).toBe(202);
    await transfer(source, target);
    expect((await grant.post("/v1/emails/", aMail(source))).status).toBe(422);
  });
});
