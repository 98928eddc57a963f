import { expect, it } from "vitest";
import { importLimits } from "../../../src/lib/csv/limits.ts";
import type { ImportedRows } from "../../../src/platform/csv-imports/schema.ts";
import { aContact, aList } from "../../audience/contacts/support.ts";
import { readAudit } from "../../support/audit.ts";
import { countingDb } from "../../support/counting-db.ts";
import { aKey, apiOn, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";

/** POST /v1/suppressions/import, whose files are read as those of contacts are. */

const workspace = perTest(aWorkspace);

const BOUNDARY = "test-boundary-9c4";
const upload = (
  csv: string | Uint8Array,
  { query = "", api = workspace as Pick<typeof workspace, "call">, headers = {} } = {},
) => {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n`;
  const body = new Blob([head, csv, `\r\n--${BOUNDARY}--\r\n`]).stream();
  const type = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` };
  return api.call("POST", `/v1/suppressions/import${query}`, body, { ...type, ...headers });
};
const read = async (response: Response) => response.json<ImportedRows>();
const listed = async () =>
  (await workspace.get("/v1/suppressions/?limit=500")).json<{ email: string; reason: string; created_at: string }[]>();

it("reads the reasons and times of other services", async () => {
  const csv = [
    "email,created_at,reason",
    "left@kunden.example,2026-03-04T05:06:07Z,unsubscribed",
    "dead@kunden.example,2026-03-05 05:06:07,hard bounce 550 5.1.1",
    "Angry@kunden.example,1772773567,spam report",
    "hand@kunden.example,,",
  ].join("\r\n");
  expect(await read(await upload(csv))).toEqual({ imported: 4, skipped: 0, errors: [], encoding: "utf-8" });
  expect(await listed()).toMatchObject([
    { email: "angry@kunden.example", reason: "complaint", created_at: "2026-03-06T05:06:07.000Z" },
    { email: "dead@kunden.example", reason: "bounce", created_at: "2026-03-05T05:06:07.000Z" },
    { email: "hand@kunden.example", reason: "manual" },
    { email: "left@kunden.example", reason: "unsubscribe", created_at: "2026-03-04T05:06:07.000Z" },
  ]);
});

it("takes the reason of the query for rows without one, and keeps a stronger reason that is listed", async () => {
  await workspace.post("/v1/suppressions/", { email: "angry@kunden.example", reason: "complaint" });
  const csv = "E-Mail\nangry@kunden.example\nleft@kunden.example\n\nleft@kunden.example\n";
  const imported = await read(await upload(csv, { query: "?reason=bounce" }));
  expect(imported).toMatchObject({ imported: 1, skipped: 2, errors: [] });
  expect((await listed()).map(({ reason }) => reason)).toEqual(["complaint", "bounce"]);
  expect((await upload(csv, { query: "?reason=soft_bounces" })).status).toBe(422);
});

it("names each row that it refuses, and imports the others", async () => {
  const csv =
    'email,reason,created_at\nnone,,\na@b.example,holiday,\na@b.example,,2199-01-01\na@b.example,,yesterday\n,,\nok@b.example,"manual",2026-01-01\n';
  expect(await read(await upload(csv))).toEqual({
    imported: 1,
    skipped: 1,
    errors: [
      'Row 2: "none" is not a valid email address',
      'Row 3: "holiday" is no reason: bounce, complaint, unsubscribe or manual',
      'Row 4: "2199-01-01" is no time that has passed',
      'Row 5: "yesterday" is no time that has passed',
    ],
    encoding: "utf-8",
  });
});

it("stops mail to the addresses, marks their contacts, and is in the audit log", async () => {
  const list = await aList(workspace);
  const contact = await aContact(workspace, list.id, "left@kunden.example");
  await upload("email\nleft@kunden.example\n");
  const found = await (await workspace.get(`/v1/contacts/${list.id}/contacts/${contact.id}`)).json();
  expect(found).toMatchObject({ suppressed: true });
  expect((await readAudit(workspace)).at(-1)).toMatchObject({ action: "suppression.imported", detail: { rows: 1 } });
});

it("is imported once with an Idempotency-Key, and adds nothing when it is repeated without", async () => {
  const headers = { "Idempotency-Key": "import-1" };
  const first = await upload("email\nleft@kunden.example\n", { headers });
  const second = await upload("email\nleft@kunden.example\n", { headers });
  expect(second.headers.get("Idempotency-Replayed")).toBe("true");
  expect(await read(second)).toEqual(await read(first));
  expect(await read(await upload("email\nleft@kunden.example\n"))).toMatchObject({ imported: 0, skipped: 1 });
});

it("imports each address once when two calls bring it at once", async () => {
  const csv = `email\n${Array.from({ length: 50 }, (_, i) => `u${i}@kunden.example`).join("\n")}\n`;
  const results = await Promise.all([1, 2].map(async () => read(await upload(csv))));
  expect(results.map(({ imported, skipped }) => imported + skipped)).toEqual([50, 50]);
  expect(results.reduce((sum, { imported }) => sum + imported, 0)).toBe(50);
});

it("leaves out rows with a NUL, and rows that are no CSV", async () => {
  const { imported, errors } = await read(await upload('email\na\0@b.example\n"a@b.example" x\nok@b.example\n'));
  expect([imported, errors]).toEqual([
    1,
    ["Row 2: a cell contains a NUL character", "Row 3: text follows the closing quote of a cell"],
  ]);
});

it("refuses files without addresses, too large ones, and callers without the right", async () => {
  expect((await upload("name\nAda\n")).status).toBe(400);
  expect((await upload("")).status).toBe(400);
  expect((await upload(`email\n${"x\n".repeat(importLimits.rows + 1)}`)).status).toBe(413);
  expect((await upload("x".repeat(importLimits.fileBytes + 1))).status).toBe(413);
  const key = await aKey(workspace, { scopes: ["contacts:view"] });
  expect((await upload("email\na@b.example\n", { api: apiWith(key) })).status).toBe(403);
  expect(await listed()).toEqual([]);
});

it("takes at most five D1 calls for each thousand rows", async () => {
  const { bindings, trips } = countingDb();
  const api = apiOn(bindings, workspace.apiKey);
  await upload("email\nx@kunden.example\n", { api });
  const small = trips.length;
  const rows = Array.from({ length: 3_000 }, (_, i) => `u${i}@kunden.example`).join("\n");
  expect(await read(await upload(`email\n${rows}\n`, { api }))).toMatchObject({ imported: 3_000 });
  expect(trips.length - small).toBeLessThanOrEqual(small + 3 * 5);
});
