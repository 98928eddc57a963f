import { beforeEach, describe, expect, it } from "vitest";
import { aRawMessage, deliver } from "../../mailboxes/inbound/support.ts";
import { perTest } from "../../support/workspace.ts";
import { aMailbox } from "./support.ts";

const box = perTest(aMailbox);
let alias: string;

beforeEach(async () => {
  alias = `sales@${box.workspace.domain}`;
});

const add = () => box.workspace.post(`/v1/mailboxes/${box.workspace.mailboxId}/aliases`, { address: alias });
const open = async (query = "") => (await box.read(`/mail/compose/${box.workspace.mailboxId}${query}`)).html;
const chosen = (html: string) => /<option value="([^"]+)" selected/.exec(html)?.[1];

describe("the sender of a message", () => {
  it("can be chosen as soon as the mailbox has an alias", async () => {
    expect(await open()).not.toContain('name="from"');
    await add();
    expect(await open()).toContain('name="from"');
    const fields = { idempotency_key: crypto.randomUUID(), to: "friend@example.org", from: alias, text: "Hello" };
    await box.submit(`/mail/compose/${box.workspace.mailboxId}`, Object.entries({ ...fields, action: "draft" }));
    const [draft] = await box.list("Drafts");
    expect(chosen(await open(`?draft=${draft?.uid}`))).toBe(alias);
    const refused = await box.submit(
      `/mail/compose/${box.workspace.mailboxId}`,
      Object.entries({ ...fields, from: "other@example.org", action: "now" }),
    );
    expect(refused.status).toBe(422);
  });

  it("of a reply is the address that the message was sent to, which gets no copy of it", async () => {
    await add();
    await deliver(alias, aRawMessage({ To: "list@example.org", Cc: box.workspace.mailbox }));
    await deliver(box.workspace.mailbox, aRawMessage({ To: `Sales <${alias}>` }));
    expect(chosen(await open("?reply=all&folder=INBOX&uid=1"))).toBe(alias);
    const reply = await open("?reply=all&folder=INBOX&uid=2");
    expect(chosen(reply)).toBe(box.workspace.mailbox);
    expect(/name="cc"[^>]*value="([^"]*)"/.exec(reply)?.[1] ?? "").toBe("");
  });
});
