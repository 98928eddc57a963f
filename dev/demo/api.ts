import type { LocalService } from "../local-file.ts";

export interface Accepted {
  id: string;
  status: string;
  message_id: string;
}

export interface EmailDetail {
  id: string;
  status: string;
  created_at: string;
  delivered_at: string | null;
  events: { event_type: string; metadata: unknown; created_at: string }[];
}

/** Sends a small email with text and HTML by POST /v1/emails/. */
export async function sendMail(local: LocalService, recipient: string): Promise<Accepted> {
  const mail = {
    from_: { email: local.mailbox, name: "The demo" },
    to: [{ email: recipient, name: "Ada" }],
    subject: "A first email — ça marche",
    text: "Hello Ada,\n\nthis email was accepted by the API, signed with DKIM, and sent over SMTP.\n\nThe demo",
    html: "<h1>Hello Ada</h1><p>This email was accepted by the API, <b>signed with DKIM</b>, and sent over SMTP.</p>",
  };
  return call(local, "/emails/", { method: "POST", body: JSON.stringify(mail) }, 202);
}

/** Reads status and events by GET /v1/emails/{id}. */
export async function fetchDetail(local: LocalService, id: string): Promise<EmailDetail> {
  return call(local, `/emails/${id}`, {}, 200);
}

/** Reads the newest suppressions by GET /v1/suppressions/. */
export async function listSuppressions(local: LocalService): Promise<{ email: string; reason: string }[]> {
  return call(local, "/suppressions/", {}, 200);
}

/** Passes a message to the Worker's email handler, as Cloudflare does with inbound mail. */
export async function postReport(local: LocalService, to: string, message: string): Promise<void> {
  const query = new URLSearchParams({ from: "mailer-daemon@example.org", to });
  const url = `${new URL(local.base_url).origin}/cdn-cgi/handler/email?${query}`;
  const response = await fetch(url, { method: "POST", body: message });
  const text = await response.text();
  if (!response.ok) throw new Error(`the email handler responded with ${response.status}: ${text}`);
}

/** Calls the API with JSON. Throws when it returns another status than `expected`. */
export async function call<T>(local: LocalService, path: string, init: RequestInit, expected: number): Promise<T> {
  const headers = new Headers({ Authorization: `Bearer ${local.api_key}` });
  // A form sets its own media type.
  if (!(init.body instanceof FormData)) headers.set("Content-Type", "application/json");
  const response = await fetch(`${local.base_url}${path}`, { ...init, headers });
  const text = await response.text();
  if (response.status !== expected) throw new Error(`${path} responded with ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}
