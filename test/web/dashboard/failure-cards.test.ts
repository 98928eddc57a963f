import { beforeEach, describe, expect, it } from "vitest";
import { explainFailure } from "../../../src/web/dashboard/emails/explain-failure.ts";
import { lastFailures } from "../../../src/web/dashboard/emails/failure-card.tsx";
import { toText } from "../../../src/web/dashboard/emails/timeline.tsx";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { aMail, aMember, aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

const event = (event_type: string, metadata: Record<string, unknown> | null = null) => ({
  ...{ id: "e", event_type, metadata, created_at: "2026-11-23T10:00:00.000Z" },
});

describe("the explanation of a failure", () => {
  it.each([
    ["bounced", { response: "550 5.1.1 No such user here", dsn: "5.1.1" }, "No such mailbox"],
    ["bounced", { response: "550 5.1.2 Domain does not exist", dsn: "5.1.2" }, "This domain takes no mail"],
    ["bounced", { response: "552 5.2.2 Over quota", dsn: "5.2.2" }, "The mailbox is full"],
    ["rejected", { response: "552 5.3.4 Message too big", dsn: "5.3.4" }, "The message is too large"],
    ["rejected", { response: "550 5.7.26 DMARC failure", dsn: "5.7.26" }, "Refused by the recipient's mail server"],
    ["bounced", { diagnostic: "smtp; 550 something else" }, "Refused by the recipient's mail server"],
    ["failed", { response: "452 4.2.2 Mailbox full", attempt: 9 }, "The mailbox is full"],
    ["failed", { response: "451 4.3.0 Try again", attempt: 9 }, "Given up"],
    ["failed", { reason: "the attachment was deleted" }, "Could not be sent"],
    ["complained", { feedback_type: "abuse" }, "Marked as spam"],
    ["suppressed", null, "On the suppression list"],
    ["rejected", null, "Not sent"],
  ])("of %s with %j is: %s", (type, metadata, title) => {
    expect(explainFailure(event(type, metadata))?.title).toBe(title);
  });

  it("is of no event that is no failure", () => {
    for (const type of ["queued", "sent", "delivered", "deferred", "open", "click", "retried", "cancelled"])
      expect(explainFailure(event(type)), type).toBeNull();
  });

  it("is that of the last failure of each recipient who was not reached later", () => {
    const events = [
      event("failed", { recipient: "a@example.org", reason: "first" }),
      event("bounced", { recipient: "b@example.org", response: "550 5.1.1" }),
      event("delivered", { recipient: "a@example.org" }),
      event("complained", { recipient: "b@example.org" }),
    ];
    expect(lastFailures(events)).toEqual([events[3]]);
    // An email whose only recipient is suppressed: no server was asked.
    const refused = [event("suppressed", { recipient: "a@example.org" }), event("rejected")];
    expect(lastFailures(refused)).toEqual([refused[0]]);
  });
});

it.each([
  [event("queued"), "Accepted from the API"],
  [event("queued", { send_now: true }), "Sent now instead of at its time"],
  [event("delivered", { recipient: "ada@example.org", response: "250 ok" }), "Delivered to ada@example.org"],
  [event("deferred", { recipient: "ada@example.org" }), "Not taken yet for ada@example.org"],
  [
    event("bounced", { recipient: "ada@example.org", response: "550 5.1.1 unknown user" }),
    "No such mailbox: ada@example.org",
  ],
  [event("open", { recipient: "ada@example.org", machine: true }), "Opened by a program, not by a person"],
  [event("unheard_of"), "unheard_of"],
])("the timeline says %o as: %s", (entry, text) => {
  expect(toText(entry, "api")).toBe(text);
});

describe("the page of an email that bounced", () => {
  const workspace = perTest(aWorkspace);
  const session = perTest(() => aSession(workspace));
  let id: string;

  beforeEach(async () => {
    const mail = aMail(workspace, { to: [{ email: "bounced@simulator.test" }] });
    id = await workspace.create("/v1/emails/", mail).then((accepted) => accepted.id);
    await runOutboxAt(Date.now());
    // Simulated bounces suppress no address.
    await workspace.post("/v1/suppressions/", { email: "bounced@simulator.test", reason: "bounce" });
  });

  const page = async (by = session) => (await by.get(`/app/emails/${id}`)).text();

  it("names the cause, its meaning and the reply, and the suppression once there is one", async () => {
    const before = await page();
    expect(before).toContain("No such mailbox");
    expect(before).toContain("550 5.1.1 simulated: no such mailbox");
    expect(before).toContain("Suppressed since");
    await workspace.call("DELETE", "/v1/suppressions/bounced@simulator.test");
    expect(await page()).not.toContain("Suppressed since");
  });

  it("removes the suppression and retries once, however often its form is sent", async () => {
    expect(await page()).toContain("Remove and retry");
    const form = { idempotency_key: crypto.randomUUID(), address: "bounced@simulator.test" };
    const sent = [
      await submit(session, `/app/emails/${id}/remove-and-retry`, form),
      await submit(session, `/app/emails/${id}/remove-and-retry`, form),
    ];
    const [first, second] = sent.map((response) => response.headers.get("Location"));
    expect(first).toMatch(/^\/app\/emails\/[0-9a-f-]{36}\?done=retried$/);
    expect(second).toBe(first);
    expect(await (await workspace.get("/v1/suppressions/")).json()).toEqual([]);
  });

  it("offers that only with the right to change suppressions, and refuses others", async () => {
    const { userId } = await aMember(workspace, "member");
    const member = await aSession({ ...workspace, userId });
    const isOffered = (await page(member)).includes("Remove and retry");
    const response = await submit(member, `/app/emails/${id}/remove-and-retry`, { address: "bounced@simulator.test" });
    const me = await (await member.get("/v1/me")).json<{ scopes: string[] }>();
    const may = me.scopes.includes("contacts:manage") && me.scopes.includes("emails:send");
    expect([isOffered, response.status !== 403]).toEqual([may, may]);
  });

  it("is an unknown one for another workspace", async () => {
    const other = await aSession(await aWorkspace());
    const form = { idempotency_key: "k", address: "bounced@simulator.test" };
    expect((await submit(other, `/app/emails/${id}/remove-and-retry`, form)).status).toBe(404);
    expect(await page()).toContain("Suppressed since");
  });
});
