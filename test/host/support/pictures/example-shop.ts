/** Content of the pictures' workspace: mail that arrived and that failed, lists, templates, broadcasts, a mailbox in use. */
import nodemailer from "nodemailer";
import { PARTNER } from "./history.ts";
import type { Service } from "./local-service.ts";

export type Shop = Awaited<ReturnType<typeof fillShop>>;

const HTML = (title: string, body: string) =>
  `<div style="font-family:Georgia,serif;max-width:34rem;margin:auto"><h1 style="color:#14693a">${title}</h1>${body}<p>Example Shop, 1 Long Street</p></div>`;

/** Fills the workspace by calls of the API and mail from outside, and returns the ids that paths of pages need. */
export async function fillShop(service: Service) {
  const { call, seed } = service;
  const [orders, support] = await Promise.all(
    ["orders", "support"].map((local_part) =>
      call("POST", "/v1/mailboxes/", {
        domain_id: seed.domainId,
        local_part,
        display_name: `Example Shop ${local_part}`,
      }),
    ),
  );
  if (!orders || !support) throw new Error("no mailboxes");
  const lists = await addLists(service);
  const template = await addTemplates(service);
  const broadcast = await addBroadcast(service, lists.customers);
  const domains = await addDomains(service);
  const hook = await call("POST", "/v1/webhooks/", {
    url: "http://127.0.0.1:9/email-events",
    events: ["email.delivered", "email.bounced"],
  });
  await call("POST", "/v1/forwarding-rules/", {
    domain_id: seed.domainId,
    match: { recipient: "invoices@example.test" },
    action: { type: "address", target: "books@accountant.example" },
  }).catch((error) => console.error(String(error)));
  await call("POST", `/v1/workspaces/${seed.workspaceId}/invitations`, { email: "linus@example.org", role: "member" });
  await call("POST", "/v1/suppressions/", { email: "moved-away@example.org", reason: "manual" });
  const emails = await sendEmails(service);
  const inbox = await fillInbox(service);
  return {
    orders: orders.id,
    support: support.id,
    ...lists,
    template,
    broadcast,
    ...domains,
    hook: hook.id,
    emails,
    inbox,
  };
}

async function addLists({ call }: Service) {
  const [customers, press] = await Promise.all([
    call("POST", "/v1/contacts/", { name: "Customers", description: "Everybody who bought a book since 2024" }),
    call("POST", "/v1/contacts/", { name: "Press", description: null }),
  ]);
  const names = [
    "Ada Lovelace",
    "Grace Hopper",
    "Alan Turing",
    "Katherine Johnson",
    "Edsger Dijkstra",
    "Radia Perlman",
    "Ken Thompson",
    "Barbara Liskov",
  ];
  const rows = names.map(
    (name, index) =>
      `${name.toLowerCase().replace(" ", ".")}@example.org,${name},${["London", "New York", "Paris"][index % 3]},${2024 + (index % 3)}`,
  );
  const form = new FormData();
  form.append("file", new Blob([`email,name,city,since\n${rows.join("\n")}\n`], { type: "text/csv" }), "customers.csv");
  await call("POST", `/v1/contacts/${customers.id}/upload`, form);
  const { contacts } = await call<{ contacts: { id: string }[] }>("GET", `/v1/contacts/${customers.id}`);
  return { customers: customers.id, press: press.id, contact: contacts[0]?.id ?? "" };
}

async function addTemplates({ call }: Service): Promise<string> {
  await call("POST", "/v1/templates/", {
    name: "Password reset",
    subject: "Reset your password",
    text_body: "Open {{link}} within an hour.",
  });
  const { id } = await call("POST", "/v1/templates/", {
    name: "Receipt",
    subject: "Your receipt for order {{order}}",
    html_body: HTML(
      "Thank you, {{name}}",
      "<p>We received your order {{order}} of {{total}}. It leaves our shop tomorrow.</p>",
    ),
    text_body: "Thank you, {{name}}. We received your order {{order}} of {{total}}.",
  });
  return id;
}

async function addBroadcast({ call, seed }: Service, list: string): Promise<string> {
  const { id } = await call("POST", "/v1/broadcasts/", {
    name: "Christmas hours",
    subject: "When we are open in December",
    from_address: `Example Shop <${seed.mailbox}>`,
    html_body: HTML("Christmas hours", "<p>Hello {{name}}, we are open every day until the 24th.</p>"),
    text_body: "Hello {{name}}, we are open every day until the 24th.",
    contact_list_id: list,
    ab_test_pct: 20,
  });
  for (const [label, subject] of [
    ["A", "When we are open in December"],
    ["B", "{{name}}, last day to order is the 20th"],
  ])
    await call("POST", `/v1/broadcasts/${id}/variants`, { label, subject, weight: 1 });
  await call("POST", "/v1/broadcasts/", {
    name: "Reading group in January",
    subject: "Join our reading group",
    from_address: `Example Shop <${seed.mailbox}>`,
    text_body: "Hello {{name}}",
    contact_list_id: list,
    scheduled_at: new Date(Date.now() + 6 * 86_400_000).toISOString(),
  });
  return id;
}

async function addDomains({ call, seed }: Service) {
  const add = async (name: string, isChecked = true) => {
    const { id } = await call("POST", "/v1/domains/", { name });
    if (isChecked) await call("POST", `/v1/domains/${id}/verify`);
    return id;
  };
  const verified = await add("news.example-shop.test");
  const broken = await add("wrong-shop.test");
  await call("POST", `/v1/domains/${seed.domainId}/verify`);
  const fresh = await add("outlet.test", false);
  const moving = await add("old-shop.test");
  await call("POST", `/v1/domains/${moving}/transfer`, {
    target_email: PARTNER,
    note: "The shop is yours from December on.",
  });
  return { verified, broken, fresh, moving };
}

async function sendEmails({ call, seed }: Service) {
  const from_ = { email: seed.mailbox, name: "Example Shop" };
  const receipt = (name: string, email: string, order: number) => ({
    from_,
    to: [{ email, name }],
    subject: `Your receipt for order ${order}`,
    html: HTML(`Thank you, ${name}`, `<p>We received your order ${order} of 42.00. It leaves our shop tomorrow.</p>`),
    text: `Thank you, ${name}. We received your order ${order} of 42.00. It leaves our shop tomorrow.`,
    tags: ["receipt"],
    headers: { "X-Order": String(order) },
  });
  const send = async (mail: object) => (await call("POST", "/v1/emails/", mail)).id;
  const delivered = await send(receipt("Ada Lovelace", "ada.lovelace@example.org", 1042));
  await send(receipt("Alan Turing", "alan.turing@example.org", 1043));
  const bounced = await send(receipt("Gone Away", "bounce+gone@university.example", 1044));
  await send({ ...receipt("Grace Hopper", "full+grace@example.org", 1045), cc: [{ email: "accounting@example.org" }] });
  await send({
    ...receipt("Ken Thompson", "reject@partner.example", 1046),
    subject: "Your order 1046 is delayed by two days because the warehouse is closed",
  });
  await send({
    ...receipt("Radia Perlman", "defer@slow.example", 1047),
    subject: "Reset your password",
    tags: ["account"],
  });
  await send({ from_, to: [{ email: "team@example.org" }], subject: "Weekly figures", text: "12 orders, 2 returns." });
  const later = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const scheduled = await send({
    ...receipt("Barbara Liskov", "barbara.liskov@example.org", 1050),
    subject: "Your order is ready to collect",
    send_at: later(5),
  });
  await send({
    ...receipt("Edsger Dijkstra", "edsger.dijkstra@example.org", 1051),
    subject: "Reminder: your reading group meets tomorrow",
    send_at: later(50),
  });
  await call("PUT", "/v1/emails/saved-searches", {
    searches: [
      {
        id: "a",
        name: "Receipts that failed",
        query: "status:bounced tag:receipt",
        range: "",
        status: "bounced",
        domain: "",
        source: "",
      },
    ],
  }).catch((error) => console.error(String(error)));
  return { delivered, bounced, scheduled };
}

/** Sends mail to the mailbox from outside, returns one of it, and labels, flags and drafts. */
async function fillInbox(service: Service) {
  const { call, seed, local } = service;
  const inbox = `/v1/inbox/${seed.mailboxId}`;
  const outside = nodemailer.createTransport({ host: "127.0.0.1", port: local.ports.mx, ignoreTLS: true });
  const receive = (name: string, from: string, subject: string, text: string, more: object = {}) =>
    outside.sendMail({ from: { name, address: from }, to: seed.mailbox, subject, text, ...more });
  await receive(
    "Newsletter of the Booksellers",
    "news@booksellers.example",
    "Prices of paper in the fourth quarter",
    "Dear members,\n\npaper costs 4 % less than a year ago.",
  );
  await receive(
    "Alan Turing",
    "alan.turing@example.org",
    "Invoice for order 1043",
    "Hello,\n\ncould you send me the invoice as a PDF?\n\nAlan Turing",
  );
  const question = await receive(
    "Ada Lovelace",
    "ada.lovelace@example.org",
    "Where is my order 1042?",
    "Hello,\n\nI ordered two books on Monday, and the page still says “packed”. When do they arrive?\n\nBest regards\nAda Lovelace",
  );
  await receive(
    "Grace Hopper",
    "grace.hopper@example.org",
    "Photos of the reading group, and a long subject that does not fit on the screen of a phone",
    "Here they are.",
    {
      html: '<h2>Photos</h2><p>Here they are. The <a href="https://photos.example/">album</a> has more.</p><p><img src="https://photos.example/one.jpg" alt="The reading group" width="320" height="200"></p>',
      attachments: [{ filename: "reading-group.txt", content: "A list of everybody who was there." }],
    },
  );
  await receive(
    "Katherine Johnson",
    "katherine.johnson@example.org",
    "Opening hours on Sunday",
    "Are you open on Sunday?",
  );
  const items = async (folder = "INBOX") =>
    (await call<{ items: { uid: number; subject: string }[] }>("GET", `${inbox}/messages?folder=${folder}`)).items;
  for (const end = Date.now() + 15_000; (await items()).length < 5 && Date.now() < end; );
  const uidOf = async (word: string) => (await items()).find(({ subject }) => subject.includes(word))?.uid ?? 0;
  const asked = await uidOf("1042");
  await call("POST", `${inbox}/send`, {
    to: ["ada.lovelace@example.org"],
    subject: "Re: Where is my order 1042?",
    text: "Hello Ada,\n\nit left our shop this morning and arrives on Thursday.\n\nExample Shop",
    in_reply_to: question.messageId,
  });
  await receive(
    "Ada Lovelace",
    "ada.lovelace@example.org",
    "Re: Where is my order 1042?",
    "Thank you, that was quick!\n\n> it left our shop this morning",
    { inReplyTo: question.messageId, references: question.messageId },
  );
  const label = await call("POST", `${inbox}/labels`, { name: "Orders", color: "#1f5fbf" });
  await call("POST", `${inbox}/labels`, { name: "Urgent", color: "#a4262c" });
  await call("POST", `${inbox}/folders`, { name: "Suppliers" });
  await call("POST", `${inbox}/messages/batch`, {
    folder: "INBOX",
    uids: [asked, await uidOf("1043")],
    action: "label",
    label_id: label.id,
  });
  await call("POST", `${inbox}/messages/batch`, { folder: "INBOX", uids: [asked], action: "flag" });
  await call("POST", `${inbox}/messages/batch`, { folder: "INBOX", uids: [await uidOf("paper")], action: "seen" });
  await call("POST", `${inbox}/drafts`, {
    to: ["katherine.johnson@example.org"],
    subject: "Re: Opening hours on Sunday",
    text: "Yes, from ten to four.",
  });
  await call("POST", `${inbox}/send`, {
    to: ["press@example.org"],
    subject: "Invitation to our reading group",
    text: "You are welcome.",
    send_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  for (const end = Date.now() + 15_000; (await items()).length < 6 && Date.now() < end; );
  outside.close();
  return { asked, photos: await uidOf("Photos"), label: label.id };
}
