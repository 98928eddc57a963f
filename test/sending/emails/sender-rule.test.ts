import { expect, it } from "vitest";
import { applySenderRule } from "../../../src/sending/emails/index.ts";
import { database } from "../../support/databases.ts";
import { aMail, aWorkspace } from "../../support/workspace.ts";

const mailbox = {
  ...{ address: "a@d.test", is_active: 1, domain_id: "1", domain: "d.test", domain_status: "verified" },
  members: null,
};

it("an active mailbox of a verified domain may send, unless the credential is restricted to other domains", () => {
  const apply = (changes: Partial<typeof mailbox>, domainIds: ReadonlySet<string> | null = null) =>
    applySenderRule({ ...mailbox, ...changes }, "a@d.test", domainIds);
  expect(apply({})).toEqual({ mailbox });
  expect(apply({}, new Set(["1"]))).toEqual({ mailbox });
  expect(apply({}, new Set(["2"]))).toEqual({ error: "This credential may not send from d.test" });
  expect(apply({ is_active: 0 })).toEqual({ error: "The sender's mailbox a@d.test is not active" });
  expect(apply({ domain_status: "pending" })).toEqual({
    error: "The sender's domain d.test is pending; it must be verified",
  });
  expect(applySenderRule(null, "x@d.test", null)).toEqual({
    error:
      "The sender must be a mailbox of this workspace, and x@d.test is none: create it under Mailboxes, or send from another one",
  });
});

it("an email, a broadcast and a send to a list refuse an inactive mailbox with the same text", async () => {
  const workspace = await aWorkspace();
  const { id: list } = await workspace.create("/v1/contacts/", { name: "A list" });
  await workspace.post(`/v1/contacts/${list}/contacts`, { email: "a@example.org" });
  const draft = { name: "News", subject: "News", text_body: "Hello", from_address: workspace.mailbox };
  const { id } = await workspace.create("/v1/broadcasts/", { ...draft, contact_list_id: list });
  await database.run("UPDATE mailboxes SET is_active = 0 WHERE id = ?1", [workspace.mailboxId]);
  const bulk = { contact_list_id: list, mailbox_id: workspace.mailboxId, subject: "News", html: "<p>Hello</p>" };
  const refused = [
    await workspace.post("/v1/emails/", aMail(workspace)),
    await workspace.post(`/v1/broadcasts/${id}/send`, undefined),
    await workspace.post(`/v1/broadcasts/${id}/test`, { to: ["a@example.org"] }),
    await workspace.post(`/v1/contacts/${list}/send`, bulk),
  ];
  for (const response of refused) {
    const { detail } = await response.json<{ detail: string | { msg: string }[] }>();
    const texts = typeof detail === "string" ? [detail] : detail.map(({ msg }) => msg);
    expect(texts, response.url).toEqual([`The sender's mailbox ${workspace.mailbox} is not active`]);
  }
});
