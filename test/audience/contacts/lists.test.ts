import { describe, expect, it } from "vitest";
import type { ListOut } from "../../../src/audience/contacts/schema.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aContact, aList, insertContacts, readList } from "./support.ts";

const workspace = perTest(aWorkspace);

const create = (body: unknown, headers?: Record<string, string>) => workspace.post("/v1/contacts/", body, headers);
const patch = (id: string, body: unknown) => workspace.call("PATCH", `/v1/contacts/${id}`, body);
const remove = (id: string) => workspace.call("DELETE", `/v1/contacts/${id}`);
const all = async () => (await workspace.get("/v1/contacts/")).json<ListOut[]>();
const locOf = async (response: Response) => (await response.json<{ detail: { loc: unknown[] }[] }>()).detail[0]?.loc;

describe("POST /v1/contacts/", () => {
  it("creates an empty list", async () => {
    const response = await create({ name: " Customers ", description: "All", icon_seed: "seed" });
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Customers",
      description: "All",
      icon_seed: "seed",
      contact_count: 0,
      created_at: expect.stringMatching(/Z$/),
      ...{ confirm: false, confirm_mailbox_id: null, confirm_subject: null, confirm_text: null },
    });
  });

  it.each([
    ["no name", {}, ["body", "name"]],
    ["an empty name", { name: " " }, ["body", "name"]],
    ["a name that is a number", { name: 5 }, ["body", "name"]],
    ["a name of 201 characters", { name: "n".repeat(201) }, ["body", "name"]],
    ["a name with a line break", { name: "a\r\nb" }, ["body", "name"]],
    ["a name with NUL", { name: "a\0b" }, ["body", "name"]],
    ["a description of 2,001 characters", { name: "a", description: "d".repeat(2001) }, ["body", "description"]],
    ["a description that is a list", { name: "a", description: [] }, ["body", "description"]],
    ["an icon_seed of 201 characters", { name: "a", icon_seed: "s".repeat(201) }, ["body", "icon_seed"]],
  ])("refuses %s", async (_, body, loc) => {
    const response = await create(body);
    expect(response.status).toBe(422);
    expect(await locOf(response)).toEqual(loc);
  });

  it("accepts names of 200 characters outside the basic plane", async () => {
    expect((await create({ name: "😀".repeat(200) })).status).toBe(201);
    expect((await create({ name: "😀".repeat(201) })).status).toBe(422);
  });

  it("refuses a 10,001st list, and lists 10,000", async () => {
    await database.run(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9999)
       INSERT INTO contact_lists (workspace, id, name, created_at)
       SELECT ?1, printf('01900000-0000-7000-8000-%012d', n), 'List ' || n, 1 FROM numbers`,
      [workspace.workspaceNumber],
    );
    expect((await create({ name: "the last" })).status).toBe(201);
    const refused = await create({ name: "one more" });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toEqual({ detail: expect.stringContaining("10,000") });
    const lists = await all();
    expect(lists).toHaveLength(10_000);
    expect(lists.at(-1)?.name).toBe("the last");
  });

  it("creates one list for repeated and concurrent calls with one Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": "list-1" };
    const responses = await Promise.all([1, 2, 3].map(() => create({ name: "Once" }, headers)));
    const bodies = await Promise.all(responses.map((result) => result.json<ListOut>()));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
    expect(await all()).toHaveLength(1);
    expect((await create({ name: "Twice" }, headers)).status).toBe(409);
  });
});

describe("PATCH /v1/contacts/{list_id}", () => {
  it("changes each field alone, keeps absent ones and clears with null", async () => {
    const list = await aList(workspace, { description: "All", icon_seed: "seed" });
    expect(await (await patch(list.id, { name: "New" })).json()).toEqual({ ...list, name: "New" });
    expect(await (await patch(list.id, { description: null })).json()).toMatchObject({
      name: "New",
      description: null,
      icon_seed: "seed",
    });
    expect(await (await patch(list.id, { icon_seed: "other" })).json()).toMatchObject({ icon_seed: "other" });
    expect(await (await patch(list.id, {})).json()).toMatchObject({ name: "New", icon_seed: "other" });
    expect((await patch(list.id, { name: null })).status).toBe(422);
  });
});

describe("DELETE /v1/contacts/{list_id}", () => {
  it("hides the list and its contacts at once and deletes their rows afterwards, those of no other list", async () => {
    const [list, kept] = [await aList(workspace), await aList(workspace)];
    await insertContacts(workspace, list.id, 6_000);
    await aContact(workspace, kept.id, "ada@example.org");
    const row = await database.row<{ n: number }>("SELECT n FROM contact_lists WHERE id = ?1", [list.id]);
    const contact = (await readList(workspace, list.id, "?limit=1")).contacts[0]?.id;
    expect((await remove(list.id)).status).toBe(204);
    for (const path of ["", `/contacts/${contact}`])
      expect((await workspace.get(`/v1/contacts/${list.id}${path}`)).status, path).toBe(404);
    expect((await workspace.post(`/v1/contacts/${list.id}/contacts`, { email: "a@example.org" })).status).toBe(404);
    expect((await remove(list.id)).status).toBe(404);
    await runOutboxAt(Date.now() + 180_000, {}, ["purge"]);
    const left = await database.row("SELECT count(*) AS rows FROM contacts WHERE list = ?1", [row?.n]);
    expect(left).toEqual({ rows: 0 });
    expect(await readList(workspace, kept.id)).toMatchObject({ contact_count: 1, contacts: [{}] });
  });

  it("deletes lists and contacts with their workspace", async () => {
    const list = await aList(workspace);
    await insertContacts(workspace, list.id, 1_500);
    await workspace.call("DELETE", `/v1/workspaces/${workspace.workspaceId}`);
    await runOutboxAt(Date.now() + 180_000, {}, ["purge"]);
    for (const table of ["contact_lists", "contacts"]) {
      const left = await database.row(`SELECT count(*) AS rows FROM ${table} WHERE workspace = ?1`, [
        workspace.workspaceNumber,
      ]);
      expect(left, table).toEqual({ rows: 0 });
    }
  });
});

describe("GET /v1/contacts/{list_id}", () => {
  const nextOf = (response: Response) =>
    /<http:\/\/127\.0\.0\.1:8787([^>]+)>/.exec(response.headers.get("Link") ?? "")?.[1];

  it("pages through contacts in the order of insertion, by page and by cursor", async () => {
    const list = await aList(workspace);
    await insertContacts(workspace, list.id, 120);
    const expected = Array.from({ length: 120 }, (_, i) => `c${i + 1}@example.org`);
    const byPage = [];
    for (const page of [0, 1, 2, 3]) byPage.push(await readList(workspace, list.id, `?page=${page}&limit=50`));
    expect(byPage.map(({ contacts }) => contacts.length)).toEqual([50, 50, 20, 0]);
    expect(byPage.flatMap(({ contacts }) => contacts.map(({ email }) => email))).toEqual(expected);
    expect(byPage.map(({ contact_count }) => contact_count)).toEqual([120, 120, 120, 120]);
    const byCursor = [];
    for (let path: string | undefined = `/v1/contacts/${list.id}`; path; ) {
      const response: Response = await workspace.get(path);
      byCursor.push(...(await response.json<{ contacts: { email: string }[] }>()).contacts);
      path = nextOf(response);
    }
    expect(byCursor.map(({ email }) => email)).toEqual(expected);
  });

  it("finds part of an address or name in any case, and exactly one contact by a complete address", async () => {
    const list = await aList(workspace);
    const other = await aList(workspace);
    for (const [email, name] of [
      ["Ada@Example.org", "Ada Lovelace"],
      ["grace@example.org", "Grace Hopper"],
      ["xada@example.org", null],
    ]) {
      await aContact(workspace, list.id, email ?? "", { name });
      await aContact(workspace, other.id, email ?? "", { name });
    }
    const find = async (q: string) =>
      (await readList(workspace, list.id, `?q=${encodeURIComponent(q)}`)).contacts.map(({ email }) => email);
    expect(await find("ADA")).toEqual(["Ada@example.org", "xada@example.org"]);
    expect(await find("hopp")).toEqual(["grace@example.org"]);
    expect(await find("ada@example.ORG")).toEqual(["Ada@example.org"]);
    expect(await find("%")).toEqual([]);
    const adam = "info@xn--mnchen-3ya.example";
    await aContact(workspace, list.id, "info@münchen.example", {
      name: "ΑΔΑΜ Μüller",
    });
    expect(await find("MÜNCHEN")).toEqual([adam]);
    expect(await find("xn--mnchen-3ya")).toEqual([adam]);
    expect(await find("αδαμ m")).toEqual([]);
    expect(await find("αδαμ μÜ")).toEqual([adam]);
    expect(await find("ü")).toEqual([adam]);
    expect(await find("é")).toEqual([]);
    expect(await find("nobody")).toEqual([]);
    expect(await find("")).toHaveLength(4);
  });

  it("continues a search by a Link header after 10,000 contacts, also when it found nothing", async () => {
    const list = await aList(workspace);
    await insertContacts(workspace, list.id, 10_001);
    const first = await workspace.get(`/v1/contacts/${list.id}?q=c10001@`);
    expect((await first.json<{ contacts: unknown[] }>()).contacts).toEqual([]);
    const second = await workspace.get(nextOf(first) ?? "");
    expect((await second.json<{ contacts: unknown[] }>()).contacts).toHaveLength(1);
    expect(nextOf(second)).toBeUndefined();
  });

  it.each(["limit=0", "limit=201", "limit=x", "page=-1", "page=2001&limit=50", `q=${"a".repeat(321)}`])(
    "refuses ?%s",
    async (query) => {
      const list = await aList(workspace);
      expect((await workspace.get(`/v1/contacts/${list.id}?${query}`)).status).toBe(422);
    },
  );
});
