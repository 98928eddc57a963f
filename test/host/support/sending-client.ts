/** A caller of the API whose server is killed under its hands: it knows what it was promised, and what it cannot know. */

/** One request to send, as the caller remembers it. */
export interface SendAttempt {
  /** Unique: by it a mail is known again in the list and in the sink. */
  subject: string;
  recipients: string[];
  /** Null: sent without an Idempotency-Key. */
  key: string | null;
  body: string;
  /** Ids of the answers with 202; more than one only when an answer was lost and the call repeated. */
  ids: Set<string>;
  /** A call was made whose answer never came. */
  answerLost: boolean;
}

/** Where the server is now. `up` resolves at once while it serves, else when it serves again. */
export interface Server {
  url(): Promise<string>;
  apiKey: string;
}

/** The nth request: one to three recipients, some of them copies, now and then a file; every other one with a key. */
export function newAttempt(n: number, mailbox: string): SendAttempt {
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
    ids: new Set(),
    answerLost: false,
  };
}

/**
 * Sends one request and keeps what came of it. A call that never reached a server is made again. A lost
 * answer is followed by the same call when it has a key, until there is a 202; without a key it stays open
 * whether the email was accepted. Throws for an answer that means a fault.
 */
export async function send(server: Server, mail: SendAttempt): Promise<void> {
  for (;;) {
    const outcome = await post(server, mail);
    if (outcome === "never-sent") continue;
    if (typeof outcome === "object") {
      mail.ids.add(outcome.id);
      return;
    }
    mail.answerLost = true;
    if (mail.key === null) return;
  }
}

async function post(server: Server, { key, body }: SendAttempt): Promise<{ id: string } | "lost" | "never-sent"> {
  const headers = {
    Authorization: `Bearer ${server.apiKey}`,
    "Content-Type": "application/json",
    ...(key === null ? {} : { "Idempotency-Key": key }),
  };
  const url = await server.url();
  let answer: { status: number; text: string };
  try {
    const response = await fetch(`${url}/v1/emails/`, { method: "POST", headers, body });
    answer = { status: response.status, text: await response.text() };
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause;
    return cause?.code === "ECONNREFUSED" ? "never-sent" : "lost";
  }
  if (answer.status === 202) return JSON.parse(answer.text) as { id: string };
  if (answer.status < 500) throw new Error(`a good request was answered ${answer.status}: ${answer.text}`);
  return "lost";
}

/** An email as the list shows it. */
export interface Listed {
  id: string;
  subject: string;
  status: string;
}

/** Every email of the workspace. */
export async function listAll(server: Server): Promise<Listed[]> {
  const all: Listed[] = [];
  for (;;) {
    const before = all.at(-1)?.id;
    const page = await get<Listed[]>(server, `/v1/emails/?limit=100${before ? `&before=${before}` : ""}`);
    all.push(...page);
    if (page.length < 100) return all;
  }
}

/** Some emails that wait for a run, or are in the hands of one: newest first, none when all have come to their end. */
export async function listOpen(server: Server): Promise<Listed[]> {
  const page = (status: string) => get<Listed[]>(server, `/v1/emails/?limit=20&status=${status}`);
  return [...(await page("queued")), ...(await page("sending"))];
}

/** An event as the API shows it. */
export interface Event {
  event_type: string;
  metadata: { recipient?: string; possible_duplicate?: boolean; ambiguous?: boolean } | null;
}

export function eventsOf(server: Server, id: string): Promise<Event[]> {
  return get(server, `/v1/emails/${id}/events`);
}

async function get<Body>(server: Server, path: string): Promise<Body> {
  const response = await fetch(`${await server.url()}${path}`, {
    headers: { Authorization: `Bearer ${server.apiKey}` },
  });
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}
