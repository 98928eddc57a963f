import { describe, expect, it } from "vitest";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { importCsv, upload } from "./csv-support.ts";
import { aContact, aList, readList } from "./support.ts";

const workspace = perTest(aWorkspace);
const list = perTest(() => aList(workspace));

const contacts = async () => (await readList(workspace, list.id)).contacts;
const importAs = (csv: string, columns: object, query: Record<string, string> = {}) =>
  importCsv(workspace, list.id, csv, { columns: JSON.stringify(columns), ...query });
describe("the columns of an import", () => {
  it("are what the caller says, and else what their headers say", async () => {
    const csv =
      "E-Mail-Adresse;Vorname;Nachname;Stadt;Notiz;Tarif\nada@a.example;Ada;Lovelace;Köln;x;gold\nbob@a.example;;Bob;;;\n";
    const columns = {
      "E-Mail-Adresse": "email",
      Nachname: "last_name",
      Vorname: "first_name",
      Stadt: "metadata.city",
      Notiz: null,
    };
    expect(await importAs(csv, columns)).toMatchObject({ imported: 2, errors: [] });
    expect(await contacts()).toMatchObject([
      { email: "ada@a.example", name: "Ada Lovelace", metadata: { city: "Köln", Tarif: "gold" } },
      { email: "bob@a.example", name: "Bob", metadata: null },
    ]);
  });

  it.each([
    ["{", 422],
    ['{"a":"city"}', 422],
    ['{"a":"metadata."}', 422],
    ["[]", 422],
    ['{"Mail":"email"}', 400],
    ['{"a":"topic:019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a11"}', 404],
    ['{"a":"topic:x"}', 422],
  ])("are refused before anything is stored: %s", async (columns, status) => {
    const response = await upload(workspace, list.id, "email,a\nx@a.example,1\n", {}, undefined, { columns });
    expect(response.status).toBe(status);
    expect(await contacts()).toEqual([]);
  });

  it("bring along who left, and when: such a contact gets no mail", async () => {
    const csv =
      "email,status,UNSUB_TIME\na@a.example,subscribed,\nb@a.example,unsubscribed,2026-03-04 05:06:07\nc@a.example,cleaned,\nd@a.example,gold,\n";
    expect(await importAs(csv, { status: "unsubscribed", UNSUB_TIME: "unsubscribed" })).toMatchObject({
      imported: 3,
      errors: ['Row 5: "gold" does not say whether the person left'],
    });
    expect(await contacts()).toMatchObject([
      { email: "a@a.example", subscribed: true, suppressed: false },
      { email: "b@a.example", subscribed: false },
      { email: "c@a.example", suppressed: true },
    ]);
    const response = await workspace.get("/v1/suppressions/");
    expect(await response.json()).toMatchObject([
      { email: "b@a.example", reason: "unsubscribe", created_at: "2026-03-04T05:06:07.000Z" },
      { email: "c@a.example", reason: "bounce" },
    ]);
  });

  it("marks a contact of another list whose person left", async () => {
    const other = await aList(workspace);
    await aContact(workspace, other.id, "left@a.example");
    await importAs("email,status\nleft@a.example,unsubscribed\n", { status: "unsubscribed" });
    expect((await readList(workspace, other.id)).contacts).toMatchObject([{ subscribed: false }]);
  });

  it("bring choices about topics along, and subscribe no one who left", async () => {
    const created = await workspace.post("/v1/topics/", { name: "News", default: "unsubscribed" });
    const topic = await created.json<{ id: string }>();
    const path = (email: string) => `/v1/people/${email}/topics`;
    await workspace.call("PUT", path("left@a.example"), { topics: [{ id: topic.id, choice: "unsubscribed" }] });
    const csv =
      "email,News\nyes@a.example,yes\nno@a.example,0\nleft@a.example,yes\nopen@a.example,\nbad@a.example,maybe\n";
    expect(await importAs(csv, { News: `topic:${topic.id}` })).toMatchObject({
      imported: 4,
      errors: ['Row 6: "maybe" is no choice about a topic: yes or no'],
    });
    const choiceOf = async (email: string) =>
      (await (await workspace.get(path(email))).json<{ topics: { choice: string | null }[] }>()).topics[0]?.choice;
    expect(await Promise.all(["yes", "no", "left", "open"].map((name) => choiceOf(`${name}@a.example`)))).toEqual([
      "subscribed",
      "unsubscribed",
      "unsubscribed",
      null,
    ]);
  });
});

describe("existing=update", () => {
  const update = (csv: string) => importCsv(workspace, list.id, csv, { existing: "update" });

  it("changes the names and metadata of contacts that the list has, and keeps what a row leaves empty", async () => {
    await aContact(workspace, list.id, "ada@a.example", { name: "Ada", metadata: { city: "Bonn", n: 1, no: null } });
    await aContact(workspace, list.id, "bob@a.example", { name: "Bob", metadata: { city: "Köln" } });
    const csv = "email,name,city,plan\nADA@a.example,,Köln,gold\nbob@a.example,Bob,Köln,\nnew@a.example,New,,\n";
    expect(await update(csv)).toMatchObject({ imported: 1, updated: 1, skipped: 1, errors: [] });
    expect(await contacts()).toMatchObject([
      { email: "ada@a.example", name: "Ada", metadata: { city: "Köln", n: 1, no: null, plan: "gold" } },
      { email: "bob@a.example", name: "Bob", metadata: { city: "Köln" } },
      { email: "new@a.example", name: "New", metadata: null },
    ]);
    expect(await update(csv)).toMatchObject({ imported: 0, updated: 0, skipped: 3 });
  });

  it("counts the first row of an address, wherever the others are", async () => {
    await aContact(workspace, list.id, "ada@a.example", { name: "Ada" });
    const others = Array.from({ length: 1_000 }, (_, i) => `u${i}@a.example,\n`).join("");
    const csv = `email,name\nada@a.example,First\n${others}ada@a.example,Second\nu1@a.example,Late\n`;
    expect(await update(csv)).toMatchObject({ imported: 1_000, updated: 1, skipped: 2 });
    expect((await readList(workspace, list.id, "?q=ada@a.example")).contacts).toMatchObject([{ name: "First" }]);
  });

  it("leaves a contact whose metadata would be too large as it is", async () => {
    await aContact(workspace, list.id, "ada@a.example", { metadata: { a: "x".repeat(40_000) } });
    expect(await update(`email,b\nada@a.example,${"y".repeat(40_000)}\n`)).toMatchObject({ updated: 0, skipped: 1 });
  });

  it("does not change contacts of other lists, nor of other workspaces", async () => {
    const other = await aList(workspace);
    await aContact(workspace, other.id, "ada@a.example", { name: "Ada" });
    expect(await update("email,name\nada@a.example,Other\n")).toMatchObject({ imported: 1, updated: 0 });
    expect((await readList(workspace, other.id)).contacts).toMatchObject([{ name: "Ada" }]);
  });
});
