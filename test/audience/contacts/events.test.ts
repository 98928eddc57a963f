import { beforeEach, describe, expect, it } from "vitest";
import { countingDb } from "../../support/counting-db.ts";
import { database, withFailingCall } from "../../support/databases.ts";
import { eventNamesOf, eventsOf, recordEvents, stopEvents } from "../../support/person-events.ts";
import { apiOn, aWorkspace, createApiWithoutQueue, discardingQueue, perTest } from "../../support/workspace.ts";
import { captureMails } from "../consent/support.ts";
import { upload } from "./csv-support.ts";
import { aContact, aList } from "./support.ts";

const workspace = perTest(aWorkspace);
const api = perTest(() => workspace.withoutQueue);

beforeEach(async () => {
  await recordEvents(workspace);
});

describe("the events of contacts", () => {
  it("record that a contact is added and removed", async () => {
    const { id: list } = await aList(api);
    const { id } = await aContact(api, list, "Ada@Example.org");
    expect((await api.call("DELETE", `/v1/contacts/${list}/contacts/${id}`)).status).toBe(204);
    const data = { list_id: list, contact_id: id };
    const [added, removed, ...more] = await eventsOf(workspace);
    expect(added).toEqual({ id, email: "ada@example.org", name: "contact.added", data });
    expect(removed).toMatchObject({ email: "ada@example.org", name: "contact.removed", data });
    expect(more).toEqual([]);
  });

  it("record the new values of the fields that changed, and of no others", async () => {
    const { id: list } = await aList(api);
    const metadata = { plan: "free", city: "Rome", tags: ["a", "b"], on: true, email: "x", '"q': 1 };
    const { id } = await aContact(api, list, "ada@example.org", { name: "Ada", metadata });
    const patch = (body: object) => api.call("PATCH", `/v1/contacts/${list}/contacts/${id}`, body);
    const changed = {
      name: "Ada",
      metadata: { ...metadata, plan: "pro", tags: ["a"], on: false, email: "y", city: undefined },
    };
    expect((await patch(changed)).status).toBe(200);
    expect((await patch(changed)).status).toBe(200);
    expect((await patch({ name: null })).status).toBe(200);
    expect((await patch({ email: "ADA@example.org" })).status).toBe(200);
    const fields = (await eventsOf(workspace)).slice(1).map(({ name, data }) => [name, data.fields]);
    expect(fields).toEqual([
      ["contact.field_changed", { plan: "pro", city: null, tags: ["a"], on: false }],
      ["contact.field_changed", { name: null }],
      ["contact.field_changed", { email: "ADA@example.org" }],
    ]);
  });

  it("record what an import that updates contacts changes, and nothing for one that it does not", async () => {
    const { id: list } = await aList(api);
    const metadata = { plan: "free", city: "Rome", n: 1 };
    await aContact(api, list, "ada@example.org", { name: "Ada", metadata });
    await aContact(api, list, "bob@example.org", { name: "Bob", metadata });
    const csv = "email,name,plan,city,n\nada@example.org,Ada L.,pro,Rome,1\nbob@example.org,Bob,free,Rome,\n";
    const response = await upload(api, list, csv, {}, undefined, { existing: "update" });
    expect(await response.json()).toMatchObject({ imported: 0, updated: 1, skipped: 1 });
    expect((await eventsOf(workspace)).slice(2).map(({ name, email, data }) => [name, email, data.fields])).toEqual([
      ["contact.field_changed", "ada@example.org", { plan: "pro", n: "1", name: "Ada L." }],
    ]);
  });

  it("record a change by the address of the contact, also of the key __proto__ and beyond the size of an event", async () => {
    const { id: list } = await aList(api);
    const put = (body: string) => api.call("PUT", `/v1/contacts/${list}/contacts`, body);
    expect((await put('{"email":"ada@example.org","metadata":{"a":1}}')).status).toBe(201);
    expect((await put('{"email":"ada@example.org","metadata":{"a":1,"__proto__":{"b":2}}}')).status).toBe(200);
    const long = "é".repeat(9_000);
    expect((await put(JSON.stringify({ email: "ada@example.org", metadata: { long, short: 1 } }))).status).toBe(200);
    const texts = await database
      .prepare("SELECT data->'fields' AS fields FROM events WHERE workspace = ?1 ORDER BY n")
      .bind(workspace.workspaceNumber)
      .all<{ fields: string | null }>();
    expect(texts.results.map(({ fields }) => fields)).toEqual([
      null,
      '{"__proto__":{"b":2}}',
      '{"a":null,"__proto__":null,"long":null,"short":1}',
    ]);
  });

  it("record that another address is another person", async () => {
    const { id: list } = await aList(api);
    const { id } = await aContact(api, list, "ada@example.org");
    await aContact(api, list, "taken@example.org");
    const patch = (email: string) => api.call("PATCH", `/v1/contacts/${list}/contacts/${id}`, { email, name: "New" });
    expect((await patch("taken@example.org")).status).toBe(409);
    expect((await patch("grace@example.org")).status).toBe(200);
    expect((await eventNamesOf(workspace)).slice(2)).toEqual([
      "contact.removed ada@example.org",
      "contact.added grace@example.org",
    ]);
  });

  it("add a contact that waits for its confirmation when it confirms, however often that is repeated", async () => {
    const { id: list } = await aList(api, { confirm: true });
    await aContact(api, list, "ada@example.org");
    const { id: deleted } = await aContact(api, list, "gone@example.org");
    await api.call("DELETE", `/v1/contacts/${list}/contacts/${deleted}`);
    expect(await eventsOf(workspace)).toEqual([]);
    const [mail] = await captureMails();
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const confirm = () => createApiWithoutQueue(null).call("POST", mail?.path ?? "", "", form);
    await Promise.all([confirm(), confirm(), confirm()]);
    expect(await eventNamesOf(workspace)).toEqual([
      "email.delivered ada@example.org",
      "contact.confirmed ada@example.org",
      "contact.added ada@example.org",
    ]);
  });

  it("add a pending contact when a caller states its consent", async () => {
    const { id: list } = await aList(api, { confirm: true });
    await aContact(api, list, "ada@example.org");
    const body = { email: "ada@example.org", metadata: { a: 1 }, consent: { source: "At the fair" } };
    for (const _ of [1, 2]) expect((await api.call("PUT", `/v1/contacts/${list}/contacts`, body)).status).toBe(200);
    expect(await eventNamesOf(workspace)).toEqual(["contact.added ada@example.org"]);
  });

  it("add the contacts of an import that are new and active, once", async () => {
    const { id: list } = await aList(api);
    await aContact(api, list, "old@example.org");
    const file = "email,name\nada@example.org,Ada\nold@example.org,Old\ngrace@example.org,Grace\n";
    for (const _ of [1, 2]) expect((await upload(api, list, file)).status).toBe(200);
    const { id: asking } = await aList(api, { confirm: true });
    expect((await upload(api, asking, file)).status).toBe(200);
    expect((await eventNamesOf(workspace)).slice(1)).toEqual([
      "contact.added ada@example.org",
      "contact.added grace@example.org",
    ]);
  });

  it("record none for the deletion of a list", async () => {
    const { id: list } = await aList(api);
    await aContact(api, list, "ada@example.org");
    await api.call("DELETE", `/v1/contacts/${list}`);
    expect(await eventNamesOf(workspace)).toEqual(["contact.added ada@example.org"]);
  });
});

/** Adds, changes and removes a contact, and returns the D1 calls and rows written of each request. */
async function costs(key: string) {
  const { id: list } = await aList(createApiWithoutQueue(key));
  const { bindings, trips } = countingDb();
  const counted = apiOn({ ...bindings, WORK: discardingQueue }, key);
  const found: { calls: number; rows: number }[] = [];
  const measure = async (request: Promise<Response>) => {
    const response = await request;
    expect(response.status).toBeLessThan(300);
    const rows = trips.reduce((sum, { rowsWritten }) => sum + (rowsWritten ?? 0), 0);
    found.push({ calls: trips.length, rows });
    trips.length = 0;
    return response;
  };
  const added = await measure(counted.post(`/v1/contacts/${list}/contacts`, { email: "ada@example.org" }));
  const path = `/v1/contacts/${list}/contacts/${(await added.json<{ id: string }>()).id}`;
  await measure(counted.call("PATCH", path, { name: "Ada" }));
  await measure(counted.call("PUT", `/v1/contacts/${list}/contacts`, { email: "ada@example.org", name: "A" }));
  await measure(upload(counted, list, "email\ngrace@example.org\n"));
  await measure(counted.call("DELETE", path));
  return found;
}

describe("a workspace without an automation", () => {
  it("makes the same D1 calls as one with, and writes no event of a changed field or an imported contact", async () => {
    await api.get("/v1/contacts/");
    const recorded = await costs(workspace.apiKey);
    await stopEvents(workspace);
    const silent = await costs(workspace.apiKey);
    expect(silent.map(({ calls }) => calls)).toEqual(recorded.map(({ calls }) => calls));
    // A row, its two index entries, the number of the last one, and the row that the automations read. Without them only the last is missing.
    expect(recorded.map(({ rows }, index) => rows - (silent[index]?.rows ?? 0))).toEqual([1, 5, 5, 5, 1]);
    expect((await eventNamesOf(workspace)).slice(5)).toEqual([
      "contact.added ada@example.org",
      "contact.removed ada@example.org",
    ]);
  });

  it("keeps that a person was added, confirmed and removed, and that another address is another person", async () => {
    await stopEvents(workspace);
    const { id: asking } = await aList(api, { confirm: true });
    await aContact(api, asking, "ada@example.org");
    const [mail] = await captureMails();
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    await createApiWithoutQueue(null).call("POST", mail?.path ?? "", "", form);
    const { id: list } = await aList(api);
    const { id } = await aContact(api, list, "eve@example.org");
    const path = `/v1/contacts/${list}/contacts/${id}`;
    expect((await api.call("PATCH", path, { email: "grace@example.org", name: "Grace" })).status).toBe(200);
    expect((await api.call("DELETE", path)).status).toBe(204);
    expect(await eventNamesOf(workspace)).toEqual([
      "contact.confirmed ada@example.org",
      "contact.added ada@example.org",
      "contact.added eve@example.org",
      "contact.removed eve@example.org",
      "contact.added grace@example.org",
      "contact.removed grace@example.org",
    ]);
    const read = await api.get("/v1/people/ada@example.org/events");
    expect((await read.json<{ name: string }[]>()).map(({ name }) => name)).toEqual([
      "contact.added",
      "contact.confirmed",
    ]);
  });
});

describe("a change of a contact and its event", () => {
  /** Makes requests while one D1 call after the other fails, before or after its work, and checks what is there after each. */
  async function whileEachCallFails(
    act: (faulty: ReturnType<typeof apiOn>, name: string) => Promise<() => Promise<void>>,
  ): Promise<void> {
    for (const moment of ["before", "after"] as const) {
      for (let failing = 0; ; failing++) {
        const { bindings, hit } = withFailingCall({ failing, moment });
        const check = await act(
          apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey),
          `c${failing}-${moment}`,
        );
        await check();
        if (hit() === null) break;
      }
    }
  }

  const rowOf = (email: string) =>
    database.row<{ id: string; name: string | null; pending_since: number | null }>(
      "SELECT id, name, pending_since FROM contacts WHERE workspace = ?1 AND email_key = ?2",
      [workspace.workspaceNumber, email],
    );
  const namesOf = async (email: string) =>
    (await eventsOf(workspace)).filter((event) => event.email === email).map(({ name }) => name);

  it("are both there or both not: an addition, and a change", async () => {
    const { id: list } = await aList(api);
    await whileEachCallFails(async (faulty, name) => {
      const email = `${name}@example.org`;
      await faulty.post(`/v1/contacts/${list}/contacts`, { email });
      const added = await rowOf(email);
      await faulty.call("PUT", `/v1/contacts/${list}/contacts`, { email, name: "Ada" });
      return async () => {
        const row = await rowOf(email);
        const isChanged = added !== null && row?.name === "Ada";
        const expected = [...(row ? ["contact.added"] : []), ...(isChanged ? ["contact.field_changed"] : [])];
        expect(await namesOf(email), name).toEqual(expected);
      };
    });
  });

  it("are both there or both not: an import", async () => {
    const { id: list } = await aList(api);
    await whileEachCallFails(async (faulty, name) => {
      const emails = [`${name}@example.org`, `${name}@example.com`];
      await upload(faulty, list, `email\n${emails.join("\n")}\n`);
      return async () => {
        for (const email of emails)
          expect(await namesOf(email), name).toEqual((await rowOf(email)) === null ? [] : ["contact.added"]);
      };
    });
  });

  it("are both there or both not: a removal", async () => {
    const { id: list } = await aList(api);
    await whileEachCallFails(async (faulty, name) => {
      const email = `${name}@example.org`;
      const { id } = await aContact(api, list, email);
      await faulty.call("DELETE", `/v1/contacts/${list}/contacts/${id}`);
      return async () => {
        const isGone = (await rowOf(email)) === null;
        expect(await namesOf(email), name).toEqual(["contact.added", ...(isGone ? ["contact.removed"] : [])]);
      };
    });
  });

  it("are both there or both not: a confirmation", async () => {
    const { id: list } = await aList(api, { confirm: true });
    await whileEachCallFails(async (faulty, name) => {
      const email = `${name}@example.org`;
      await aContact(api, list, email);
      const [mail] = await captureMails();
      await faulty.call("POST", mail?.path ?? "", "", { "Content-Type": "application/x-www-form-urlencoded" });
      return async () => {
        const isConfirmed = (await rowOf(email))?.pending_since === null;
        const names = (await namesOf(email)).filter((event) => !event.startsWith("email."));
        expect(names, name).toEqual(isConfirmed ? ["contact.confirmed", "contact.added"] : []);
      };
    });
  });

  it("agree when calls change one contact at once", async () => {
    const { id: list } = await aList(api);
    const { id } = await aContact(api, list, "ada@example.org", { metadata: { plan: "p0" } });
    const path = `/v1/contacts/${list}/contacts/${id}`;
    const plans = ["p1", "p2", "p3"];
    const responses = await Promise.all(plans.map((plan) => api.call("PATCH", path, { metadata: { plan } })));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    const changes = (await eventsOf(workspace)).slice(1).map(({ data }) => (data.fields as { plan: string }).plan);
    expect(changes.toSorted()).toEqual(plans);
    expect(await (await api.get(path)).json()).toMatchObject({ metadata: { plan: changes.at(-1) } });
  });
});

it("an import with events makes as many D1 calls as one without, and each transaction has at most a thousand", async () => {
  const { id: list } = await aList(api);
  const fileOf = (domain: string) =>
    `email\n${Array.from({ length: 2_500 }, (_, n) => `c${n}@${domain}`).join("\n")}\n`;
  const callsOf = async (domain: string) => {
    const { bindings, trips } = countingDb();
    const counted = apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey);
    expect((await upload(counted, list, fileOf(domain))).status).toBe(200);
    const events = trips.map(({ statements }) => statements.filter(({ sql }) => sql.includes("INTO events")).length);
    return { calls: trips.length, events };
  };
  await callsOf("warm.example");
  const recorded = await callsOf("one.example");
  expect(await eventsOf(workspace)).toHaveLength(5_000);
  expect(recorded.events.filter((count) => count > 0)).toEqual([1, 1, 1]);
  await stopEvents(workspace);
  expect((await callsOf("two.example")).calls).toBe(recorded.calls);
  expect(await eventsOf(workspace)).toHaveLength(5_000);
});
