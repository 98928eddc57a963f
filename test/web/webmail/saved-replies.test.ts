import { expect, it } from "vitest";
import { aSession } from "../../support/sessions.ts";
import { aMember, perTest } from "../../support/workspace.ts";
import { aMailbox } from "./support.ts";

const box = perTest(aMailbox);

const PAGE = () => `/mail/saved-replies/${box.workspace.mailboxId}`;
const COMPOSE = () => `/mail/compose/${box.workspace.mailboxId}`;
const listed = async () =>
  (await box.workspace.call("GET", `/v1/inbox/${box.workspace.mailboxId}/saved-replies`)).json<{ id: string }[]>();
const save = async (text: string) => {
  const fields = { action: "create", name: "Times", text };
  expect((await box.page.post(PAGE(), fields)).status).toBe(303);
  return (await listed())[0]?.id ?? "";
};
const fieldsOf = (changes: Record<string, string>) => ({
  ...{ idempotency_key: crypto.randomUUID(), to: "friend@example.org", subject: "Re: Where?", action: "insert" },
  ...changes,
});
const textOf = (html: string) => /<textarea[^>]*name="text"[^>]*>\n?([^<]*)</.exec(html)?.[1] ?? "";
const htmlOf = (html: string) => /<textarea[^>]*name="html"[^>]*>([^<]*)</.exec(html)?.[1] ?? "";

it("are made, changed and deleted on their page, which asks before", async () => {
  const id = await save("Hello");
  expect((await box.read(PAGE())).text).toContain("Times");
  await box.page.post(PAGE(), { action: "update", reply_id: id, name: "Delivery", text: "Soon" });
  expect(await listed()).toEqual([{ id, name: "Delivery", text: "Soon" }]);
  expect(await (await box.page.post(PAGE(), { action: "delete", reply_id: id })).text()).toContain("Delete Delivery?");
  await box.page.post(PAGE(), { action: "delete", reply_id: id, confirmed: "yes" });
  expect(await listed()).toEqual([]);
  const refused = await box.page.post(PAGE(), { action: "create", name: "Empty", text: "" });
  expect(refused.status).toBe(422);
});

it("that are refused say why in their own form, which keeps what was written", async () => {
  for (const name of ["First", "Second"])
    await box.page.post(PAGE(), { action: "create", name, text: `Text of ${name}` });
  const [, second = ""] = (await listed()).map(({ id }) => id);
  const response = await box.page.post(PAGE(), { action: "update", reply_id: second, name: "", text: "Changed" });
  expect(response.status).toBe(422);
  const html = await response.text();
  expect(html).toContain(`<a href="#name-${second}">`);
  for (const once of [/Changed/g, /<details open/g, /role="alert"/g]) expect(html.match(once)).toHaveLength(1);
});

it("stand above the text that was written, filled in by the name that the mailbox knows", async () => {
  await box.receive({ From: "Ada Lovelace <ada@example.org>" });
  const saved_reply = await save("Hello {{name}}, {{plan}}!");
  const page = await box.page.post(COMPOSE(), fieldsOf({ to: "ada@example.org", text: "\n\n> Where?", saved_reply }));
  expect(textOf(await page.text())).toBe("Hello Ada Lovelace, !\n\n\n&gt; Where?");
  const rich = fieldsOf({ to: "ada@example.org", html: "<div><b>Mine</b></div>", saved_reply });
  expect(htmlOf(await (await box.page.post(COMPOSE(), rich)).text())).toMatch(/Hello Ada Lovelace, !.*&lt;b&gt;Mine/s);
  expect((await box.read(`${COMPOSE()}?to=ada@example.org`)).text).toContain("Saved reply");
});

it("show the fields of a contact to those who may read contacts, and to nobody else", async () => {
  const { workspace } = box;
  const list = await workspace.create<{ id: string }>("/v1/contacts/", { name: "Customers" });
  const contact = { email: "friend@example.org", name: "Grace <b>", metadata: { plan: "gold" } };
  await workspace.create(`/v1/contacts/${list.id}/contacts`, contact);
  const saved_reply = await save("{{name}}: {{plan}}");
  const owner = await aSession(workspace);
  const page = await owner.call("POST", COMPOSE(), `${new URLSearchParams(fieldsOf({ text: "", saved_reply }))}`, {
    "Content-Type": "application/x-www-form-urlencoded",
  });
  expect(textOf(await page.text())).toBe("Grace &lt;b&gt;: gold\n");
  const other = await box.page.post(COMPOSE(), fieldsOf({ text: "", saved_reply }));
  expect(textOf(await other.text())).toBe(": \n");
});

it("that were deleted leave the form as it was", async () => {
  const page = await box.page.post(COMPOSE(), fieldsOf({ text: "Mine", saved_reply: crypto.randomUUID() }));
  expect(page.status).toBe(422);
  const html = await page.text();
  expect(textOf(html)).toBe("Mine");
  expect(html).toContain("This saved reply was deleted");
});

it("are no secret of one person: an assigned member has them too", async () => {
  const saved_reply = await save("Hello");
  const member = await aMember(box.workspace, "member");
  const path = `/v1/mailboxes/${box.workspace.mailboxId}/assignees`;
  await box.workspace.call("PUT", path, { user_ids: [member.userId] });
  const session = await aSession({ ...box.workspace, userId: member.userId });
  expect(await (await session.call("GET", `${COMPOSE()}?to=a@example.org`)).text()).toContain(saved_reply);
});
