import type { Client } from "@modelcontextprotocol/client";
import { beforeAll, expect, it } from "vitest";
import { tools } from "../../../src/web/mcp/tools/index.ts";
import { anInbox } from "../../mailboxes/inbox/support.ts";
import { consumeQueues } from "../../support/queues.ts";
import { aKey, perSuite } from "../../support/workspace.ts";
import { call, connected } from "./support.ts";

/** Every tool is called, by a client that validates each result by the output schema of the tool. */
const called = new Set<string>();

consumeQueues("work", "automations");

const inbox = perSuite(anInbox);
let client: Client;

beforeAll(async () => {
  client = await connected(inbox.workspace.apiKey);
});

/** Calls a tool and returns its result. Throws for an error. */
async function result(name: string, args: Record<string, unknown> = {}) {
  const { isError, text, value } = await call(client, name, args);
  if (isError) throw new Error(text);
  called.add(name);
  return value;
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const mail = (changes: Record<string, unknown> = {}) => ({
  from_: { email: inbox.workspace.mailbox },
  to: [{ email: "bounced@simulator.test" }],
  subject: "From a model",
  text: "Hello",
  ...changes,
});

it("reads who calls, the senders, and the DNS records of a domain", async () => {
  expect(await result("get_me")).toMatchObject({ workspace: { id: inbox.workspace.workspaceId } });
  expect((await result("list_mailboxes")).items).toMatchObject([{ address: inbox.workspace.mailbox }]);
  const { items } = await result("list_domains");
  const { records } = await result("get_domain", { domain_id: items[0].id });
  expect(records).toContainEqual(expect.objectContaining({ purpose: "ownership", required: true }));
});

it("sends, schedules, moves, cancels and retries emails, and reads their events", async () => {
  const { id: email_id } = await result("schedule_email", mail({ send_at: inAnHour(), tags: ["one"] }));
  await result("reschedule_email", { email_id, send_at: inAnHour() });
  expect((await result("list_scheduled_emails")).items).toHaveLength(1);
  await result("send_scheduled_email_now", { email_id });
  await expect.poll(async () => (await result("get_email", { email_id })).status).toBe("bounced");
  expect((await result("list_email_events", { email_id })).items.length).toBeGreaterThan(1);
  expect(await result("retry_email", { email_id })).toMatchObject({ message_id: expect.any(String) });
  expect((await result("search_emails", { tag: "one" })).items.length).toBeGreaterThan(0);
  expect(await result("validate_email", mail({ to: [{ email: "x" }] }))).toMatchObject({ valid: false });
  const { id: other } = await result("schedule_email", mail({ send_at: inAnHour() }));
  expect(await result("cancel_email", { email_id: other })).toEqual({ id: other, status: "cancelled" });
  await result("send_email", mail({ to: [{ email: "delivered@simulator.test" }] }));
  await inbox.workspace.post("/v1/suppressions/", { email: "bounced@simulator.test" });
  expect((await result("list_suppressions")).items).toMatchObject([{ email: "bounced@simulator.test" }]);
  expect(await result("get_analytics", { period: "24h" })).toMatchObject({ period: "24h" });
  expect((await result("get_analytics_over_time", { granularity: "hour", period: "24h" })).data).toHaveLength(24);
  expect((await result("list_recipient_domains")).items.length).toBeGreaterThan(0);
});

it("adds a contact and a variant once however often it is asked to", async () => {
  const { id: list_id } = await result("create_contact_list", { name: "Readers" });
  const contact = { list_id, email: "ada@example.org" };
  const { id: contact_id } = await result("add_contact", contact);
  expect((await call(client, "add_contact", contact)).text).toMatch(/409.*\n.*already/);
  await result("update_contact", { list_id, contact_id, metadata: { plan: "gold" } });
  const { contacts, next } = await result("get_contact_list", { list_id });
  expect([contacts.length, next]).toEqual([1, null]);
  expect((await result("list_contact_lists")).items).toMatchObject([{ id: list_id }]);
  const fields = { name: "B", subject: "S", text_body: "T", from_address: inbox.workspace.mailbox };
  const { id: broadcast_id } = await result("create_broadcast", fields);
  const variant = { broadcast_id, label: "B", subject: "Other" };
  const { id: variant_id } = await result("create_broadcast_variant", variant);
  expect((await call(client, "create_broadcast_variant", variant)).isError).toBe(true);
  await result("update_broadcast_variant", { broadcast_id, variant_id, weight: 2 });
  expect((await result("list_broadcast_variants", { broadcast_id })).items).toMatchObject([{ label: "B", weight: 2 }]);
  await result("remove_broadcast_variant", { broadcast_id, variant_id });
  await result("remove_contact", { list_id, contact_id });
});

it("makes a topic, and reads what a person chose about it", async () => {
  const topic = await result("create_topic", { name: "News", is_public: true });
  expect((await result("list_topics")).items).toEqual([topic]);
  const person = await result("get_person_topics", { email: "ada@example.org" });
  expect(person).toMatchObject({ email: "ada@example.org", topics: [{ id: topic.id, state: "subscribed" }] });
});

it("makes a list that asks for confirmation, and a form of it", async () => {
  const { id: list_id } = await result("create_contact_list", { name: "Confirmed", confirm: true });
  const pending = await result("add_contact", { list_id, email: "new@example.org" });
  const agreed = await result("add_contact", { list_id, email: "old@example.org", consent: { source: "At the fair" } });
  expect([pending.status, agreed.status]).toEqual(["pending", "active"]);
  const fields = [{ name: "city", label: "Your city", required: true }];
  const form = await result("create_contact_form", { list_id, name: "Footer", title: "News", text: "Monthly", fields });
  expect(form).toMatchObject({ is_active: true, url: expect.stringMatching(/^https?:/), fields });
  const { is_active } = await result("update_contact_form", { list_id, form_id: form.id, is_active: false });
  expect(is_active).toBe(false);
  expect((await result("list_contact_forms", { list_id })).items).toMatchObject([{ id: form.id, is_active: false }]);
});

it("sends events of a person, and reads them newest first", async () => {
  const { id } = await result("send_event", { name: "order.paid", email: "eve@example.org", data: { total: 5 } });
  await result("send_event", { name: "order.shipped", email: "eve@example.org" });
  const first = await result("list_person_events", { email: "eve@example.org", limit: 1 });
  expect(first.items).toMatchObject([{ name: "order.shipped" }]);
  const second = await result("list_person_events", { email: "eve@example.org", before: first.next });
  expect(second.items).toMatchObject([{ id, name: "order.paid", data: { total: 5 } }]);
});

it("continues a contact list by its cursor", async () => {
  const { id: list_id } = await result("create_contact_list", { name: "Three" });
  for (const name of ["a", "b", "c"]) await result("add_contact", { list_id, email: `${name}@example.org` });
  const first = await result("get_contact_list", { list_id, limit: 2 });
  const second = await result("get_contact_list", { list_id, limit: 2, after: first.next });
  const emails = [...first.contacts, ...second.contacts].map(({ email }: { email: string }) => email);
  expect(emails.toSorted()).toEqual(["a@example.org", "b@example.org", "c@example.org"]);
  expect(second.next).toBeNull();
});

it("schedules a broadcast, makes it a draft again, tests, sends, pauses, resumes and cancels it", async () => {
  const { id: contact_list_id } = await result("create_contact_list", { name: "All" });
  for (const number of [1, 2, 3])
    await result("add_contact", { list_id: contact_list_id, email: `delivered+${number}@simulator.test` });
  const content = { name: "B", subject: "S", text_body: "T", from_address: inbox.workspace.mailbox };
  const args = { ...content, contact_list_id, scheduled_at: inAnHour(), max_per_hour: 1 };
  const { id: broadcast_id, status } = await result("create_broadcast", args);
  expect(status).toBe("scheduled");
  expect((await result("update_broadcast", { broadcast_id, scheduled_at: null })).status).toBe("draft");
  expect(await result("get_broadcast_audience", { broadcast_id })).toMatchObject({ eligible: 3 });
  const to = ["delivered@simulator.test"];
  expect((await result("send_broadcast_test", { broadcast_id, to })).emails).toHaveLength(1);
  expect((await result("send_broadcast", { broadcast_id })).status).toBe("sending");
  expect((await call(client, "send_broadcast", { broadcast_id })).text).toContain("decide again");
  expect((await result("pause_broadcast", { broadcast_id })).paused_at).not.toBeNull();
  expect((await result("resume_broadcast", { broadcast_id })).paused_at).toBeNull();
  expect((await result("cancel_broadcast", { broadcast_id })).status).toBe("cancelled");
  expect((await result("get_broadcast", { broadcast_id })).id).toBe(broadcast_id);
  expect((await result("list_broadcasts", { status: "cancelled" })).items).toHaveLength(1);
  await result("get_broadcast_results", { broadcast_id });
  await result("list_broadcast_recipients", { broadcast_id });
  expect(await result("list_broadcast_links", { broadcast_id })).toMatchObject({ total_clicks: 0 });
  const promotion = await call(client, "promote_broadcast_variant", { broadcast_id, variant_id: broadcast_id });
  expect(promotion).toMatchObject({ isError: true, text: expect.not.stringContaining("idempotency_key") });
});

it("works with templates", async () => {
  const { id: template_id } = await result("create_template", { name: "T", text_body: "Hi {{name}}" });
  await result("update_template", { template_id, subject: "S" });
  expect((await result("get_template", { template_id })).variables).toEqual(["name"]);
  await result("preview_template", { template_id, variables: { name: "Ada" } });
  expect((await result("list_templates")).items).toHaveLength(1);
});

it("reads folders, messages, threads and searches of a mailbox", async () => {
  const { workspace } = inbox;
  const mailbox_id = workspace.mailboxId;
  await inbox.receive({ Subject: "First invoice" });
  await inbox.receive({ Subject: "Second invoice", "Message-ID": "<second@example.org>" });
  expect((await result("list_mailbox_folders", { mailbox_id })).items).toContainEqual(
    expect.objectContaining({ name: "INBOX", unseen: 2 }),
  );
  const page = await result("list_mailbox_messages", { mailbox_id, limit: 1 });
  const rest = await result("list_mailbox_messages", { mailbox_id, limit: 1, before: page.next });
  const subjects = [...page.items, ...rest.items].map(({ subject }: { subject: string }) => subject);
  expect(subjects).toEqual(["Second invoice", "First invoice"]);
  const { items } = await result("search_mailbox", { mailbox_id, q: "first" });
  const [{ uid, thread_id }] = items;
  expect(await result("get_mailbox_message", { mailbox_id, uid })).toMatchObject({
    subject: "First invoice",
    seen: false,
  });
  expect((await result("list_mailbox_labels", { mailbox_id })).items).toEqual([]);
  expect(await result("list_mailbox_threads", { mailbox_id })).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ thread_id, closed_at: null })]),
  });
  const note = { mailbox_id, thread_id, text: "Ask the store" };
  expect(await result("note_mailbox_thread", note)).toMatchObject({ kind: "note", text: "Ask the store" });
  const closed = await result("assign_mailbox_thread", { mailbox_id, thread_id, closed: true });
  expect(closed).toMatchObject({ assignee: null, closed_at: expect.any(String) });
  expect((await result("get_mailbox_thread", { mailbox_id, thread_id })).items).toMatchObject([{ uid }]);
  const other = await connected(await aKey(workspace, { scopes: ["emails:view"] }));
  await expect(call(other, "list_mailbox_messages", { mailbox_id })).rejects.toThrow();
});

it("creates, tries, activates, reads and pauses automations", async () => {
  const list = await result("create_contact_list", { name: "For automations" });
  await result("add_contact", { list_id: list.id, email: "may@example.org" });
  const steps = [{ kind: "wait", for: { hours: 1 } }];
  const created = await result("create_automation", { name: "A", trigger: { event: "asked" }, steps });
  const one = { automation_id: created.id };
  expect(await result("update_automation", { ...one, name: "B" })).toMatchObject({ name: "B", status: "draft" });
  const preview = await result("preview_automation", { ...one, email: "may@example.org" });
  expect(preview).toMatchObject({ enters: true, emails: [] });
  expect(await result("activate_automation", one)).toMatchObject({ status: "active", version: 1 });
  await result("send_event", { name: "asked", email: "may@example.org" });
  await expect.poll(async () => (await result("list_automation_runs", one)).items).toMatchObject([{ step: "0" }]);
  const { items } = await result("list_automation_runs", one);
  const run = await result("get_automation_run", { ...one, run_id: items[0].id });
  expect(run.history[0]).toMatchObject({ text: "Entered by asked." });
  expect((await result("list_automations")).items).toMatchObject([{ id: created.id }]);
  expect(await result("pause_automation", one)).toMatchObject({ status: "paused" });
  expect(await result("get_automation", one)).toMatchObject({ counters: { entered: 1, active: 1 } });
  await result("remove_automation_run", { ...one, run_id: items[0].id });
  expect(await result("archive_automation", one)).toMatchObject({ status: "archived", counters: { removed: 1 } });
  expect((await result("list_person_events", { email: "may@example.org" })).items).toContainEqual(
    expect.objectContaining({ name: "asked" }),
  );
});

it("makes a segment, counts its people and changes it, with the scopes of contacts", async () => {
  const { id: list } = await result("create_contact_list", { name: "For segments" });
  await result("add_contact", { list_id: list, email: "seg@example.org", metadata: { plan: "gold" } });
  const conditions = { all: [{ list }, { field: "plan", is: "equals", value: "gold" }] };
  const { id: segment_id } = await result("create_segment", { name: "Gold", conditions });
  const counted = await result("preview_segment", { segment_id });
  expect(counted).toMatchObject({ status: "done", count: 1, sample: [{ email: "seg@example.org" }] });
  expect((await result("list_segment_contacts", { segment_id })).items).toMatchObject([{ email: "seg@example.org" }]);
  expect(await result("get_segment", { segment_id })).toMatchObject({ conditions, count: 1 });
  const silver = { field: "plan", is: "equals", value: "silver" };
  expect(await result("update_segment", { segment_id, conditions: silver })).toMatchObject({ count: null });
  expect((await result("list_segments")).items).toMatchObject([{ id: segment_id, name: "Gold" }]);
  const viewer = await connected(await aKey(inbox.workspace, { scopes: ["contacts:view"] }));
  expect((await call(viewer, "preview_segment", { segment_id })).value).toMatchObject({ count: 0 });
  await expect(call(viewer, "create_segment", { name: "No", conditions })).rejects.toThrow();
  const wrong = await call(client, "create_segment", { name: "Wrong", conditions: { all: [] } });
  expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining("at least one condition")]);
});
it("calls every tool but the promotion of a variant, which needs a sent test, and those that answer mail (replies.test.ts)", () => {
  const missing = tools
    .filter(({ route, effect }) => !route.includes("/inbox/") || effect === undefined)
    .map(({ name }) => name)
    .filter((name) => !called.has(name));
  expect(missing).toEqual(["promote_broadcast_variant"]);
});
