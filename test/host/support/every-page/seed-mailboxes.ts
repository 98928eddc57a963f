import type { Site } from "../pages.ts";
import { linkIn, mailTo } from "../story-site.ts";
import { webmailOf } from "../webmail.ts";
import { ADDRESS, PERSON, SUBJECT, WORD } from "./names.ts";

const RULE_TARGET = "books@accountant.example";

/** Fills a mailbox, and creates forwarding rules, filters and a row of the inbound log. Returns their ids. */
export async function seedMailboxes(site: Site) {
  const { call, workspace, ctx, mailDb } = site;
  const { mailboxId: box, domainId, workspaceNumber } = workspace;
  const mail = webmailOf(site);
  const create = async (path: string, body: object) => (await call("POST", path, body)).id;
  await create("/v1/mailboxes/", {
    domain_id: domainId,
    local_part: "katharina-elisabeth.schoeneberger-mueller",
    display_name: PERSON,
  });
  const rule = await create("/v1/forwarding-rules/", {
    ...{
      domain_id: domainId,
      match: { subject_contains: "invoice" },
      action: { type: "address", target: RULE_TARGET },
    },
  });
  await create("/v1/forwarding-rules/", {
    ...{
      domain_id: domainId,
      match: { recipient: `a@${workspace.domain}` },
      action: { type: "address", target: ADDRESS },
    },
  });
  const label = await create(`/v1/inbox/${box}/labels`, { name: "Orders", color: "#1f5fbf" });
  const asked = await mail.receive({ subject: "Where is my order?", text: `Hello,\n\nwhere is it?\n\n${PERSON}` });
  const harvest = await mail.receive({ subject: SUBJECT, html: `<h1>Harvest</h1><p>${WORD}</p>` });
  for (const subject of ["Our order for December", "Invitation to our tasting", "Bill 20391"])
    await mail.receive({ subject });
  await mail.call("POST", "/messages/batch", { folder: "INBOX", uids: [asked], action: "label", label_id: label });
  const { items } = await mail.call<{ items: { message_id: string; subject: string }[] }>(
    "GET",
    "/messages?folder=INBOX",
  );
  const in_reply_to = items.find(({ subject }) => subject === "Where is my order?")?.message_id ?? "";
  const answered = await mail.receive({ subject: "Re: Where is my order?", in_reply_to });
  await mail.call("POST", "/folders", { name: "Suppliers" });
  await mail.call("POST", "/folders", { name: WORD.slice(0, 60) });
  const { uid: draft } = await mail.call<{ uid: number }>("POST", "/drafts", {
    to: [ADDRESS],
    subject: SUBJECT,
    text: "No wheat.",
  });
  const send_at = new Date(ctx.now() + 86_400_000).toISOString();
  await mail.call("POST", "/send", { to: [ADDRESS], subject: "Invitation to our tasting", text: "Welcome.", send_at });
  const replied = await mail.receive({ subject: "Our tasting", text: "When is it?" });
  const { items: newest } = await mail.call<{ items: { message_id: string }[] }>("GET", "/messages?limit=1");
  const { uid: waiting } = await mail.call<{ uid: number }>("POST", "/drafts", {
    ...{ to: [ADDRESS], subject: "Re: Our tasting", text: "On Sunday.", in_reply_to: newest[0]?.message_id },
  });
  await mail.call("POST", "/send", {
    ...{ to: [ADDRESS], subject: "Re: Our tasting", text: "On Sunday.", send_at, draft_id: waiting },
    in_reply_to: newest[0]?.message_id,
  });
  for (const name of ["Delivery times", `Returns ${WORD}`])
    await mail.call("POST", "/saved-replies", { name, text: `Hello {{name}},\n\nabout ${WORD}: within three days.` });
  const people = [workspace.userId, await site.addMember()];
  await call("PUT", `/v1/mailboxes/${box}/assignees`, { user_ids: people });
  const { items: threads } = await mail.call<{ items: { thread_id: string; subject: string }[] }>("GET", "/threads");
  const [first, second] = threads.filter(({ subject }) => subject.includes("order"));
  await mail.call("PATCH", `/threads/${first?.thread_id}`, { assignee_id: people.at(-1) });
  await mail.call("POST", `/threads/${first?.thread_id}/notes`, {
    text: `She called again.\nAsk ${PERSON} about ${WORD}.`,
  });
  await mail.call("PATCH", `/threads/${second?.thread_id}`, { closed: true });
  await mail.call("PUT", "/blocked-senders", { emails: ["spam@example.org", ADDRESS] });
  await mail.call("PUT", "/auto-reply", { is_active: true, subject: "Away", text: "I am back in December." });
  const filter = await create(`/v1/inbox/${box}/filters`, {
    name: "Bills",
    match: { mode: "all", conditions: [{ field: "subject", op: "contains", value: `invoice ${WORD}` }] },
    actions: [{ type: "move", folder: "Archive" }, { type: "stop" }],
  });
  await create(`/v1/mailboxes/${box}/aliases`, { address: `sales.of.tea-and-coffee@${workspace.domain}` });
  await mail.createAppPassword("Thunderbird on the laptop");
  const message = ctx.newId();
  await mailDb
    .prepare(
      `INSERT INTO inbound_emails (workspace, id, mailbox_id, domain_id, from_address, recipient, subject, text_preview, attachment_count,
         authentication, events, received_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'A text.', 1, ?8, ?9, ?10)`,
    )
    .bind(
      ...[workspaceNumber, message, box, domainId, ADDRESS, workspace.mailbox, SUBJECT],
      JSON.stringify({
        spf: { result: "pass", domain: "example.org" },
        dkim: [],
        dmarc: { result: "fail", domain: null },
      }),
      JSON.stringify([{ event: "stored", folder: "INBOX", at: ctx.now() }]),
      ctx.now(),
    )
    .run();
  const forward = linkIn(await mailTo(site, RULE_TARGET), /\/forwards\//);
  return {
    ...{ mailbox_id: box, rule_id: rule, label_id: label, filter_id: filter, message_id: message, folder: "INBOX" },
    ...{
      uid: String(answered),
      "uid.html": String(harvest),
      "uid.replied": String(replied),
      "uid.draft": String(draft),
      "folder.drafts": "Drafts",
      "token.forward": forward.split("/").at(-1),
    },
  };
}
