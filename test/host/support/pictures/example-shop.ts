/** The example shop of `npm start -- --example`: what the pictures of its pages need beside it, and the ids in their paths. */
import type { Page } from "playwright-core";
import { SHOP } from "../../../../dev/example/shop.ts";
import { DAY_MS } from "../../../../src/lib/time.ts";
import { type CallApi, callerOf } from "../call-api.ts";
import type { Service } from "./local-service.ts";

const PARTNER = "grace@example.org";

/** Adds what the shop lacks by calls of the API, and returns the ids in paths of its pages. `page`: signed in as its owner. */
export async function completeShop(service: Service, page: Page) {
  const call = await callerOfOwner(service, page);
  const partner = await service.open();
  await service.signIn(partner, PARTNER);
  await partner.context().close();
  const box = await idOf(call, "/v1/mailboxes/", `hello@${SHOP.domain}`);
  const customers = await idOf(call, "/v1/contacts/", "Customers");
  const workspace = await idOf(call, "/v1/workspaces/", SHOP.name);
  await call("POST", `/v1/workspaces/${workspace}/invitations`, { email: "linus@example.org", role: "member" });
  const search = { name: "Receipts that failed", query: "status:bounced tag:receipt", status: "bounced" };
  const searches = [{ id: "a", range: "", domain: "", source: "", ...search }];
  await call("PUT", "/v1/emails/saved-searches", { searches });
  return {
    bounced: await idOf(call, "/v1/emails/?status=bounced", "elin.sandgren@post.test"),
    broadcast: await idOf(call, "/v1/broadcasts/", "Autumn harvest"),
    template: await idOf(call, "/v1/templates/", "Your receipt"),
    customers,
    domains: await addDomains(call),
    hook: await addWebhook(call),
    box,
    inbox: await fillInbox(call, `/v1/inbox/${box}`),
  };
}

/** Creates an API key of the shop, and returns a function that calls the API with it. */
async function callerOfOwner({ url }: Service, page: Page): Promise<CallApi> {
  const created = await page.request.post("/v1/api-keys/", { headers: { Origin: url }, data: { name: "Web shop" } });
  return callerOf(url, (await created.json()).key);
}

/** Returns the id of the first row of a list whose JSON contains a text, or throws. */
async function idOf(call: CallApi, list: string, text: string): Promise<string> {
  const found = (await call<{ id: string }[]>("GET", list)).find((row) => JSON.stringify(row).includes(text));
  if (!found) throw new Error(`${list} has no row with ${text}`);
  return found.id;
}

/** Adds a domain with wrong DNS records, one that was never checked, one that is offered to the partner, and a forwarding rule. */
async function addDomains(call: CallApi) {
  const verified = await idOf(call, "/v1/domains/", SHOP.domain);
  const add = async (name: string) => (await call("POST", "/v1/domains/", { name })).id;
  await add("outlet.test");
  const [broken, moving] = [await add("wrong-shop.test"), await add("teahouse.test")];
  for (const id of [broken, moving]) await call("POST", `/v1/domains/${id}/verify`);
  const note = "The tea house is yours from December on.";
  await call("POST", `/v1/domains/${moving}/transfer`, { target_email: PARTNER, note });
  await call("POST", "/v1/forwarding-rules/", {
    ...{ domain_id: verified, match: { recipient: `invoices@${SHOP.domain}` } },
    action: { type: "address", target: "books@accountant.example" },
  });
  return { verified, broken };
}

/** Adds a webhook whose receiver does not exist, and sends it a test. */
async function addWebhook(call: CallApi): Promise<string> {
  const url = "http://127.0.0.1:9/email-events";
  const { id } = await call("POST", "/v1/webhooks/", { url, events: ["email.delivered", "email.bounced"] });
  await call("POST", `/v1/webhooks/${id}/test`);
  return id;
}

/** Labels, flags, drafts and schedules mail, and returns what paths of the inbox need. */
async function fillInbox(call: CallApi, inbox: string) {
  const { items } = await call<{ items: { uid: number; subject: string }[] }>("GET", `${inbox}/messages?folder=INBOX`);
  const uidOf = (text: string) => items.find(({ subject }) => subject.includes(text))?.uid;
  const [asked, order] = [uidOf("Re: Where is my order"), uidOf("Our order for December")];
  const { id: label } = await call("POST", `${inbox}/labels`, { name: "Orders", color: "#1f5fbf" });
  const change = (action: object) => call("POST", `${inbox}/messages/batch`, { folder: "INBOX", ...action });
  await change({ uids: [asked, order], action: "label", label_id: label });
  await change({ uids: [order], action: "flag" });
  await call("POST", `${inbox}/folders`, { name: "Suppliers" });
  const answer = { subject: "Re: Is the roasted Sencha free of gluten?", text: "It contains no wheat and no barley." };
  await call("POST", `${inbox}/drafts`, { to: ["yuki.tanaka@post.test"], ...answer });
  const invitation = { subject: "Invitation to our tasting", text: "You are welcome." };
  const send_at = new Date(Date.now() + DAY_MS).toISOString();
  await call("POST", `${inbox}/send`, { to: ["kaffe@cafe-norr.test"], ...invitation, send_at });
  return { asked, order, report: uidOf("Harvest report") };
}
