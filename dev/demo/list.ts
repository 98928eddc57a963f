import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { LocalService } from "../local-file.ts";
import { call } from "./api.ts";
import { findCapturedTo } from "./captured.ts";

interface Contact {
  email: string;
  subscribed: boolean;
}

interface Broadcast {
  id: string;
  status: string;
  recipient_count: number;
  delivered_count: number;
}

interface Audience {
  eligible: number;
  skipped: { unsubscribed: number };
}

const POLL_MS = 300;

const post = <T>(local: LocalService, path: string, body: unknown, status: number) =>
  call<T>(local, path, { method: "POST", body: JSON.stringify(body) }, status);

/**
 * Imports a list of three addresses, sends a broadcast to it, unsubscribes one of them by the link in its email, and
 * prints what the next broadcast would do. `deadline` in milliseconds since 1970.
 */
export async function showList(local: LocalService, deadline: number): Promise<void> {
  // An unsubscribe stays on the suppression list, so each run needs other addresses.
  const label = randomUUID().slice(0, 8);
  const ada = `ada.${label}@example.org`;
  const listId = await importList(local, [
    [ada, "Ada", "London"],
    [`grace.${label}@example.org`, "Grace", "New York"],
    [`delivered+${label}@simulator.test`, "Simulated", "Nowhere"],
  ]);
  const sent = await sendBroadcast(local, listId, deadline);
  console.log(`  status ${sent.status}: ${sent.delivered_count} of ${sent.recipient_count} delivered`);
  const mail = await findCapturedTo(local, ada);
  console.log(`\nThe local mail server received the message to Ada:\n  Subject  ${mail.subject}\n`);
  for (const line of mail.text.trim().split("\n")) console.log(`  | ${line}`);
  await unsubscribe(mail.text);
  await showAudience(local, listId, ada);
}

async function importList(local: LocalService, rows: string[][]): Promise<string> {
  const { id } = await post<{ id: string }>(local, "/contacts/", { name: "Demo list" }, 201);
  const csv = ["email,name,city", ...rows.map((row) => row.join())].join("\n");
  const form = new FormData();
  form.set("file", new Blob([csv], { type: "text/csv" }), "contacts.csv");
  const { imported } = await call<{ imported: number }>(
    local,
    `/contacts/${id}/upload`,
    { method: "POST", body: form },
    200,
  );
  console.log(`\nPOST /v1/contacts/${id}/upload imported ${imported} contacts`);
  return id;
}

async function sendBroadcast(local: LocalService, listId: string, deadline: number): Promise<Broadcast> {
  const broadcast = {
    name: "Demo",
    subject: "News for {{name}}",
    from_address: local.mailbox,
    contact_list_id: listId,
    text_body: "Hello {{name}} of {{city}},\n\nthis email went to every contact of a list.",
  };
  const { id } = await post<Broadcast>(local, "/broadcasts/", broadcast, 201);
  await post(local, `/broadcasts/${id}/send`, undefined, 200);
  console.log(`\nPOST /v1/broadcasts/${id}/send`);
  for (; Date.now() < deadline; await sleep(POLL_MS)) {
    const current = await call<Broadcast>(local, `/broadcasts/${id}`, {}, 200);
    if (current.status === "sent" && current.delivered_count === current.recipient_count) return current;
  }
  throw new Error("the broadcast was not sent in time");
}

/** Posts to the unsubscribe link of a text, as the button of its page does. */
async function unsubscribe(text: string): Promise<void> {
  const [, link = ""] = /Unsubscribe: (http\S+)/.exec(text) ?? [];
  const response = await fetch(link, {
    method: "POST",
    body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
  });
  if (!response.ok) throw new Error(`the unsubscribe link responded with ${response.status}`);
  console.log(`\nAda unsubscribes by the link of her email\n  ${link}`);
}

async function showAudience(local: LocalService, listId: string, ada: string): Promise<void> {
  const { contacts } = await call<{ contacts: Contact[] }>(local, `/contacts/${listId}`, {}, 200);
  console.log(`\nGET /v1/contacts/${listId}`);
  for (const { email, subscribed } of contacts) console.log(`  ${email}  subscribed: ${subscribed}`);
  if (contacts.find(({ email }) => email === ada)?.subscribed !== false) throw new Error(`${ada} is still subscribed`);
  const next = await post<Broadcast>(
    local,
    "/broadcasts/",
    { name: "Next", subject: "More news", from_address: local.mailbox, contact_list_id: listId },
    201,
  );
  const { eligible, skipped } = await call<Audience>(local, `/broadcasts/${next.id}/audience`, {}, 200);
  console.log(`\nThe next broadcast goes to ${eligible} contacts and skips ${skipped.unsubscribed}.`);
}
