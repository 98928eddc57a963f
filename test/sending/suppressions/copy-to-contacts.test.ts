import { beforeEach, describe, expect, it } from "vitest";
import { newUnsubscribeAddress } from "../../../src/platform/mail-tokens/return-path.ts";
import { applyFacts, type EmailState, type Fact, findEmail } from "../../../src/sending/emails/index.ts";
import { aContact, aList, readList } from "../../audience/contacts/support.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aMail, apiWith, aWorkspace, perTest, testContext } from "../../support/workspace.ts";

/** The state of a contact follows what happens to emails to its address. */

const workspace = perTest(aWorkspace);
let listId: string;

beforeEach(async () => {
  listId = (await aList(workspace)).id;
});

async function deliver(to: string): Promise<string> {
  const api = workspace.withoutQueue;
  const response = await api.post("/v1/emails/", aMail(workspace, { to: [{ email: to }] }));
  await runOutboxAt(Date.now() + 1_000);
  return (await response.json<{ id: string }>()).id;
}

const state = async () => {
  const [contact] = (await readList(workspace, listId)).contacts;
  return { subscribed: contact?.subscribed, suppressed: contact?.suppressed };
};

describe("a contact", () => {
  it.each([
    ["recipient-refused", "bounce"],
    ["complaint", "complaint"],
  ] as const)("is suppressed when the outcome of an email is %s", async (on, suppress) => {
    await aContact(workspace, listId, "Ada@example.org");
    const emailId = await deliver("ada@example.org");
    await apply(emailId, { on, suppress });
    expect(await state()).toEqual({ subscribed: true, suppressed: true });
  });

  it("has not subscribed any more when it unsubscribes by the link of an email, once or again", async () => {
    await aContact(workspace, listId, "Ada@example.org");
    const emailId = await deliver("ada@example.org");
    const { settings } = testContext();
    const mail = { workspace: workspace.workspaceNumber, emailId, recipient: 0 } as const;
    const address = await newUnsubscribeAddress(settings.masterKeys, mail, settings.bounceDomain);
    const link = `/u/${address.split("@")[0]}`;
    await apiWith(null).call("POST", link);
    expect(await state()).toEqual({ subscribed: false, suppressed: false });
    await workspace.call("DELETE", "/v1/suppressions/ada@example.org");
    expect(await state()).toEqual({ subscribed: true, suppressed: false });
    await apiWith(null).call("POST", link);
    expect(await state()).toEqual({ subscribed: false, suppressed: false });
  });

  it("is not suppressed any more when a DSN confirms a retry to it", async () => {
    await aContact(workspace, listId, "ada@example.org");
    const emailId = await deliver("ada@example.org");
    await workspace.post("/v1/suppressions/", { email: "ada@example.org", reason: "bounce" });
    expect(await state()).toEqual({ subscribed: true, suppressed: true });
    await apply(emailId, { on: "dsn-delivered" }, { retriedAt: Date.now() + 1_000 });
    expect(await state()).toEqual({ subscribed: true, suppressed: false });
  });
});

/** Applies an outcome of the only recipient of an email, as delivery and feedback do. */
async function apply(emailId: string, outcome: Pick<Fact, "on" | "suppress">, changes: Partial<EmailState> = {}) {
  const found = await findEmail(testContext(), { workspace: workspace.workspaceNumber, emailId });
  if (!found) throw new Error("the email does not exist");
  const fact: Fact = {
    id: crypto.randomUUID(),
    recipient: "ada@example.org",
    at: Date.now(),
    metadata: {},
    ...outcome,
  };
  await applyFacts(found.ctx, [{ state: { ...found.state, ...changes }, facts: [fact], attempt: 0 }]);
}
