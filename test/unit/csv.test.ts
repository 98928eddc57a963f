import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guessColumns } from "../../src/audience/contacts/csv/guess-columns.ts";
import { readRow } from "../../src/audience/contacts/csv/read-row.ts";
import { type ExportRow, writeHeader, writeRow } from "../../src/audience/contacts/csv/write-row.ts";
import { markFormula } from "../../src/lib/csv/cells.ts";
import { readHeader } from "../../src/lib/csv/columns.ts";
import { openCsv, readStart } from "../../src/lib/csv/file.ts";
import { CsvReader, type CsvRecord, MAX_RECORD_CHARACTERS } from "../../src/lib/csv/reader.ts";
import { readLeft } from "../../src/sending/suppressions/index.ts";

/** Compares the CSV code with csv-spectrum and with Python's csv module. */

function readAll(csv: string | Uint8Array, part = { records: 1_000, bytes: 1_000_000 }): string[][] {
  const reader = new CsvReader(typeof csv === "string" ? new TextEncoder().encode(csv) : csv, ",");
  const all: string[][] = [];
  for (let records = reader.read(part.records, part.bytes); records.length > 0; ) {
    for (const record of records) {
      if (!("cells" in record)) throw new Error(`row ${record.row}: ${record.issue}`);
      all.push(record.cells);
    }
    records = reader.read(part.records, part.bytes);
  }
  return all;
}

describe("csv-spectrum", () => {
  const folder = path.dirname(createRequire(import.meta.url).resolve("csv-spectrum/package.json"));
  const names = readdirSync(path.join(folder, "csvs")).map((file) => path.parse(file).name);

  it("has its twelve files", () => expect(names).toHaveLength(12));

  it.each(names)("%s is read as its JSON says, in parts of any size", (name) => {
    const json = JSON.parse(readFileSync(path.join(folder, "json", `${name}.json`), "utf8")) as object;
    // The JSON of one file is no list, and has another phone number than its CSV.
    const expected = Array.isArray(json) ? (json as object[]) : [{ ...json, "Contact Phone Number": "2095257564" }];
    const bytes = readFileSync(path.join(folder, "csvs", `${name}.csv`));
    for (const part of [
      { records: 1_000, bytes: 1_000_000 },
      { records: 1, bytes: 1_000_000 },
      { records: 1_000, bytes: 1 },
    ]) {
      const [header = [], ...rows] = readAll(bytes, part);
      const objects = rows.map((cells) => Object.fromEntries(header.map((key, i) => [key, cells[i] ?? ""])));
      expect(objects).toEqual(expected);
    }
  });
});

describe("CsvReader", () => {
  const utf8 = (text: string) => new TextEncoder().encode(text);

  it("reads a header of 2,000 columns with long names", () => {
    const names = Array.from({ length: 2_000 }, (_, i) => `${i}-`.padEnd(400, "x"));
    expect(readAll(`${names.join()}\n1,2\n`)).toEqual([names, ["1", "2"]]);
  });

  it("names the limit of a row whose cells are too long, and reads the next line", () => {
    const half = "x".repeat(MAX_RECORD_CHARACTERS / 2);
    const reader = new CsvReader(utf8(`email\n${half},${half}yy\n${half},${half}\n`), ",");
    reader.read(1, 1);
    const issue = `the cells are longer than ${MAX_RECORD_CHARACTERS} characters; perhaps a quote is not closed`;
    expect(reader.read(10, 1_000_000)).toEqual([
      { row: 2, issue },
      { row: 3, cells: [half, half] },
    ]);
  });

  it.each([1, 3, 1_000])("frees the memory of what it read, and reads the rest, by %i records", (count) => {
    const text = `email,a\n${Array.from({ length: 50 }, (_, i) => `c${i}@example.org,"é ${i}\n,😀"\n`).join("")}`;
    const file = utf8(text);
    const buffer = new ArrayBuffer(0, { maxByteLength: file.length + 100 });
    buffer.resize(file.length + 20);
    const bytes = new Uint8Array(buffer, 7, file.length);
    bytes.set(file);
    const reader = new CsvReader(bytes, ",");
    const records: CsvRecord[] = [];
    for (let part = reader.read(count, 1e6); part.length > 0; part = reader.read(count, 1e6)) {
      records.push(...part);
      reader.free();
      const left = file.length - utf8(text.slice(0, endOfRow(text, records.length))).length;
      expect(buffer.byteLength).toBe(left);
    }
    expect(records).toEqual(new CsvReader(file, ",").read(1_000, 1e6));
    expect(buffer.byteLength).toBe(0);
  });

  const endOfRow = (text: string, row: number) =>
    text
      .split(/(?<=\n)(?!,)/)
      .slice(0, row)
      .join("").length;
});

/** Reads CSV texts with Python and writes the cells again, as JSON lines. */
const PYTHON = `
import csv, io, json, sys
csv.field_size_limit(10**9)
for line in sys.stdin:
    rows = list(csv.reader(io.StringIO(json.loads(line), newline='')))
    out = io.StringIO(newline='')
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows(rows)
    print(json.dumps({"rows": rows, "csv": out.getvalue()}))
`;

const hasPython = spawnSync("python3", ["-c", "import csv"]).status === 0;

describe("Python's csv module", () => {
  const lists = process.env.TEST_LONG === "1" ? 1_000 : 50;
  const character = fc.constantFrom("=", "+", "-", "@", "'", "\t", "\r", "\n", '"', ",", ";", "é", "😀", " ", "a", "{");
  const text = fc.oneof(fc.string({ unit: character, maxLength: 12 }), fc.string({ unit: "grapheme", maxLength: 12 }));
  const clean = text.map((value) => value.replaceAll("\0", "").toWellFormed());
  const key = fc.oneof(fc.constantFrom("email", "name", "Metadata.name", "__proto__"), clean);
  const contact = fc.record({
    name: fc.constantFrom(null, "=1", "'t Hooft", 'A "B", C', "Zoë"),
    metadata: fc.dictionary(key, fc.oneof(clean, fc.double(), fc.array(clean, { maxLength: 2 })), { maxKeys: 6 }),
  });

  function toExport(contacts: readonly { name: string | null; metadata: object }[]) {
    const rows: ExportRow[] = contacts.map(({ name, metadata }, i) => ({
      email: `'c${i}@example.org`,
      name,
      metadata: JSON.stringify(metadata),
    }));
    const keys = [...new Set(rows.flatMap((row) => Object.keys(JSON.parse(row.metadata ?? "{}") as object)))].sort();
    return { rows, keys, csv: writeHeader(keys) + rows.map((row) => writeRow(row, keys)).join("") };
  }

  it.skipIf(!hasPython)(`reads ${lists} random exports as they are, and what it writes is imported the same`, () => {
    const exports = fc
      .sample(fc.array(contact, { minLength: 1, maxLength: 10 }), { numRuns: lists, seed: 1 })
      .map(toExport);
    const output = execFileSync("python3", ["-c", PYTHON], {
      input: exports.map(({ csv }) => JSON.stringify(csv)).join("\n"),
      maxBuffer: 1 << 28,
      env: { ...process.env, PYTHONIOENCODING: "utf-8" },
    });
    const responses = output.toString().trim().split("\n");
    expect(responses).toHaveLength(lists);
    for (const [i, line] of responses.entries()) {
      const { rows: pythonRows, csv } = JSON.parse(line) as { rows: string[][]; csv: string };
      const { rows, keys, csv: ours } = exports[i] ?? toExport([]);
      const cellOf = (row: ExportRow, name: string) => {
        const metadata = JSON.parse(row.metadata ?? "{}") as Record<string, unknown>;
        const value = Object.hasOwn(metadata, name) ? metadata[name] : "";
        return typeof value === "string" ? value : JSON.stringify(value);
      };
      const cells = rows.map((row) => [row.email, row.name ?? "", ...keys.map((name) => cellOf(row, name))]);
      expect(pythonRows.slice(1)).toEqual(cells.map((row) => row.map(markFormula)));
      expect(readAll(csv)).toEqual(readAll(ours));
      expect(importRows(csv)).toEqual(
        cells.map(([email = "", name = "", ...values]) => ({
          email,
          name: name || null,
          metadata: keys.flatMap((key, at) => (values[at] ? [[key, values[at]]] : [])),
        })),
      );
    }
  });

  function importRows(csv: string) {
    const [header = [], ...rows] = readAll(csv);
    const columns = readHeader(header);
    if ("issue" in columns) throw new Error(columns.issue);
    return rows.map((cells) => {
      const row = readRow(cells, header.length, columns, 0);
      if (!("contact" in row)) throw new Error(JSON.stringify(row));
      const { email, name, metadata } = row.contact;
      return { email, name, metadata: Object.entries(JSON.parse(metadata ?? "{}") as object).sort(byKey) };
    });
  }

  const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
});

const EXPORTS = path.join(import.meta.dirname, "csv-exports");
const fileOf = (name: string): Uint8Array => new Uint8Array(readFileSync(path.join(EXPORTS, name)));
const NOW = Date.UTC(2026, 10, 30);

describe("the columns of files from other services", () => {
  const names = { "First Name": "first_name", "Last Name": "last_name" };
  it.each([
    ["mailchimp.csv", { "Email Address": "email", ...names, UNSUB_TIME: "unsubscribed" }],
    ["brevo.csv", { EMAIL: "email", FIRSTNAME: "first_name", LASTNAME: "last_name", EMAIL_MARKETING: "unsubscribed" }],
    ["sendgrid.csv", { EMAIL: "email", FIRST_NAME: "first_name", LAST_NAME: "last_name" }],
    ["resend.csv", { email: "email", first_name: "first_name", last_name: "last_name", unsubscribed: "unsubscribed" }],
    ["listmonk.csv", { email: "email", name: "name", status: "unsubscribed" }],
    ["hubspot.csv", { Email: "email", ...names, "Unsubscribed from all email": "unsubscribed" }],
    ["email-address-header.csv", { "Email Address": "email", ...names }],
    ["semicolons-cp1252.csv", { "E-Mail-Adresse": "email", Vorname: "first_name", Nachname: "last_name" }],
    ["utf16-tabs.txt", { メールアドレス: "email", 名: "first_name", 姓: "last_name" }],
    ["upper-case.csv", { EMAIL: "email", FIRSTNAME: "first_name", LASTNAME: "last_name" }],
    [
      "members-with-status.csv",
      { "Email Address": "email", ...names, UNSUB_TIME: "unsubscribed", status: "unsubscribed" },
    ],
  ])("are guessed by their headers: %s", async (file, uses) => {
    const start = await guessColumns(fileOf(file), NOW);
    expect(start.uses).toEqual(uses);
    const { columns, header } = await openCsv(fileOf(file), start.uses);
    const rows = start.rows.map((cells) => readRow(cells ?? [], header.length, columns, NOW));
    for (const row of rows) {
      if (!("contact" in row)) throw new Error(JSON.stringify(row));
      expect(row.contact.name).toMatch(/\S \S/);
      expect(row.left !== null, row.contact.key).toBe(
        /^(?:left|dead)@/.test(row.contact.key) && file !== "sendgrid.csv",
      );
    }
  });

  it("are addresses when their cells are, whatever their header says", async () => {
    const file = new TextEncoder().encode("Kunde,Adresse\nAda,ada@a.example\nBob,\n");
    expect((await guessColumns(file, NOW)).uses).toEqual({ Adresse: "email" });
  });

  it("do not say who left when a cell says something else", async () => {
    const file = new TextEncoder().encode("email,status\na@a.example,subscribed\nb@a.example,gold\n");
    expect((await guessColumns(file, NOW)).uses).toEqual({ email: "email" });
  });

  it.each([
    [{ Mail: "email" }, 'no column "Mail"'],
    [{ a: "email", b: "email" }, "several columns of addresses"],
    [{ a: "name" }, "no email column"],
  ] as const)("are refused when they do not fit the file: %o", (uses, issue) => {
    expect(readHeader(["a", "b"], uses)).toEqual({ issue: expect.stringContaining(issue) });
  });

  it("are fields under the names that they are given, and left out for null", () => {
    const uses = { City: "metadata.city", Town: "metadata.city", Notes: null } as const;
    expect(readHeader(["email", "City", "Notes", "Town", "x"], uses)).toMatchObject({
      metadata: [
        { position: 1, key: "city" },
        { position: 3, key: "city 2" },
        { position: 4, key: "x" },
      ],
    });
  });
});

describe("the start of a file", () => {
  it("is read without its last row, which may go on", async () => {
    const text = `email,a\nx@a.example,1\ny@a.example,${"é".repeat(140_000)}\n`;
    const { rows } = await readStart(new TextEncoder().encode(text));
    expect(rows).toEqual([["x@a.example", "1"]]);
  });

  it("shows a row that is no valid CSV", async () => {
    const { rows } = await readStart(new TextEncoder().encode('email,a\nx@a.example,"1"2\ny@a.example,2\n'));
    expect(rows).toEqual([null, ["y@a.example", "2"]]);
  });

  it("is read in windows-1252 when its only letter beyond ASCII is its last byte", async () => {
    const bytes = new Uint8Array(Buffer.from("email;name\njo@a.example;José", "latin1"));
    expect(await readStart(bytes)).toMatchObject({ rows: [["jo@a.example", "José"]] });
  });
});

describe("the state of a person who may have left", () => {
  it.each([
    ["subscribed", null],
    ["", null],
    ["FALSE", null],
    ["unsubscribed", { reason: "unsubscribe" }],
    ["true", { reason: "unsubscribe" }],
    ["blocklisted", { reason: "unsubscribe" }],
    ["cleaned", { reason: "bounce" }],
    ["spam complaint", { reason: "complaint" }],
    ["2026-03-04 05:06:07", { reason: "unsubscribe", at: Date.UTC(2026, 2, 4, 5, 6, 7) }],
    ["2027-03-04", undefined],
    ["gold", undefined],
  ])("is read from %j", (cell, left) => {
    expect(readLeft(cell, NOW)).toEqual(left);
  });
});
