import { expect, it } from "vitest";
import { strangersPolicy } from "../../src/platform/service-mail/rules.ts";
import { captureMails, listsOf } from "../audience/consent/support.ts";
import { database } from "../support/databases.ts";
import { apiOn, aWorkspace, createApiWithoutQueue, discardingQueue } from "../support/workspace.ts";

it("one person gets ten mails a day of all that strangers can cause, however they write the address", async () => {
  const service = await aWorkspace();
  const victim = (tag: string) => `victim+${tag}@example.org`;
  const bindings = { SYSTEM_MAILBOX: service.mailbox, WORK: discardingQueue };
  const visitor = createApiWithoutQueue(null);
  const refused: number[] = [];
  for (let n = 0; n < 5; n++) {
    const workspace = await aWorkspace();
    const api = apiOn(bindings, workspace.apiKey);
    const invited = await api.post(`/v1/workspaces/${workspace.workspaceId}/invitations`, {
      email: victim(`invited${n}`),
      role: "member",
    });
    expect(invited.status).toBe(201);
    const action = { type: "address", target: victim(`forward${n}`) };
    const rule = await api.post("/v1/forwarding-rules/", { domain_id: workspace.domainId, action });
    if (rule.status !== 201) refused.push(rule.status);
    const lists = listsOf(workspace);
    const { id } = await lists.list();
    await lists.add(id, victim(`list${n}`));
    const form = await lists.api.post(`/v1/contacts/${id}/forms`, {
      name: "F",
      title: "News",
      text: "Once a month.",
    });
    const { url } = await form.json<{ url: string }>();
    const submitted = await visitor.call(
      "POST",
      new URL(url).pathname,
      `email=${encodeURIComponent(victim(`form${n}`))}`,
      {
        "Content-Type": "application/x-www-form-urlencoded",
      },
    );
    expect(submitted.status).toBe(200);
    await captureMails();
  }
  const mails = await database.value(`SELECT count(*) FROM emails WHERE recipients LIKE '%"victim+%'`, []);
  expect(mails).toBe(strangersPolicy.limit);
  expect(new Set(refused)).toEqual(new Set([429]));
});
