import { describe, expect, it, vi } from "vitest";
import { DAY_MS } from "../../../src/lib/time.ts";
import { countingDb, rowsRead } from "../../support/counting-db.ts";
import { database, withFailingCall } from "../../support/databases.ts";
import { eventNamesOf, eventsOf, recordEvents } from "../../support/person-events.ts";
import {
  aKey,
  aMail,
  apiOn,
  apiWith,
  aWorkspace,
  createApiWithoutQueue,
  discardingQueue,
  perTest,
} from "../../support/workspace.ts";
import { runEngine } from "../automations/support.ts";
import { aContact, aList } from "../contacts/support.ts";

const workspace = perTest(aWorkspace);
const api = perTest(() => workspace.withoutQueue);
const ADA = "Ada@Example.org";

const send = (body: unknown, headers: Record<string, string> = {}) => api.post("/v1/events", body, headers);
const sendBatch = (body: unknown, headers: Record<string, string> = {}) => api.post("/v1/events/batch", body, headers);
const idOf = async (response: Response) => {
  expect(response.status, await response.clone().text()).toBe(202);
  return (await response.json<{ id: string }>()).id;
};
const errorsOf = async (response: Response) => {
  const { detail } = await response.json<{ detail: { loc: unknown[]; msg: string }[] }>();
  return detail.map(({ loc }) => loc.join("."));
};

describe("POST /v1/events", () => {
  it("stores an event of a contact and of an address that is none, with the text of its data", async () => {
    const { id: list } = await aList(api);
    const { id: contact } = await aContact(api, list, ADA);
    const first = await idOf(
      await send({ name: "order.paid", contact_id: contact.toUpperCase(), data: { total: 1.5 } }),
    );
    const body = `{"name":"a-B_9","email":"Grace@Example.org","data":{"__proto__":{"a":1},"é":"☃","b":[1,{"c":null}]}}`;
    const second = await idOf(await send(body, { "Content-Type": "application/json" }));
    const third = await idOf(await send({ name: "x", email: ADA }));
    const rows = await database
      .prepare(
        "SELECT id, name, email_key, data, occurred_at = created_at AS isNow FROM events WHERE workspace = ?1 AND name NOT LIKE 'contact.%' ORDER BY n",
      )
      .bind(workspace.workspaceNumber)
      .all();
    expect(rows.results).toEqual([
      { id: first, name: "order.paid", email_key: "ada@example.org", data: '{"total":1.5}', isNow: 1 },
      {
        id: second,
        name: "a-B_9",
        email_key: "grace@example.org",
        data: '{"__proto__":{"a":1},"é":"☃","b":[1,{"c":null}]}',
        isNow: 1,
      },
      { id: third, name: "x", email_key: "ada@example.org", data: "{}", isNow: 1 },
    ]);
  });

  it("answers 404 for a contact that is unknown, of another workspace or of a deleted list, and stores nothing", async () => {
    const other = (await aWorkspace()).withoutQueue;
    const { id: foreign } = await aContact(other, (await aList(other)).id, ADA);
    const { id: list } = await aList(api);
    const { id: gone } = await aContact(api, list, ADA);
    await api.call("DELETE", `/v1/contacts/${list}`);
    for (const id of [foreign, gone, crypto.randomUUID()])
      expect((await send({ name: "x", contact_id: id })).status, id).toBe(404);
    expect((await eventsOf(workspace)).filter(({ name }) => name === "x")).toEqual([]);
  });

  it("refuses names, persons, data and times that it does not take", async () => {
    const now = Date.now();
    const at = (ms: number) => new Date(now + ms).toISOString();
    const cases: [object, string][] = [
      ...["", "a b", "é", "x".repeat(65), "a\r\nb", "email.sent", "contact.x", "topic.", 1].map(
        (name): [object, string] => [{ name }, "body.name"],
      ),
      [{ email: undefined }, "body"],
      [{ contact_id: crypto.randomUUID() }, "body"],
      [{ email: "a@b\r\n" }, "body.email"],
      [{ email: undefined, contact_id: "x" }, "body.contact_id"],
      ...[[], "x", null, 1, { a: "x".repeat(16_380) }, { a: "é".repeat(8_190) }].map((data): [object, string] => [
        { data },
        "body.data",
      ]),
      ...["x", "2026-01-01", 5, at(310_000), at(-91 * DAY_MS)].map((time): [object, string] => [
        { occurred_at: time },
        "body.occurred_at",
      ]),
    ];
    for (const [change, loc] of cases) {
      const response = await send({ name: "x", email: ADA, ...change });
      expect(response.status, JSON.stringify(change)).toBe(422);
      expect(await errorsOf(response), JSON.stringify(change)).toEqual([loc]);
    }
    for (const text of [
      '{"name":"x","email":"a@b.example","data":{"a":"\\u0000"}}',
      '{"name":"x","email":"a@b.example","data":{"a":9007199254740993}}',
    ])
      expect((await send(text, { "Content-Type": "application/json" })).status).toBe(422);
    const deep = `{"name":"x","email":"a@b.example","data":${'{"a":'.repeat(40)}1${"}".repeat(40)}}`;
    expect((await send(deep, { "Content-Type": "application/json" })).status).toBe(422);
    expect((await send("")).status).toBe(422);
    expect((await send({ name: "x", email: ADA, data: { a: "x".repeat(41_000_000) } })).status).toBe(413);
    expect((await eventsOf(workspace)).filter(({ name }) => name === "x")).toEqual([]);
  });

  it("takes the greatest data and times at the limits", async () => {
    const now = Date.now();
    const data = { a: "x".repeat(16_384 - 8) };
    await idOf(await send({ name: "x".repeat(64), email: ADA, data }));
    for (const ms of [290_000, -90 * DAY_MS + 60_000])
      await idOf(await send({ name: "x", email: ADA, occurred_at: new Date(now + ms).toISOString() }));
    expect((await send({ name: "x", email: ADA, data: { a: "x".repeat(16_384 - 7) } })).status).toBe(422);
    expect(await eventsOf(workspace)).toHaveLength(3);
  });

  it("stores the event of an Idempotency-Key once, also of two calls at once", async () => {
    const headers = { "Idempotency-Key": "k" };
    const body = { name: "x", email: ADA };
    const ids = await Promise.all((await Promise.all([send(body, headers), send(body, headers)])).map(idOf));
    ids.push(await idOf(await send(body, headers)));
    expect(new Set(ids).size).toBe(1);
    expect((await send({ ...body, name: "y" }, headers)).status).toBe(409);
    expect(await eventsOf(workspace)).toHaveLength(1);
  });

  it("replays the response after its contact was deleted", async () => {
    const { id: list } = await aList(api);
    const { id: contact } = await aContact(api, list, ADA);
    const body = { name: "x", contact_id: contact };
    const first = await idOf(await send(body, { "Idempotency-Key": "k" }));
    await api.call("DELETE", `/v1/contacts/${list}/contacts/${contact}`);
    expect(await idOf(await send(body, { "Idempotency-Key": "k" }))).toBe(first);
    expect((await send(body)).status).toBe(404);
  });

  it("is refused without the scope, and for a workspace that was closed", async () => {
    const view = apiWith(await aKey(workspace, { scopes: ["contacts:manage", "emails:send"] }));
    expect((await view.post("/v1/events", { name: "x", email: ADA })).status).toBe(403);
    expect((await view.post("/v1/events/batch", [{ name: "x", email: ADA }])).status).toBe(403);
    expect((await apiWith(null).post("/v1/events", { name: "x", email: ADA })).status).toBe(401);
    const only = createApiWithoutQueue(await aKey(workspace, { scopes: ["events:send"] }));
    await idOf(await only.post("/v1/events", { name: "x", email: ADA }));
    await database.run(
      "INSERT INTO shard_workspaces (number, id, status) VALUES (?1, ?2, 'closed') ON CONFLICT DO UPDATE SET status = 'closed'",
      [workspace.workspaceNumber, workspace.workspaceId],
    );
    expect((await send({ name: "x", email: ADA })).status).toBeGreaterThanOrEqual(400);
    expect(await eventsOf(workspace)).toHaveLength(1);
  });
});

describe("POST /v1/events/batch", () => {
  it("stores up to 500 events in order, and returns their ids", async () => {
    const { id: list } = await aList(api);
    const { id: contact } = await aContact(api, list, ADA);
    const items = Array.from({ length: 500 }, (_, index) =>
      index % 2 === 0
        ? { name: `n${index}`, contact_id: contact }
        : { name: `n${index}`, email: `c${index}@example.org`, data: { a: "x".repeat(8_000) } },
    );
    const response = await sendBatch(items);
    expect(response.status, await response.clone().text()).toBe(202);
    const { total, ids } = await response.json<{ total: number; ids: string[] }>();
    const events = (await eventsOf(workspace)).slice(1);
    expect([total, ids]).toEqual([500, events.map(({ id }) => id)]);
    expect(events.map(({ name }) => name)).toEqual(items.map(({ name }) => name));
    expect(events[2]?.email).toBe("ada@example.org");
    expect((await sendBatch([...items, items[0]])).status).toBe(400);
    expect((await sendBatch([])).status).toBe(400);
    expect((await sendBatch({})).status).toBe(422);
  });

  it("stores none when one is refused, and the error has its index", async () => {
    const good = { name: "x", email: ADA };
    const response = await sendBatch([
      good,
      { ...good, name: "email.x" },
      good,
      { ...good, occurred_at: "2020-01-01T00:00:00Z" },
    ]);
    expect(response.status).toBe(422);
    expect(await errorsOf(response)).toEqual(["body.1.name", "body.3.occurred_at"]);
    expect(await errorsOf(await sendBatch([good, { ...good, occurred_at: "2020-01-01T00:00:00Z" }]))).toEqual([
      "body.1.occurred_at",
    ]);
    const unknown = { name: "x", contact_id: crypto.randomUUID() };
    const refused = await sendBatch([good, good, unknown, unknown]);
    expect([refused.status, await errorsOf(refused)]).toEqual([422, ["body.2.contact_id"]]);
    expect((await eventsOf(workspace)).filter(({ name }) => name === "x")).toEqual([]);
  });
});

it("an event takes as many D1 calls as a send, with and without a key and a contact, and few rows", async () => {
  const { id: list } = await aList(api);
  const { id: contact } = await aContact(api, list, ADA);
  const { bindings, trips } = countingDb();
  const counted = apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey);
  await counted.get("/v1/me");
  const people = [{ email: ADA }, { contact_id: contact }];
  for (const [index, person] of [...people, ...people].entries()) {
    const hasKey = index >= people.length;
    trips.length = 0;
    await idOf(
      await counted.post("/v1/events", { name: "x", ...person }, hasKey ? { "Idempotency-Key": `k${index}` } : {}),
    );
    expect(trips.map(({ statements }) => statements[0]?.binding)).toEqual(["DB", expect.stringMatching(/^MAIL/)]);
    // The event with two index entries, the number of the last one, the workspace once, and the response under its key.
    expect(trips[1]?.rowsWritten).toBe(4 + (index === 0 ? 1 : 0) + (hasKey ? 1 : 0));
  }
  trips.length = 0;
  const items = Array.from({ length: 500 }, () => ({ name: "x", contact_id: contact }));
  expect((await counted.post("/v1/events/batch", items)).status).toBe(202);
  expect(trips.map(({ rowsWritten }) => rowsWritten)).toEqual([0, 1_501]);
});

it("the queue is told of events only when an automation is active, and then once at once and once a second later", async () => {
  const sent: MessageSendRequest[] = [];
  const sendMessages = async (messages: Iterable<MessageSendRequest>) => void sent.push(...messages);
  const telling = apiOn({ AUTOMATIONS: { ...discardingQueue, sendBatch: sendMessages } }, workspace.apiKey);
  await idOf(await telling.post("/v1/events", { name: "x", email: ADA }));
  expect(sent).toEqual([]);
  await recordEvents(workspace);
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  try {
    for (const _ of [1, 2, 3]) await idOf(await telling.post("/v1/events", { name: "x", email: ADA }));
    const body = { type: "automations.wake.v1", shard: workspace.mailShard };
    expect(sent).toEqual([{ body }, { body, delaySeconds: 1 }]);
    vi.setSystemTime(Date.now() + 1_001);
    await idOf(await telling.post("/v1/events", { name: "x", email: ADA }));
    expect(sent.slice(2)).toEqual([{ body }]);
  } finally {
    vi.useRealTimers();
  }
});

it("events are refused while the first of the workspace has waited for ten minutes, and taken when the engine passes", async () => {
  await recordEvents(workspace);
  const post = (of = workspace) =>
    apiOn({ AUTOMATIONS: discardingQueue }, of.apiKey).post("/v1/events", { name: "x", email: ADA });
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  try {
    expect((await post()).status).toBe(202);
    vi.setSystemTime(Date.now() + 600_000);
    expect((await post()).status).toBe(202);
    vi.setSystemTime(Date.now() + 1);
    const refused = await post();
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "60"]);
    expect((await post(await aWorkspace())).status).toBe(202);
    await runEngine(Date.now());
    expect((await post()).status).toBe(202);
  } finally {
    vi.useRealTimers();
  }
});

it("an event is stored when its response says so, whichever D1 call fails, and a repetition stores it once", async () => {
  for (const moment of ["before", "after"] as const) {
    for (let failing = 0; ; failing++) {
      const { bindings, hit } = withFailingCall({ failing, moment });
      const faulty = apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey);
      const email = `c${failing}-${moment}@example.org`;
      const headers = { "Idempotency-Key": email };
      const response = await faulty.post("/v1/events", { name: "x", email }, headers);
      const stored = async () => (await eventNamesOf(workspace)).filter((name) => name === `x ${email}`).length;
      if (response.status === 202) expect(await stored()).toBe(1);
      await idOf(await send({ name: "x", email }, headers));
      expect(await stored(), `call ${failing} failed ${moment}`).toBe(1);
      if (hit() === null) break;
    }
  }
});

describe("GET /v1/people/{email}/events", () => {
  it("has, for a key restricted to domains, no events of emails of other domains", async () => {
    const { id: email } = await workspace.create("/v1/emails/", aMail(workspace, { to: [{ email: ADA }] }));
    await idOf(await send({ name: "order.paid", email: ADA }));
    const rows = [email, crypto.randomUUID()].map((email_id) => ({ id: crypto.randomUUID(), data: { email_id } }));
    await database.run(
      `INSERT INTO events (workspace, id, email_key, name, data, occurred_at, created_at)
       SELECT ?1, value->>'id', ?2, 'email.opened', value->'data', 1, 1 FROM json_each(?3)`,
      [workspace.workspaceNumber, ADA.toLowerCase(), JSON.stringify(rows)],
    );
    const readBy = async (domainIds: string[] | null) => {
      const reader = apiWith(await aKey(workspace, { scopes: ["contacts:view"], domainIds }));
      const found = await (await reader.get(`/v1/people/${ADA}/events`)).json<{ name: string; data: object }[]>();
      return found.map(({ name, data }) => ("email_id" in data ? data.email_id : name)).sort();
    };
    expect(await readBy([workspace.domainId])).toEqual([email, "order.paid"].sort());
    expect(await readBy([crypto.randomUUID()])).toEqual(["order.paid"]);
    expect(await readBy(null)).toHaveLength(3);
  });

  it("returns the events of a person of the workspace, newest first, in pages", async () => {
    const other = (await aWorkspace()).withoutQueue;
    await other.post("/v1/events", { name: "foreign", email: ADA });
    const items = Array.from({ length: 5 }, (_, index) => ({ name: `n${index}`, email: ADA, data: { index } }));
    await sendBatch([...items, { name: "x", email: "grace@example.org" }]);
    const names: string[] = [];
    for (let next: string | undefined = `/v1/people/${ADA}/events?limit=2`; next; ) {
      const response: Response = await api.get(next);
      names.push(...(await response.json<{ name: string }[]>()).map(({ name }) => name));
      next = /<[^>]*(\/v1\/[^>]*)>/.exec(response.headers.get("Link") ?? "")?.[1];
    }
    expect(names).toEqual(["n4", "n3", "n2", "n1", "n0"]);
    const [newest] = await (await api.get(`/v1/people/${ADA}/events`)).json<object[]>();
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(newest).toEqual({
      id: expect.any(String),
      name: "n4",
      data: { index: 4 },
      occurred_at: time,
      created_at: time,
    });
    expect(await (await api.get(`/v1/people/${ADA}/events?before=${crypto.randomUUID()}`)).json()).toEqual([]);
    expect((await api.get("/v1/people/nobody/events")).status).toBe(404);
    expect((await api.get(`/v1/people/${ADA}/events?before=x`)).status).toBe(422);
  });

  it("reads no more rows than the page has, however many events there are", async () => {
    const items = Array.from({ length: 500 }, (_, index) => ({ name: `n${index}`, email: ADA }));
    for (const _ of [1, 2, 3]) await sendBatch(items);
    const { bindings, trips } = countingDb();
    await apiOn(bindings, workspace.apiKey).get(`/v1/people/${ADA}/events?limit=10`);
    const statement = trips.at(-1)?.statements[0];
    expect(statement && (await rowsRead(statement))).toBeLessThanOrEqual(22);
  });
});
