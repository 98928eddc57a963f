import { describe, expect, it } from "vitest";
import type { PersonExportOut } from "../../../src/audience/people/schema.ts";
import { run, sendingFrom } from "../../support/sending.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import { aKey, aMember, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

const PERSON = "Ada.Lovelace@example.org";
const KEY = "ada.lovelace@example.org";
const pathOf = (address: string) => `/v1/people/${encodeURIComponent(address)}/export`;

/** Reads all pages of an export. */
async function pagesOf(address: string, query = ""): Promise<PersonExportOut[]> {
  const pages: PersonExportOut[] = [];
  for (let path: string | undefined = pathOf(address) + query; path !== undefined; ) {
    const response: Response = await workspace.get(path);
    expect(response.status, await response.clone().text()).toBe(200);
    pages.push(await response.clone().json<PersonExportOut>());
    path = /<[^>]*(\/v1\/[^>]*)>/.exec(response.headers.get("Link") ?? "")?.[1];
  }
  return pages;
}

async function aContact(list: string, changes: Record<string, unknown> = {}): Promise<void> {
  const { id } = await workspace.create("/v1/contacts/", { name: list });
  const response = await workspace.post(`/v1/contacts/${id}/contacts`, { email: PERSON, ...changes });
  expect(response.status, await response.clone().text()).toBe(201);
}

describe("the export of a person", () => {
  it("has contacts, evidence, topics, suppression, soft bounces, activity and emails, and names no other recipient", async () => {
    await aContact("News", { name: "Ada", metadata: { city: "London" }, consent: { source: "At the fair" } });
    await aContact("Offers");
    const topic = await aTopic(workspace);
    await personOf(workspace, PERSON).choose(topic.id, "unsubscribed");
    const sending = sendingFrom(workspace);
    const single = await sending.accepted(await sending.send({ to: [{ email: PERSON, name: "Ada" }] }));
    const cc = [{ email: PERSON }];
    const shared = await sending.accepted(await sending.send({ to: [{ email: "other@example.org" }], cc }));
    await sending.accepted(await sending.send({ to: [{ email: `x${KEY}` }] }));
    await workspace.post("/v1/suppressions/", { email: PERSON, reason: "complaint" });
    await run(
      "INSERT INTO soft_bounces (workspace, email, email_ids, is_refusal, first_at, last_at) VALUES (?1, ?2, ?3, 1, 1000, 2000)",
      workspace.workspaceNumber,
      KEY,
      JSON.stringify([single.id]),
    );
    await run(
      "INSERT INTO person_activity (workspace, email_key, received_at, clicked_at) VALUES (?1, ?2, 1000, 2000)",
      ...[workspace.workspaceNumber, KEY],
    );
    const [page, ...others] = await pagesOf(PERSON.toUpperCase());
    expect(others).toEqual([]);
    expect(page).toMatchObject({
      email: KEY,
      suppression: { reason: "complaint" },
      soft_bounces: { email_ids: [single.id], last_at: "1970-01-01T00:00:02.000Z", listed_at: null },
      topics: { topics: [{ id: topic.id, choice: "unsubscribed", method: "api" }] },
      activity: { received_at: "1970-01-01T00:00:01.000Z", opened_at: null, clicked_at: "1970-01-01T00:00:02.000Z" },
      contacts: [
        { list_name: "News", email: PERSON, name: "Ada", metadata: { city: "London" }, status: "active" },
        { list_name: "Offers", name: null, metadata: null },
      ],
      consents: [{ kind: "stated", list_name: "News", source: "At the fair" }],
      emails: [
        { id: shared.id, addressed_as: [{ kind: "cc", email: PERSON }], events: [{ event_type: "queued" }] },
        { id: single.id, addressed_as: [{ kind: "to", name: "Ada" }], subject: "A subject" },
      ],
    });
    expect(JSON.stringify(page)).not.toContain("other@");
  });

  it("continues in pages until each section has ended, each row once", async () => {
    await run(
      `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 120)
       INSERT INTO contact_lists (workspace, id, name, created_at) SELECT ?1, 'list' || i, 'L' || i, 0 FROM c`,
      workspace.workspaceNumber,
    );
    await run(
      `INSERT INTO contacts (workspace, list, id, email, email_key, created_at)
       SELECT workspace, n, 'contact' || n, ?2, ?2, 0 FROM contact_lists WHERE workspace = ?1`,
      workspace.workspaceNumber,
      KEY,
    );
    const sending = sendingFrom(workspace);
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await sending.accepted(await sending.send({ to: [{ email: PERSON }] }))).id);
    const pages = await pagesOf(KEY, "?limit=2");
    expect(pages.map(({ contacts }) => contacts.length)).toEqual([50, 50, 20]);
    expect(new Set(pages.flatMap(({ contacts }) => contacts.map(({ list_id }) => list_id))).size).toBe(120);
    expect(pages.map(({ emails }) => emails.length)).toEqual([2, 2, 1]);
    expect(pages.flatMap(({ emails }) => emails.map(({ id }) => id))).toEqual(ids.toReversed());
  });

  it("ends a page at 4 MB of events of emails, and leaves no email out", async () => {
    const sending = sendingFrom(workspace);
    for (let n = 0; n < 3; n++) await sending.accepted(await sending.send({ to: [{ email: PERSON }] }));
    const event = { id: crypto.randomUUID(), type: "deferred", at: 1, metadata: { response: "x".repeat(1_900_000) } };
    await run(
      "UPDATE emails SET events = ?2 WHERE workspace = ?1",
      workspace.workspaceNumber,
      JSON.stringify([0, event]),
    );
    const pages = await pagesOf(PERSON);
    expect(pages.map(({ emails }) => emails.length)).toEqual([2, 1]);
    expect(new Set(pages.flatMap(({ emails }) => emails.map(({ id }) => id))).size).toBe(3);
  });

  it("has the events of the person, in pages, and of no other", async () => {
    const events = Array.from({ length: 450 }, (_, index) => ({ name: `n${index}`, email: PERSON, data: { index } }));
    expect((await workspace.post("/v1/events/batch", events)).status).toBe(202);
    await workspace.post("/v1/events", { name: "other", email: "other@example.org" });
    const pages = await pagesOf(PERSON);
    expect(pages.map((page) => page.events.length)).toEqual([200, 200, 50]);
    const found = pages.flatMap((page) => page.events.map(({ name, data }) => [name, data]));
    expect(found).toEqual(events.map(({ name, data }) => [name, data]));
  });

  it("finds an address with letters outside ASCII in any case", async () => {
    const sending = sendingFrom(workspace);
    const { id } = await sending.accepted(await sending.send({ to: [{ email: "ÄDA@example.org" }] }));
    const [page] = await pagesOf("äda@EXAMPLE.org");
    expect(page?.emails.map((email) => email.id)).toEqual([id]);
  });

  it("of an unknown address is empty", async () => {
    expect(await pagesOf("nobody@example.org")).toEqual([
      {
        ...{ email: "nobody@example.org", suppression: null, soft_bounces: null },
        topics: { email: "nobody@example.org", unsubscribed_from_all: false, topics: [] },
        activity: null,
        ...{ contacts: [], consents: [], events: [], runs: [], emails: [] },
      },
    ]);
  });

  it("has nothing of another workspace", async () => {
    await aContact("News");
    const other = await aWorkspace();
    const response = await other.get(pathOf(PERSON));
    expect(await response.json()).toMatchObject({ contacts: [], emails: [] });
  });

  it("is a 404 for what is no address", async () => {
    for (const address of ["nonsense", "a@", "a@b@c", "a\r\n@example.org", "\0@example.org", "x".repeat(2_000)])
      expect((await workspace.get(pathOf(address))).status, JSON.stringify(address)).toBe(404);
  });

  it("is a 422 for a cursor that no Link header had", async () => {
    for (const after of ["", "1", "1.2.3", "0.end", "end.end.nonsense", `${"9".repeat(40)}.end.end`, "-1.end.end"])
      expect((await workspace.get(`${pathOf(KEY)}?after=${after}`)).status, after).toBe(422);
  });

  it("is for owners and admins, without a restriction to domains", async () => {
    expect((await (await aMember(workspace, "admin")).get(pathOf(KEY))).status).toBe(200);
    expect((await (await aMember(workspace, "member")).get(pathOf(KEY))).status).toBe(403);
    const restricted = apiWith(await aKey(workspace, { domainIds: [workspace.domainId] }));
    expect((await restricted.get(pathOf(KEY))).status).toBe(403);
    expect((await apiWith(null).get(pathOf(KEY))).status).toBe(401);
  });
});
