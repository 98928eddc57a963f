import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { ImportedRows } from "../../../src/platform/csv-imports/schema.ts";
import { countingDb } from "../../support/counting-db.ts";
import { MAIL_BINDING, mail, wrapDatabases } from "../../support/databases.ts";
import { apiOn, aWorkspace, perTest } from "../../support/workspace.ts";
import { importCsv, multipart, upload } from "./csv-support.ts";
import { aContact, aList, countRows, readList } from "./support.ts";

const workspace = perTest(aWorkspace);
const list = perTest(() => aList(workspace));

const send = (csv: string) => importCsv(workspace, list.id, csv);
const uploadBytes = (file: Uint8Array) => upload(workspace, list.id, file);
const contacts = async () => (await readList(workspace, list.id)).contacts;
const detailOf = async (response: Response) => (await response.json<{ detail: unknown }>()).detail;
const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `u${i + from}@example.org,User ${i + from}\n`).join("");

describe("POST /v1/contacts/{list_id}/upload", () => {
  it("imports addresses, names and metadata, and counts them", async () => {
    expect(await send('EMAIL,Name,city\nAda@EXAMPLE.org,Ada,"London, ""UK"""\ngrace@example.org,,\n')).toEqual({
      imported: 2,
      skipped: 0,
      errors: [],
      encoding: "utf-8",
    });
    const { contact_count, contacts } = await readList(workspace, list.id);
    expect(contact_count).toBe(2);
    expect(contacts).toMatchObject([
      { email: "Ada@example.org", name: "Ada", metadata: { city: 'London, "UK"' } },
      { email: "grace@example.org", name: null, metadata: null },
    ]);
  });

  it.each([
    ["a byte order mark", "\ufeffemail,a\nx@example.org,1\n"],
    ["semicolons", "email;a\nx@example.org;1\n"],
    ["tabs", "a\temail\n1\tx@example.org\n"],
    ["CRLF and no last line break", "email,a\r\nx@example.org,1"],
    ["carriage returns alone", "email,a\rx@example.org,1\r"],
    ["quoted headers and cells", '"email","a"\n"x@example.org","1"\n'],
    ["spaces around the headers email and name and the address", " Email ,a\n x@example.org ,1\n"],
    ["empty lines", "email,a\n\nx@example.org,1\n\n\n"],
    ["a column without a name", ",email,a\n17,x@example.org,1\n"],
    ["vertical bars", "email|a\nx@example.org|1\n"],
    ["a line that names the separator", "\ufeffsep=;\r\nemail;a\r\nx@example.org;1\r\n"],
    ["a quoted line that names the separator", '"sep=|"\nemail|a\nx@example.org|1\n'],
    ["the header E-mail", "a,E-Mail\n1,x@example.org\n"],
    ["the header of Google Contacts", "a,E-mail 1 - Value\n1,x@example.org ::: y@example.org\n"],
  ])("reads a file with %s", async (_, csv) => {
    expect(await send(csv)).toEqual({ imported: 1, skipped: 0, errors: [], encoding: "utf-8" });
    expect(await contacts()).toMatchObject([{ email: "x@example.org", metadata: { a: "1" } }]);
  });

  it("keeps line breaks, quotes, spaces and emoji of quoted cells", async () => {
    const note = ' a\r\nb\nc""d ; 😀 é ';
    await send(`email,note\nx@example.org,"${note}"\n`);
    expect((await contacts())[0]?.metadata).toEqual({ note: note.replace('""', '"') });
  });

  it("removes one apostrophe before = + - @ ' and a tab only", async () => {
    await send("email,a,b,c,d,'=e\nx@example.org,'=1,''t Hooft,'t Hooft,'\t1,'-2\n");
    expect((await contacts())[0]?.metadata).toEqual({
      a: "=1",
      b: "'t Hooft",
      c: "'t Hooft",
      d: "\t1",
      "=e": "-2",
    });
  });

  it("skips addresses of the list, of the file and rows without an address", async () => {
    await aContact(workspace, list.id, "old@example.org", { name: "Old" });
    const csv = "email,name\nOLD@example.org,New\na@example.org,A\nA@Example.ORG,B\n,Nobody\n,\n";
    expect(await send(csv)).toEqual({ imported: 1, skipped: 4, errors: [], encoding: "utf-8" });
    expect(await contacts()).toMatchObject([{ name: "Old" }, { email: "a@example.org", name: "A" }]);
    expect(await send(csv)).toEqual({ imported: 0, skipped: 5, errors: [], encoding: "utf-8" });
    expect(await readList(workspace, list.id)).toMatchObject({ contact_count: 2 });
  });

  it("reports each bad row by its number and imports the others", async () => {
    const csv = [
      "email,name,a",
      "one@example.org,,",
      "nobody,,",
      "two@example.org,,,",
      "extra@example.org,,,surplus",
      'quote@example.org,"a"b,',
      'three@example.org,"multi\nline",x',
      "nul@example.org,,\0",
      `long@example.org,${"n".repeat(321)},`,
      `large@example.org,,${"x".repeat(65_536)}`,
      'inside@example.org,5" wide,"5"" wide"',
      "four@example.org,,",
      "",
    ].join("\n");
    const { imported, skipped, errors } = await send(csv);
    expect(errors.map((error) => error.split(":")[0])).toEqual([3, 5, 6, 7, 8, 9, 10].map((row) => `Row ${row}`));
    expect(errors[0]).toBe('Row 3: "nobody" is not a valid email address');
    expect(errors[1]).toBe("Row 5: the row has 4 cells and the header 3");
    expect([imported, skipped]).toEqual([4, 0]);
    expect((await contacts()).map(({ email }) => email)).toEqual([
      "one@example.org",
      "two@example.org",
      "inside@example.org",
      "four@example.org",
    ]);
  });

  it("reads on after a quote that is not closed", async () => {
    const { imported, errors } = await send('email,a\nx@example.org,"open\ny@example.org,1\nz@example.org,2\n');
    expect(errors).toEqual(["Row 2: the quote of a cell is not closed"]);
    expect(imported).toBe(2);
  });

  it("names every rejected row, by its number after the line of the separator", async () => {
    const { imported, errors } = await send(`sep=,\nemail\n${"bad\n".repeat(2_500)}x@example.org\n`);
    expect(imported).toBe(1);
    expect(errors).toEqual(Array.from({ length: 2_500 }, (_, n) => `Row ${n + 2}: "bad" is not a valid email address`));
  });

  it("takes email before E-mail, and numbers repeated headers", async () => {
    const header = "E-mail,phone,email,Phone,phone 2,phone,Email,name,NAME";
    await send(`${header}\nold@example.org,1,x@example.org,2,3,4,y@example.org,Ada,Grace\n`);
    const metadata = { "E-mail": "old@example.org", phone: "1", Phone: "2", "phone 2": "3", "phone 3": "4" };
    expect(await contacts()).toMatchObject([
      { email: "x@example.org", name: "Ada", metadata: { ...metadata, "Email 2": "y@example.org", "NAME 2": "Grace" } },
    ]);
  });

  it("removes invisible characters from names", async () => {
    const csv = "email,name\nx@example.org,\u202aAda\u202c\u200b Lovelace\u00ad\ny@example.org,\u200b\n";
    expect(await send(csv)).toEqual({ imported: 2, skipped: 0, errors: [], encoding: "utf-8" });
    expect(await contacts()).toMatchObject([{ name: "Ada Lovelace" }, { name: null }]);
  });

  it("stops at 200 rows of broken CSV", async () => {
    const { imported, errors } = await send(`email,a\n${'x@example.org,"a"b\n'.repeat(300)}y@example.org,1\n`);
    expect(imported).toBe(0);
    expect(errors).toHaveLength(200);
    expect(errors.at(-1)).toContain("the rest was not read");
  });

  it.each([
    ["an empty file", "", 400],
    ["a byte order mark alone", "\ufeff", 400],
    ["a header alone", "email,name\n", 400],
    ["empty lines alone", "email\n\n\n\n", 400],
    ["no email column", "mail,name\nx@example.org,X\n", 400],
    ["another separator than the first line names", "sep=;\nemail,a\nx@example.org,1\n", 400],
    ["a header with a NUL character", "email,a\0b\nx@example.org,1\n", 400],
    ["a header with an open quote", '"email,a\nx@example.org,1\n', 400],
  ])("refuses %s", async (_, csv, status) => {
    const response = await upload(workspace, list.id, csv);
    expect(response.status).toBe(status);
    expect(await detailOf(response)).toEqual(expect.stringMatching(/^The (CSV file|header)/));
    expect(await readList(workspace, list.id)).toMatchObject({ contact_count: 0 });
  });

  it.each([
    ["utf-16", Buffer.from("\ufeffemail\tcity\r\nx@example.org\tKöln\r\n", "utf16le")],
    ["windows-1252", Buffer.from("email;city\r\nx@example.org;Köln\r\n", "latin1")],
  ])("reads a file in %s, and says so", async (encoding, file) => {
    expect(await (await uploadBytes(file)).json()).toEqual({ imported: 1, skipped: 0, errors: [], encoding });
    expect(await contacts()).toMatchObject([{ email: "x@example.org", metadata: { city: "Köln" } }]);
  });

  it("refuses a file with damaged UTF-8 before it writes a row", async () => {
    const file = Buffer.from(`email,city\nx@example.org,Köln\n${rows(1_500)}`);
    file.set([0xe9], file.indexOf("u1400@"));
    const response = await uploadBytes(file);
    expect([response.status, await detailOf(response)]).toEqual([400, expect.stringContaining("not UTF-8")]);
    expect(await countRows(list.id)).toBe(0);
  });

  it("refuses a file of more than 8 MiB in another encoding than UTF-8", async () => {
    const file = Buffer.from(`email,é\n${"x".repeat(8 * 1024 * 1024)}`, "latin1");
    expect((await uploadBytes(file)).status).toBe(413);
  });

  it("removes the spaces at the ends of names and cells without quotes, and keeps those of quoted ones", async () => {
    await send('email, city ,"  note "\n x@example.org , New York ," a "\n');
    expect(await contacts()).toMatchObject([
      { email: "x@example.org", metadata: { city: "New York", "  note ": " a " } },
    ]);
  });

  it("accepts 100,000 rows, also when cells have line breaks, and refuses 100,001 before it writes a row", async () => {
    const tooMany = await upload(workspace, list.id, `email\n${"x\n".repeat(100_001)}`);
    expect(tooMany.status).toBe(413);
    expect(await countRows(list.id)).toBe(0);
    const multiline = `email,a\n${'bad,"1\n2"\n'.repeat(60_000)}`;
    expect((await send(multiline)).errors).toHaveLength(60_000);
  });

  it("refuses a file of more than 24 MiB", async () => {
    const response = await upload(workspace, list.id, `email\n${"x".repeat(24 * 1024 * 1024 + 1)}`);
    expect(response.status).toBe(413);
  });
});

describe("the body of an upload", () => {
  const call = (body: string, contentType: string, headers: Record<string, string> = {}) =>
    workspace.call("POST", `/v1/contacts/${list.id}/upload`, body, { "Content-Type": contentType, ...headers });
  const { body, headers } = multipart("email\nx@example.org\n");
  const contentType = headers["Content-Type"];

  it.each([
    ["application/json", 415],
    ["text/csv", 415],
    ["multipart/form-data", 415],
    [`multipart/form-data; boundary=${"b".repeat(71)}`, 415],
    ["multipart/mixed; boundary=test-boundary-7d1", 415],
    ["multipart/form-data; boundary=another", 422],
    ['multipart/form-data; charset=utf-8; boundary="test-boundary-7d1"', 200],
  ])("of type %s responses %i", async (type, status) => {
    expect((await call(body, type)).status).toBe(status);
  });

  it("returns 422 without a file, when it ends early and when a part has no header", async () => {
    const other = multipart("email\nx@example.org\n", undefined, "data").body;
    const missing = await call(other, contentType);
    expect(missing.status).toBe(422);
    expect(await detailOf(missing)).toMatchObject([{ loc: ["body", "file"], type: "missing" }]);
    for (const broken of ["", "x", body.slice(0, -20), "--test-boundary-7d1\r\n\r\nx\r\n--test-boundary-7d1--\r\n"])
      expect((await call(broken, contentType)).status, broken).toBe(422);
  });

  it("ignores other parts, and returns 422 to more than 20", async () => {
    const field = '--test-boundary-7d1\r\nContent-Disposition: form-data; name="other"\r\n\r\n1\r\n';
    expect((await call(field.repeat(3) + body, contentType)).status).toBe(200);
    expect((await call(field.repeat(20) + body, contentType)).status).toBe(422);
  });

  it("that is compressed returns 415", async () => {
    expect((await call(body, contentType, { "Content-Encoding": "gzip" })).status).toBe(415);
  });
});

describe("an import", () => {
  it("takes at most 4 D1 calls for each thousand rows", async () => {
    const { bindings, trips } = countingDb();
    await workspace.post("/v1/suppressions/", { email: "u7@example.org" });
    await workspace.post("/v1/suppressions/", { email: "u1007@example.org" });
    const before = await upload(apiOn(bindings, workspace.apiKey), list.id, "email\nx@example.org\n");
    expect(before.status).toBe(200);
    const small = trips.length;
    trips.length = 0;
    const response = await upload(apiOn(bindings, workspace.apiKey), list.id, `email,name\n${rows(3_000)}`);
    expect(await response.json()).toMatchObject({ imported: 3_000 });
    expect(trips.length).toBeLessThanOrEqual(small + 3 * 4 - 2);
    const contacts = await readList(workspace, list.id, "?q=u7@example.org");
    expect(contacts).toMatchObject({ contact_count: 3_001, contacts: [{ suppressed: true }] });
  });

  it("leaves contact_count right with concurrent imports, adds and deletes", async () => {
    const [first] = await Promise.all([aContact(workspace, list.id, "first@example.org")]);
    const calls = [
      upload(workspace, list.id, `email,name\n${rows(1_500)}`),
      upload(workspace, list.id, `email,name\n${rows(1_500, 700)}`),
      workspace.post(`/v1/contacts/${list.id}/contacts`, { email: "u800@example.org" }),
      workspace.call("PUT", `/v1/contacts/${list.id}/contacts`, { email: "u1400@example.org" }),
      workspace.call("DELETE", `/v1/contacts/${list.id}/contacts/${first?.id}`),
    ];
    for (const response of await Promise.all(calls)) expect(response.status).toBeLessThan(500);
    const { contact_count } = await readList(workspace, list.id, "?limit=1");
    expect(contact_count).toBe(2_200);
    expect(await countRows(list.id)).toBe(2_200);
  });

  it("ends with 404 when the list is deleted meanwhile, and leaves no visible contact", async () => {
    let batches = 0;
    const batch = async (statements: D1PreparedStatement[]) => {
      batches += 1;
      if (batches === 3) await workspace.call("DELETE", `/v1/contacts/${list.id}`);
      return mail.batch(statements);
    };
    const api = apiOn({ [MAIL_BINDING]: { prepare: (sql: string) => mail.prepare(sql), batch } }, workspace.apiKey);
    const response = await upload(api, list.id, `email,name\n${rows(2_500)}`);
    expect(response.status).toBe(404);
    expect(await countRows(list.id)).toBe(0);
  });

  it("counts rows right when D1 commits a batch and reports an error", async () => {
    let isFailed = false;
    const batch = async (statements: D1PreparedStatement[]) => {
      const results = await mail.batch(statements);
      if (!isFailed && results.some(({ meta }) => meta.changes === 1_000)) {
        isFailed = true;
        throw new Error("D1_ERROR: Network connection lost.");
      }
      return results;
    };
    const api = apiOn({ [MAIL_BINDING]: { prepare: (sql: string) => mail.prepare(sql), batch } }, workspace.apiKey);
    const response = await upload(api, list.id, `email,name\n${rows(1_500)}`);
    expect(await response.json()).toEqual({ imported: 1_500, skipped: 0, errors: [], encoding: "utf-8" });
    expect(isFailed).toBe(true);
    expect(await readList(workspace, list.id, "?limit=1")).toMatchObject({ contact_count: 1_500 });
  });
});

describe("an import with an Idempotency-Key", () => {
  const csv = `email,name\n${rows(1_200)}`;
  const key = { "Idempotency-Key": "import-1" };

  it("replays its response for the same file with another boundary, and refuses another file", async () => {
    const first = await (await upload(workspace, list.id, csv, key)).json<ImportedRows>();
    expect(first).toEqual({ imported: 1_200, skipped: 0, errors: [], encoding: "utf-8" });
    const again = await upload(workspace, list.id, csv, key, "another-boundary");
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await again.json()).toEqual(first);
    expect((await upload(workspace, list.id, `${csv}x@example.org,X\n`, key)).status).toBe(409);
  });

  it("replays a response that is longer than a row of the database", async () => {
    const bad = `email\nx@example.org\n${`${"\ud83d\ude00".repeat(15)}\n`.repeat(40_000)}`;
    const first = await (await upload(workspace, list.id, bad, key)).text();
    expect(new TextEncoder().encode(first).length).toBeGreaterThan(4_000_000);
    const again = await upload(workspace, list.id, bad, key, "another-boundary");
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await again.text()).toBe(first);
  });

  it("returns 409 with Retry-After while a call with the key runs, and its response afterwards", async () => {
    let meanwhile: Response | undefined;
    let batches = 0;
    const racing = wrapDatabases((real) => ({
      prepare: (sql: string) => real.prepare(sql),
      async batch<Row>(statements: D1PreparedStatement[]) {
        batches += 1;
        if (batches === 3) meanwhile = await upload(workspace, list.id, csv, key);
        return real.batch<Row>(statements);
      },
    }));
    const api = apiOn(racing, workspace.apiKey);
    const first = await upload(api, list.id, csv, key);
    expect(meanwhile?.status).toBe(409);
    expect(Number(meanwhile?.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await (await upload(workspace, list.id, csv, key)).json()).toEqual(await first.json());
  });

  it("can be repeated at once after an error, and after its lease when the Worker was killed", async () => {
    let batches = 0;
    const failing = wrapDatabases((real) => ({
      prepare: (sql: string) => real.prepare(sql),
      async batch<Row>(statements: D1PreparedStatement[]) {
        batches += 1;
        if (batches >= 4) throw new Error("D1_ERROR: overloaded");
        return real.batch<Row>(statements);
      },
    }));
    const failed = await upload(apiOn(failing, workspace.apiKey), list.id, csv, key);
    expect(failed.status).toBe(500);
    const again = await upload(workspace, list.id, csv, key);
    expect(again.status).toBe(200);
    expect(await countRows(list.id)).toBe(1_200);
    // A killed call leaves its mark, here one whose lease is over.
    await env.DB.prepare("UPDATE idempotency_keys SET answer = 'running.1.token' WHERE workspace = ?1")
      .bind(workspace.workspaceNumber)
      .run();
    expect(await (await upload(workspace, list.id, csv, key)).json()).toEqual({
      imported: 0,
      skipped: 1_200,
      errors: [],
      encoding: "utf-8",
    });
  });
});
