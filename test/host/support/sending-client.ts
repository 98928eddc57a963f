/** An API client whose server may be killed during a call. It records which responses it got and which were lost. */

/** Tries of a read. */
const READ_TRIES = 5;

/** One send request and the responses to it. */
export interface SendAttempt {
  /** Unique. Identifies the email in the list and at the sink. */
  subject: string;
  recipients: string[];
  /** The Idempotency-Key, or null for none. */
  key: string | null;
  body: string;
  /** API key of its workspace. */
  apiKey: string;
  /** Ids from responses with 202. More than one is possible only after a lost response. */
  ids: Set<string>;
  /** True if a response was lost. */
  responseLost: boolean;
}

/** The server that the client calls. `url` resolves when the server is running. */
export interface Server {
  url(): Promise<string>;
  /** API keys of its workspaces. */
  apiKeys: readonly string[];
}

/** Returns the nth request: one to three recipients in to, cc and bcc; some have an attachment, every other one a key. */
export function newAttempt(n: number, { mailbox, apiKey }: { mailbox: string; apiKey: string }): SendAttempt {
  const recipients = Array.from({ length: 1 + (n % 10 === 3 ? 2 : 0) }, (_, i) => `r${n}-${i}@example.org`);
  const [to, cc, bcc] = recipients.map((email) => [{ email }]);
  const file = { filename: "file.bin", content_base64: Buffer.alloc(3000, n % 251).toString("base64") };
  const subject = `Mail ${n}`;
  const content = { subject, text: `The text of mail ${n}.`, ...(n % 10 === 7 ? { attachments: [file] } : {}) };
  return {
    subject,
    recipients,
    key: n % 2 === 0 ? `key-${n}` : null,
    body: JSON.stringify({ from_: { email: mailbox }, to, cc, bcc, ...content }),
    apiKey,
    ids: new Set(),
    responseLost: false,
  };
}

/** Returns after how many milliseconds a client disconnects from a call, or null when it waits for the response. */
export type Disconnects = () => number | null;

/**
 * Sends one request and records the response. Repeats a call that did not reach the server. After a lost response, it
 * repeats the call until a 202 if the request has an Idempotency-Key; without one it stays unknown whether the email was
 * accepted. Throws on an unexpected status code.
 */
export async function send(server: Server, mail: SendAttempt, disconnects: Disconnects = () => null): Promise<void> {
  for (;;) {
    const outcome = await post(server, mail, disconnects());
    if (outcome === "never-sent") continue;
    if (typeof outcome === "object") {
      mail.ids.add(outcome.id);
      return;
    }
    mail.responseLost = true;
    if (mail.key === null) return;
  }
}

async function post(
  server: Server,
  { key, body, apiKey }: SendAttempt,
  disconnectMs: number | null,
): Promise<{ id: string } | "lost" | "never-sent"> {
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    "Content-Type": "application/json",
    ...(key === null ? {} : { "Idempotency-Key": key }),
  };
  const url = await server.url();
  const signal = disconnectMs === null ? null : AbortSignal.timeout(disconnectMs);
  let result: { status: number; text: string };
  try {
    const response = await fetch(`${url}/v1/emails/`, { method: "POST", headers, body, signal });
    result = { status: response.status, text: await response.text() };
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause;
    return cause?.code === "ECONNREFUSED" ? "never-sent" : "lost";
  }
  if (result.status === 202) return JSON.parse(result.text) as { id: string };
  if (result.status < 500) throw new Error(`a valid request got a response ${result.status}: ${result.text}`);
  return "lost";
}

/** An email in the API's list. */
export interface Listed {
  id: string;
  subject: string;
  status: string;
}

/** Returns all emails of the workspaces. */
export async function listAll(server: Server): Promise<Listed[]> {
  return (await Promise.all(server.apiKeys.map((apiKey) => listOf(server, apiKey)))).flat();
}

async function listOf(server: Server, apiKey: string): Promise<Listed[]> {
  const all: Listed[] = [];
  for (;;) {
    const before = all.at(-1)?.id;
    const path = `/v1/emails/?limit=100${before ? `&before=${before}` : ""}`;
    const page = (await get<Listed[]>(server, apiKey, path)) ?? [];
    all.push(...page);
    if (page.length < 100) return all;
  }
}

/** Returns up to 20 queued and 20 sending emails of each workspace; none when all emails are final. */
export async function listOpen(server: Server): Promise<Listed[]> {
  const pages = server.apiKeys.flatMap((apiKey) =>
    ["queued", "sending"].map((status) => get<Listed[]>(server, apiKey, `/v1/emails/?limit=20&status=${status}`)),
  );
  return (await Promise.all(pages)).flatMap((page) => page ?? []);
}

/** An event in the API's response. */
export interface Event {
  event_type: string;
  metadata: { recipient?: string; possible_duplicate?: boolean; ambiguous?: boolean } | null;
}

/** Returns the events of an email of any of the workspaces. */
export async function eventsOf(server: Server, id: string): Promise<Event[]> {
  for (const apiKey of server.apiKeys) {
    const events = await get<Event[]>(server, apiKey, `/v1/emails/${id}/events`);
    if (events) return events;
  }
  throw new Error(`no workspace has the email ${id}`);
}

/** Returns the body of a response; null for a 404. A host whose bindings fail may respond with a 500 for a few times. */
async function get<Body>(server: Server, apiKey: string, path: string, tries = READ_TRIES): Promise<Body | null> {
  const response = await fetch(`${await server.url()}${path}`, { headers: { Authorization: `Bearer ${apiKey}` } });
  if (response.status === 404) return null;
  if (response.ok) return (await response.json()) as Body;
  const text = await response.text();
  if (response.status < 500 || tries === 1) throw new Error(`GET ${path}: ${response.status} ${text}`);
  return get(server, apiKey, path, tries - 1);
}
