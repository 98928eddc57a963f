/**
 * Measures how long one tenant waits for the email and the webhook of an automation while another tenant does what once stopped the
 * shared loops: pages of many bytes, backlogs, and work that takes as much CPU as the limits allow. Each row is a ratio of the
 * longest wait to the longest quiet one in the same run.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Deployment } from "./deployment.ts";
import { toRatio } from "./ratio.ts";
import type { Sink } from "./sink.ts";
import type { Row } from "./table.ts";

/** Events that each row waits for. */
const PROBES = 7;
const LISTS = 2_000;
/** Bytes of the metadata of a contact of the large person. */
const METADATA = 62_000;
/** Automations with large filters: with the others the most of a workspace. */
const AUTOMATIONS = 196;
const FILTER_CONDITIONS = 47;
const PAYLOADS = 100;
const PAYLOAD = 1_900_000;
const EVENTS = 50_000;
const DELIVERIES = 10_000;

/** Work of one tenant beside the waits of another. */
interface Attack {
  what: string;
  /** Makes a backlog. */
  before?: () => Promise<unknown>;
  /** Is done again and again while the other tenant waits. */
  beside?: () => Promise<Response>;
}

/** Times in ms that the other tenant waits for one event: until its email arrives, and its webhook. */
interface Wait {
  email: number;
  webhook: number;
}

/** Returns a row for each attack of `busy`, by what `other` waits for. */
export async function measureAttacks(busy: Deployment, other: Deployment, sink: Sink): Promise<Row[]> {
  const hooks = await Hooks.start();
  try {
    const probe = await probeOf(other, sink, hooks);
    await probe();
    const quiet = await waitsOf(probe);
    const rows: Row[] = [];
    for (const { what, before, beside } of await attacksOf(busy, hooks)) {
      await before?.();
      let isOver = false;
      const working = (async () => {
        while (beside && !isOver) await (await beside()).arrayBuffer();
      })();
      const waits = await waitsOf(probe);
      isOver = true;
      await working;
      rows.push(...toRows(what, waits, quiet));
    }
    return rows;
  } finally {
    hooks.stop();
  }
}

async function waitsOf(probe: () => Promise<Wait>): Promise<Wait[]> {
  const waits: Wait[] = [];
  for (let n = 0; n < PROBES; n++) waits.push(await probe());
  return waits;
}

const toRows = (what: string, waits: readonly Wait[], quiet: readonly Wait[]): Row[] =>
  (["email", "webhook"] as const).map((kind) =>
    toRatio(
      `${kind} of another tenant's automation beside ${what}`,
      waits.map((wait) => wait[kind]),
      quiet.map((wait) => wait[kind]),
    ),
  );

/** Starts the automation of the other tenant. Returns a function that sends it an event and waits for what it does. */
async function probeOf(other: Deployment, sink: Sink, hooks: Hooks): Promise<() => Promise<Wait>> {
  const list = await created(other, "/v1/contacts/", { name: "Waits" });
  await other.call("POST", "/v1/webhooks/", { url: hooks.url, events: ["automation.run_started"] });
  const step = { kind: "send_email", mailbox_id: other.seed.mailboxId, subject: "Hello", text: "Hello" };
  await activated(other, { event: "probed" }, [step]);
  let count = 0;
  return async () => {
    const email = `probe${++count}@waits.example`;
    await other.call("POST", `/v1/contacts/${list}/contacts`, { email });
    const startedAt = performance.now();
    await other.call("POST", "/v1/events/", { email, name: "probed" });
    const [arrived, called] = await Promise.all([sink.arrivalOf(email), hooks.arrivalOf(email)]);
    return { email: arrived - startedAt, webhook: called - startedAt };
  };
}

async function attacksOf(busy: Deployment, hooks: Hooks): Promise<Attack[]> {
  const { workspaceNumber: workspace } = busy.seed;
  const numbers = (count: number) =>
    `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ${count})`;
  const list = await created(busy, "/v1/contacts/", { name: "Attack" });
  const plain = "plain@waits.example";
  await busy.call("POST", `/v1/contacts/${list}/contacts`, { email: plain });
  const event = async (name: string, email = plain) =>
    (await busy.call("POST", "/v1/events/", { email, name })).arrayBuffer();
  const wait = [{ kind: "wait", for: { days: 1 } }];
  const filter = (value: string) => ({ field: "f", is: "contains", value });
  const large = "large@waits.example";

  const costlyConditions = { any: Array(49).fill(filter(`${"0".repeat(249)}x`)) };
  await activated(busy, { event: "of_large", filter: costlyConditions }, wait);
  await busy.sql(
    `${numbers(LISTS)} INSERT INTO contact_lists (workspace, id, name, contact_count, created_at) SELECT ?1, 'waits-' || i, 'L', 1, 0 FROM c`,
    workspace,
  );
  await busy.sql(
    `INSERT INTO contacts (workspace, list, id, email, email_key, metadata, created_at)
     SELECT workspace, n, 'w' || n, ?2, ?2, json_object('f', hex(zeroblob(${METADATA / 2}))), 0 FROM contact_lists WHERE workspace = ?1 AND id LIKE 'waits-%'`,
    ...[workspace, large],
  );
  for (let n = 0; n < AUTOMATIONS; n++)
    await activated(
      busy,
      { event: "of_many", filter: { not: { all: Array(FILTER_CONDITIONS).fill(filter("y".repeat(250))) } } },
      wait,
    );
  await activated(busy, { event: "of_flood" }, wait, "every");
  const webhook = await created(busy, "/v1/webhooks/", { url: hooks.url, events: ["email.bounced"] });
  const deliveries = (count: number, payload: string) =>
    busy.sql(
      `${numbers(count)} INSERT INTO webhook_deliveries (id, workspace, endpoint, webhook_id, email, event_type, payload, status, due_at, created_at)
       SELECT ?2 || '-' || i || '-' || abs(random()), ?1, ?2, ?2, ?2, 'email.bounced', ${payload}, 'pending', ?3, ?3 FROM c`,
      ...[workspace, webhook, Date.now()],
    );
  const wakeWebhooks = () => busy.sql("UPDATE webhook_endpoints SET due_at = ?2 WHERE id = ?1", webhook, Date.now());
  const costly = "{% for i in (1..4000) %}{% endfor %}Hello";
  const subject = {
    kind: "send_email",
    mailbox_id: busy.seed.mailboxId,
    language: "liquid",
    subject: costly,
    text: "Hello",
  };
  await activated(busy, { event: "of_subjects" }, [subject]);
  const template_id = await created(busy, "/v1/templates/", {
    name: "Costly",
    language: "liquid",
    subject: costly,
    html_body: "<p>Hello</p>",
  });
  const from_ = { email: busy.seed.mailbox };
  const segment = await created(busy, "/v1/segments/", { name: "Costly", conditions: costlyConditions });
  return [
    {
      what: `events of a person with ${LISTS} contacts of 62 KB`,
      before: () => repeated(3, () => event("of_large", large)),
    },
    {
      what: `events that begin ${AUTOMATIONS} large automations each`,
      before: () => repeated(3, () => event("of_many")),
    },
    {
      what: `${PAYLOADS} webhook payloads of 1.9 MB`,
      before: async () => {
        await deliveries(PAYLOADS, `json_object('x', hex(zeroblob(${PAYLOAD / 2})))`);
        await wakeWebhooks();
      },
    },
    {
      what: `${DELIVERIES.toLocaleString("en")} webhook deliveries`,
      before: async () => {
        await deliveries(DELIVERIES, "'{}'");
        await wakeWebhooks();
      },
    },
    {
      what: "50 events whose emails take thousands of steps of Liquid",
      before: () => repeated(50, () => event("of_subjects")),
    },
    {
      what: "requests of 10 emails by a template of thousands of steps",
      beside: () =>
        busy.call("POST", "/v1/emails/batch", Array(10).fill({ from_, to: [{ email: plain }], template_id })),
    },
    {
      what: "requests for the people of a segment of costly conditions",
      beside: () => busy.call("GET", `/v1/segments/${segment}/contacts`),
    },
    {
      what: `${EVENTS.toLocaleString("en")} events`,
      before: () =>
        busy.sql(
          `${numbers(EVENTS)} INSERT INTO events (workspace, id, email_key, name, data, occurred_at, created_at)
           SELECT ?1, '019aa7c0-4a00-7b3d-8f21-' || printf('%012x', i), ?2, 'of_flood', '{}', ?3, ?3 FROM c`,
          ...[workspace, plain, Date.now()],
        ),
    },
  ];
}

const repeated = async (count: number, act: () => Promise<unknown>) => {
  for (let n = 0; n < count; n++) await act();
};

async function created(of: Deployment, path: string, body: object): Promise<string> {
  return ((await (await of.call("POST", path, body)).json()) as { id: string }).id;
}

async function activated(of: Deployment, trigger: object, steps: object[], mode = "every"): Promise<void> {
  const id = await created(of, "/v1/automations/", { name: "Waits", trigger, steps, entry: { mode } });
  await of.call("POST", `/v1/automations/${id}/activate`);
}

/** The server of all webhooks: records when one about an address has arrived. */
class Hooks {
  readonly #waiting = new Map<string, PromiseWithResolvers<number>>();
  readonly #server = createServer(async (request, response) => {
    const body = (await text(request)).slice(0, 1_000);
    const recipient = /"recipient":"([^"]+)"/.exec(body)?.[1];
    if (recipient !== undefined) this.#of(recipient).resolve(performance.now());
    response.end();
  });

  static async start(): Promise<Hooks> {
    const hooks = new Hooks();
    await new Promise<void>((resolve) => hooks.#server.listen(0, "127.0.0.1", resolve));
    return hooks;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  arrivalOf(recipient: string): Promise<number> {
    return this.#of(recipient).promise;
  }

  stop(): void {
    this.#server.close();
  }

  #of(recipient: string): PromiseWithResolvers<number> {
    const found = this.#waiting.get(recipient) ?? Promise.withResolvers<number>();
    this.#waiting.set(recipient, found);
    return found;
  }
}
