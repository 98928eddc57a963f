import { beforeAll, expect, it } from "vitest";
import { aSession } from "../../support/sessions.ts";
import { aSystemWorkspace, transfer } from "../../support/transfers.ts";
import { aKey, aMember, apiWith, aWorkspace } from "../../support/workspace.ts";
import { deliver } from "../inbound/support.ts";
import { watch } from "./event-socket.ts";
import { anInbox } from "./support.ts";

/** A domain that moves to another workspace takes its mailboxes with it. */

beforeAll(aSystemWorkspace);

const password = "correct horse battery staple";
const login = (email: string) => apiWith(null).post("/v1/webmail/login", { email, password });

it("a mailbox that moves keeps its mail; the old assignee, password, tokens and sockets get nothing", async () => {
  const [inbox, target] = await Promise.all([anInbox(), aWorkspace()]);
  const { mailbox, mailboxId } = inbox.workspace;
  const assignee = await aMember(inbox.workspace, "member");
  await inbox.workspace.call("PUT", `/v1/mailboxes/${mailboxId}/assignees`, { user_ids: [assignee.userId] });
  await inbox.workspace.call("PUT", `/v1/mailboxes/${mailboxId}/password`, { password });
  const signedIn = await (await login(mailbox)).json<{ access_token: string; refresh_token: string }>();
  const old = {
    owner: inbox.workspace,
    assignee,
    "session of the owner": await aSession(inbox.workspace),
    "key of the domain": apiWith(await aKey(inbox.workspace, { domainIds: [inbox.workspace.domainId] })),
    "mailbox session": apiWith(signedIn.access_token),
  };
  await inbox.receive({ Subject: "before" });
  const sockets = await Promise.all(Object.values(old).map((api) => watch(api, mailboxId)));
  await inbox.receive({ Subject: "still before" });
  for (const { next } of sockets) await next(1);

  await transfer(inbox.workspace, target);

  expect(await deliver(mailbox, "Subject: after\r\n\r\nA secret of the new owner.\r\n")).toBeNull();
  for (const { closeCode, changes } of sockets) expect([await closeCode(), changes.length]).toEqual([4001, 1]);
  for (const [who, api] of Object.entries(old))
    for (const path of ["/messages", "/messages/1", "/messages/3", "/folders", "/search?q=secret", "/events"])
      expect([401, 403, 404], `${who} ${path}`).toContain((await api.get(inbox.path(path))).status);
  expect((await login(mailbox)).status).toBe(401);
  const refresh = { refresh_token: signedIn.refresh_token };
  expect((await apiWith(null).post("/v1/webmail/refresh", refresh)).status).not.toBe(200);

  const page = await target.get(`/v1/inbox/${mailboxId}/messages`);
  const { items } = await page.json<{ items: { subject: string }[] }>();
  expect(items.map(({ subject }) => subject)).toEqual(["after", "still before", "before"]);
  expect((await target.get(`/v1/inbox/${mailboxId}/messages/1/raw`)).status).toBe(200);
});
