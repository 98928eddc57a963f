import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContactOut } from "../../../src/audience/contacts/schema.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { apiOn, aWorkspace, perTest } from "../../support/workspace.ts";
import { exportCsv, importCsv } from "./csv-support.ts";
import { aContact, aList, insertContacts, readList } from "./support.ts";

const workspace = perTest(aWorkspace);
const list = perTest(() => aList(workspace));

describe("GET /v1/contacts/{list_id}/export", () => {
  it("returns email, name and one column for each metadata key, and is a download", async () => {
    await aContact(workspace, list.id, "ada@example.org", { name: "Ada", metadata: { city: 'a,"b"\r\nc', n: 1.5 } });
    await aContact(workspace, list.id, "b@example.org", { metadata: { ok: true, none: null, deep: { a: [1] } } });
    const response = await workspace.get(`/v1/contacts/${list.id}/export`);
    expect(response.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("Content-Disposition")).toBe(`attachment; filename="contacts-${list.id}.csv"`);
    expect(await response.text()).toBe(
      'email,name,city,deep,n,none,ok\r\nada@example.org,Ada,"a,""b""\r\nc",,1.5,,\r\nb@example.org,,,"{""a"":[1]}",,null,true\r\n',
    );
  });

  it("returns the header alone for an empty list", async () => {
    expect(await exportCsv(workspace, list.id)).toBe("email,name\r\n");
  });

  it("marks cells and headers that a spreadsheet would take for a formula", async () => {
    const metadata = {
      "=k": "=1+1",
      a: "+1",
      b: "-1",
      c: "@x",
      d: "'t",
      e: "\tx",
      f: "\rx",
      g: "1=1",
      h: "\nx",
      i: "\uff1d1",
    };
    await aContact(workspace, list.id, "+x@example.org", { name: "=cmd", metadata });
    expect(await exportCsv(workspace, list.id)).toBe(
      `email,name,'=k,a,b,c,d,e,f,g,h,i\r\n'+x@example.org,'=cmd,'=1+1,'+1,'-1,'@x,''t,"'\tx","'\rx",1=1,"'\nx",'\uff1d1\r\n`,
    );
  });

  it("quotes cells that contain any separator", async () => {
    await aContact(workspace, list.id, "x@example.org", { metadata: { a: "1;2", b: "1|2", c: "1\t2", "k;": "1" } });
    expect(await exportCsv(workspace, list.id)).toBe(
      'email,name,a,b,c,"k;"\r\nx@example.org,,"1;2","1|2","1\t2",1\r\n',
    );
  });

  it("writes the metadata keys email and name, and keys that could be taken for them, under other names", async () => {
    const keys = ["email", "Name", " EMAIL ", "metadata.email", "metadata.", "", "metadata.x", "__proto__"];
    const metadata = Object.fromEntries(keys.map((key, i) => [key, `v${i}`]));
    await aContact(workspace, list.id, "x@example.org", { name: "X", metadata });
    const csv = await exportCsv(workspace, list.id);
    const copy = await aList(workspace);
    expect(await importCsv(workspace, copy.id, csv)).toEqual({
      imported: 1,
      skipped: 0,
      errors: [],
      encoding: "utf-8",
    });
    const [contact] = (await readList(workspace, copy.id)).contacts;
    expect(Object.entries(contact?.metadata ?? {}).sort()).toEqual(Object.entries(metadata).sort());
    expect(contact).toMatchObject({ email: "x@example.org", name: "X" });
  });

  it("refuses a list with more than 2,000 metadata keys", async () => {
    for (const part of ["a", "b"]) {
      const keys = Array.from({ length: 1_001 }, (_, i) => [`${part}${i}`, "1"]);
      await aContact(workspace, list.id, `${part}@example.org`, { metadata: Object.fromEntries(keys) });
    }
    expect((await workspace.get(`/v1/contacts/${list.id}/export`)).status).toBe(409);
  });

  it("reads pages of 1,000 contacts, fewer when their metadata is large", async () => {
    await insertContacts(workspace, list.id, 2_500);
    const { bindings, trips } = countingDb();
    const api = apiOn(bindings, workspace.apiKey);
    const lines = (await exportCsv(api, list.id)).split("\r\n");
    expect(lines).toHaveLength(2_502);
    expect(lines.at(-2)).toBe("c2500@example.org,Name 2500");
    // Two passes of three pages and an empty one, the credential and the list.
    expect(trips.length).toBeLessThanOrEqual(2 * 4 + 2);
    await database.run(
      "UPDATE contacts SET metadata = json_object('a', printf('%.60000c', 'x')) WHERE n % 2 = 0 AND workspace = ?1 AND id <= '01900000-0000-7000-8000-000000000200'",
      [workspace.workspaceNumber],
    );
    trips.length = 0;
    expect((await exportCsv(api, list.id)).split("\r\n")).toHaveLength(2_502);
    expect(trips.length).toBeGreaterThan(2 * 6);
  });

  it("breaks off when the list is deleted while it is read", async () => {
    await insertContacts(workspace, list.id, 2_500);
    const response = await workspace.get(`/v1/contacts/${list.id}/export`);
    const reader = response.body?.getReader();
    await reader?.read();
    await workspace.call("DELETE", `/v1/contacts/${list.id}`);
    const rest = async () => {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read());
    };
    await expect(rest()).rejects.toThrow();
  });
});

describe("an export imported into an empty list", () => {
  const special = fc.constantFrom("=", "+", "-", "@", "'", "\t", "\r", "\n", '"', ",", ";", "é", "😀", " ", "a", "1");
  const text = fc.oneof(fc.string({ unit: special, maxLength: 6 }), fc.string({ unit: "grapheme", maxLength: 8 }));
  const clean = (value: string) => value.replaceAll("\0", "").toWellFormed();
  const key = fc.oneof(fc.constantFrom("email", "name", "City", "=x", "__proto__"), text.map(clean));
  const contact = fc.record({
    name: fc.oneof(fc.constant(null), fc.constantFrom("=1", "'t Hooft", 'A "B", C', "Zoë")),
    metadata: fc.dictionary(key, fc.oneof(text.map(clean), fc.integer(), fc.boolean()), { maxKeys: 5 }),
  });

  /** Returns metadata as an import stores it: empty strings are absent, and other values are their JSON. */
  const asText = (metadata: Record<string, unknown> | null) =>
    Object.entries(metadata ?? {})
      .filter(([, value]) => value !== "")
      .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])
      .sort();
  const comparable = ({ email, name, metadata }: ContactOut) => ({ email, name, metadata: asText(metadata) });

  it(`gives the same contacts, for ${env.TEST_LONG ? 1_000 : 20} random lists`, { timeout: 1_800_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(contact, { minLength: 1, maxLength: 8 }), async (contacts) => {
        const [source, copy] = [await aList(workspace), await aList(workspace)];
        for (const [i, { name, metadata }] of contacts.entries())
          await aContact(workspace, source.id, `+c${i}@example.org`, { name, metadata });
        const csv = await exportCsv(workspace, source.id);
        expect(await importCsv(workspace, copy.id, csv)).toEqual({
          imported: contacts.length,
          skipped: 0,
          errors: [],
          encoding: "utf-8",
        });
        const [before, after] = [await readList(workspace, source.id), await readList(workspace, copy.id)];
        expect(after.contacts.map(comparable)).toEqual(before.contacts.map(comparable));
      }),
      { numRuns: env.TEST_LONG ? 1_000 : 20 },
    );
  });
});
