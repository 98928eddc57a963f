import { describe, expect, it } from "vitest";
import type { ContactOut } from "../../../src/audience/contacts/schema.ts";
import { onShard } from "../../../src/platform/jobs/shards.ts";
import { copyToContacts } from "../../../src/sending/suppressions/index.ts";
import { countingDb, planOf } from "../../support/counting-db.ts";
import { MAIL_BINDING, mail } from "../../support/databases.ts";
import { apiOn, aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { aContact, aList, countRows, insertContacts, readList } from "./support.ts";

const workspace = perTest(aWorkspace);
const list = perTest(() => aList(workspace));

const path = (id = "") => `/v1/contacts/${list.id}/contacts${id && `/${id}`}`;
const add = (body: unknown, headers?: Record<string, string>) => workspace.post(path(), body, headers);
const upsert = (body: unknown) => workspace.call("PUT", path(), body);
const patch = (id: string, body: unknown) => workspace.call("PATCH", path(id), body);
const remove = (id: string) => workspace.call("DELETE", path(id));
const read = async (id: string) => (await workspace.get(path(id))).json<ContactOut>();
const locOf = async (response: Response) => (await response.json<{ detail: { loc: unknown[] }[] }>()).detail[0]?.loc;

it("keeps numbers up to 2^53 - 1, and refuses greater ones in any notation", async () => {
  const send = (number: string) => add(`{"email":"${crypto.randomUUID()}@example.org","metadata":{"n":${number}}}`);
  for (const number of ["9007199254740991", "-9007199254740991", "0.1", "1e3"])
    expect((await (await send(number)).json<ContactOut>()).metadata).toEqual({ n: Number(number) });
  for (const number of ["9007199254740992", "9007199254740993", "12345678901234567890", "1e400"])
    expect((await send(number)).status).toBe(422);
});

it("refuses to set subscribed, and says how to", async () => {
  const { id } = await aContact(workspace, list.id, "a@example.org");
  const refused = [
    await patch(id, { subscribed: false }),
    await upsert({ email: "a@example.org", subscribed: true }),
    await add({ email: "b@example.org", subscribed: false }),
  ];
  for (const response of refused) {
    expect(response.status).toBe(422);
    const { detail } = await response.json<{ detail: { loc: string[]; msg: string }[] }>();
    expect(detail).toMatchObject([{ loc: ["body", "subscribed"], msg: expect.stringContaining("/v1/suppressions/") }]);
  }
});

describe("POST /v1/contacts/{list_id}/contacts", () => {
  it("adds a contact with its canonical address, and counts it", async () => {
    const metadata = { city: "Zürich", plan: { level: 2, tags: ["a", null] }, __proto__: 1 };
    const body = `{"email":"Ada@EXAMPLE.org","name":" Ada ","metadata":{"city":"Zürich","__proto__":{"a":1}}}`;
    const response = await workspace.call("POST", path(), body);
    expect(response.status).toBe(201);
    const contact = await response.json<ContactOut>();
    expect(contact).toMatchObject({ email: "Ada@example.org", name: "Ada", subscribed: true, suppressed: false });
    expect(JSON.stringify(contact.metadata)).toBe('{"city":"Zürich","__proto__":{"a":1}}');
    expect(await read(contact.id)).toEqual(contact);
    const second = await aContact(workspace, list.id, "b@example.org", { metadata });
    expect((await read(second.id)).metadata).toEqual({ city: "Zürich", plan: { level: 2, tags: ["a", null] } });
    expect(await readList(workspace, list.id)).toMatchObject({ contact_count: 2 });
  });

  it.each([
    ["no email", {}, ["body", "email"]],
    ["an invalid email", { email: "nobody" }, ["body", "email"]],
    ["an email with a line break", { email: "a@example.org\r\nBcc: b@example.org" }, ["body", "email"]],
    ["an email that is a list", { email: ["a@example.org"] }, ["body", "email"]],
    ["a name of 321 bytes", { email: "a@example.org", name: "n".repeat(321) }, ["body", "name"]],
    ["a name with a line break", { email: "a@example.org", name: "a\nb" }, ["body", "name"]],
    ["metadata that is a list", { email: "a@example.org", metadata: [] }, ["body", "metadata"]],
    ["metadata that is a string", { email: "a@example.org", metadata: "x" }, ["body", "metadata"]],
    ["metadata with NUL", { email: "a@example.org", metadata: { a: "\0" } }, ["body", "metadata", "a"]],
    [
      "a value of 70,000 characters",
      { email: "a@example.org", metadata: { a: "x".repeat(70_000) } },
      ["body", "metadata", "a"],
    ],
    [
      "a number that loses digits",
      { email: "a@example.org", metadata: { a: { b: [1, -(2 ** 53)] } } },
      ["body", "metadata", "a", "b", 1],
    ],
    ["metadata that is a long string", { email: "a@example.org", metadata: "x".repeat(70_000) }, ["body", "metadata"]],
    ["64 KiB of metadata", { email: "a@example.org", metadata: { a: "x".repeat(65_536) } }, ["body", "metadata"]],
  ])("refuses %s", async (_, body, loc) => {
    const response = await add(body);
    expect(response.status).toBe(422);
    expect(await locOf(response)).toEqual(loc);
    expect(await readList(workspace, list.id)).toMatchObject({ contact_count: 0, contacts: [] });
  });

  it("accepts metadata of exactly 65,536 bytes of JSON", async () => {
    const metadata = { a: "x".repeat(65_536 - '{"a":""}'.length) };
    expect((await add({ email: "a@example.org", metadata })).status).toBe(201);
  });

  it("refuses the same address in any letter case with 409, and accepts it in another list", async () => {
    await aContact(workspace, list.id, "Ada@example.org");
    const response = await add({ email: "aDA@EXAMPLE.org" });
    expect(response.status).toBe(409);
    expect(await response.json()).toEqual({ detail: expect.stringContaining("already") });
    const other = await aList(workspace);
    await aContact(workspace, other.id, "ada@example.org");
    expect(await readList(workspace, list.id)).toMatchObject({ contact_count: 1 });
  });

  it("adds one contact for repeated and concurrent calls with one Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": "contact-1" };
    const responses = await Promise.all([1, 2, 3].map(() => add({ email: "a@example.org" }, headers)));
    const ids = await Promise.all(responses.map(async (result) => (await result.json<ContactOut>()).id));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(ids).size).toBe(1);
    await remove(ids[0] ?? "");
    const replayed = await add({ email: "a@example.org" }, headers);
    expect(replayed.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await readList(workspace, list.id)).toMatchObject({ contact_count: 0 });
  });
});

describe("PUT /v1/contacts/{list_id}/contacts", () => {
  it("adds an unknown address with 201, and changes the given fields of a known one with 200", async () => {
    const added = await upsert({ email: "ada@example.org", name: "Ada", metadata: { a: 1 } });
    expect(added.status).toBe(201);
    const contact = await added.json<ContactOut>();
    const changed = await upsert({ email: "ADA@example.org", name: "Ada King" });
    expect(changed.status).toBe(200);
    expect(await changed.json()).toEqual({ ...contact, name: "Ada King" });
    expect(await (await upsert({ email: "ada@example.org", metadata: null })).json()).toMatchObject({
      name: "Ada King",
      metadata: null,
    });
    expect(await readList(workspace, list.id)).toMatchObject({ contact_count: 1 });
  });

  it("makes one contact of concurrent calls for one address", async () => {
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, i) => upsert({ email: "ada@example.org", name: `Ada ${i}` })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(await readList(workspace, list.id)).toMatchObject({ contact_count: 1, contacts: [{}] });
  });
});

describe("PATCH and DELETE /v1/contacts/{list_id}/contacts/{contact_id}", () => {
  it("changes each field alone, and clears with null", async () => {
    const contact = await aContact(workspace, list.id, "ada@example.org", { name: "Ada", metadata: { a: 1 } });
    expect(await (await patch(contact.id, { name: "Grace" })).json()).toEqual({ ...contact, name: "Grace" });
    expect(await (await patch(contact.id, { name: null })).json()).toMatchObject({ name: null, metadata: { a: 1 } });
    expect(await (await patch(contact.id, { metadata: { b: 2 } })).json()).toMatchObject({ metadata: { b: 2 } });
    expect(await (await patch(contact.id, { email: "Grace@EXAMPLE.org" })).json()).toMatchObject({
      email: "Grace@example.org",
      metadata: { b: 2 },
    });
    expect((await patch(contact.id, { email: null })).status).toBe(422);
    expect((await patch(contact.id, { email: "nobody" })).status).toBe(422);
  });

  it("refuses the address of another contact with 409, and accepts another spelling of the own one", async () => {
    const contact = await aContact(workspace, list.id, "ada@example.org");
    await aContact(workspace, list.id, "grace@example.org");
    expect((await patch(contact.id, { email: "Grace@example.org" })).status).toBe(409);
    expect((await patch(contact.id, { email: "ADA@example.org" })).status).toBe(200);
  });

  it("returns 404 for unknown ids, for contacts of other lists and workspaces, and when repeated", async () => {
    const other = await aList(workspace);
    const foreign = await aWorkspace();
    const foreignList = await aList(foreign);
    const ids = [
      "nonsense",
      crypto.randomUUID(),
      (await aContact(workspace, other.id, "a@example.org")).id,
      (await aContact(foreign, foreignList.id, "a@example.org")).id,
    ];
    for (const id of ids) {
      for (const call of [workspace.get(path(id)), patch(id, { name: "x" }), remove(id)]) {
        const response = await call;
        expect(`${response.status} ${await response.text()}`, id).toBe('404 {"detail":"Contact not found"}');
      }
    }
    const contact = await aContact(workspace, list.id, "a@example.org");
    expect((await remove(contact.id)).status).toBe(204);
    expect((await remove(contact.id)).status).toBe(404);
    expect(await readList(workspace, list.id)).toMatchObject({ contact_count: 0, contacts: [] });
    expect(await readList(workspace, other.id)).toMatchObject({ contact_count: 1 });
  });
});

describe("contact_count", () => {
  it("equals the number of contacts after concurrent adds, upserts and deletes", async () => {
    const emails = Array.from({ length: 8 }, (_, i) => `p${i}@example.org`);
    const contacts = await Promise.all(emails.map((email) => aContact(workspace, list.id, email)));
    const calls = [
      ...contacts.slice(0, 4).flatMap(({ id }) => [remove(id), remove(id)]),
      ...emails.slice(2, 6).flatMap((email) => [add({ email }), upsert({ email, name: "x" })]),
      ...[1, 2, 3, 4].map((i) => add({ email: `new${i % 2}@example.org` })),
    ];
    for (const response of await Promise.all(calls)) expect(response.status).toBeLessThan(500);
    const { contact_count, contacts: left } = await readList(workspace, list.id);
    expect(contact_count).toBe(left.length);
    expect(await countRows(list.id)).toBe(left.length);
  });

  it("belongs to no list when contacts are added while the list is deleted", async () => {
    const calls = Array.from({ length: 6 }, (_, i) => add({ email: `p${i}@example.org` }));
    const [deleted, ...added] = await Promise.all([workspace.call("DELETE", `/v1/contacts/${list.id}`), ...calls]);
    expect(deleted?.status).toBe(204);
    for (const { status } of added) expect([201, 404]).toContain(status);
    expect(await countRows(list.id)).toBe(0);
  });
});

describe("the state of a contact", () => {
  const suppress = (email: string, reason: string) => workspace.post("/v1/suppressions/", { email, reason });
  const release = (email: string) => workspace.call("DELETE", `/v1/suppressions/${email}`);
  const states = async () => {
    const { contacts } = await readList(workspace, list.id);
    return contacts.map(({ subscribed, suppressed }) => ({ subscribed, suppressed }));
  };

  it("follows the suppression list in every list of the workspace, and in no other workspace", async () => {
    const foreign = await aWorkspace();
    const foreignList = await aList(foreign);
    const other = await aList(workspace);
    await aContact(workspace, list.id, "Ada@example.org");
    await aContact(workspace, other.id, "ada@example.org");
    await aContact(foreign, foreignList.id, "ada@example.org");
    await suppress("ADA@example.org", "unsubscribe");
    expect(await states()).toEqual([{ subscribed: false, suppressed: false }]);
    await suppress("ada@example.org", "complaint");
    expect(await states()).toEqual([{ subscribed: false, suppressed: true }]);
    expect((await readList(workspace, other.id)).contacts[0]).toMatchObject({ suppressed: true });
    expect((await readList(foreign, foreignList.id)).contacts[0]).toMatchObject({ suppressed: false });
    await release("ada@example.org");
    expect(await states()).toEqual([{ subscribed: true, suppressed: false }]);
  });

  it("is right for contacts that are added, upserted or moved to a suppressed address", async () => {
    await suppress("ada@example.org", "bounce");
    await suppress("grace@example.org", "unsubscribe");
    expect(await aContact(workspace, list.id, "ada@example.org")).toMatchObject({ suppressed: true });
    const moved = await aContact(workspace, list.id, "free@example.org");
    expect(await (await patch(moved.id, { email: "grace@example.org" })).json()).toMatchObject({ subscribed: false });
    expect(await (await patch(moved.id, { email: "free@example.org" })).json()).toMatchObject({ subscribed: true });
    expect(await (await upsert({ email: "grace@example.org" })).json()).toMatchObject({ subscribed: false });
  });

  it("shows an unsubscribe beside a bounce, whichever came first, and also to a contact that is added later", async () => {
    for (const [name, reasons] of [
      ["one", ["bounce", "unsubscribe"]],
      ["two", ["unsubscribe", "bounce"]],
    ] as const) {
      await aContact(workspace, list.id, `${name}@example.org`);
      for (const reason of reasons) await suppress(`${name}@example.org`, reason);
    }
    const both = { subscribed: false, suppressed: true };
    expect(await states()).toEqual([both, both]);
    const other = await aList(workspace);
    expect(await aContact(workspace, other.id, "one@example.org")).toMatchObject(both);
  });

  it("is right when the address is suppressed between the read and the insert of an add", async () => {
    let isDone = false;
    const batch = async (statements: D1PreparedStatement[]) => {
      const results = await mail.batch(statements);
      if (!isDone) {
        isDone = true;
        await suppress("ada@example.org", "manual");
      }
      return results;
    };
    const api = apiOn({ [MAIL_BINDING]: { prepare: (sql: string) => mail.prepare(sql), batch } }, workspace.apiKey);
    await api.post(path(), { email: "ada@example.org" });
    expect(isDone).toBe(true);
    expect(await states()).toEqual([{ subscribed: true, suppressed: true }]);
  });

  it("is copied by an index, whatever the number of contacts", async () => {
    await insertContacts(workspace, list.id, 2_000);
    const { bindings, trips } = countingDb();
    const emails = ["c7@example.org", "c8@example.org", "nobody@example.org"];
    await suppress("c7@example.org", "manual");
    await copyToContacts(onShard(testContext(bindings), 0), workspace.workspaceNumber, emails);
    expect(trips).toHaveLength(2);
    const [mark] = trips.at(-1)?.statements ?? [];
    if (!mark) throw new Error("no statement was recorded");
    expect((await planOf(mark)).join("\n")).toMatch(/SEARCH contacts USING INDEX contacts_by_email/);
  });
});
