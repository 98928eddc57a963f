import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRow } from "../../src/audience/contacts/csv/read-row.ts";
import { type ExportRow, writeHeader, writeRow } from "../../src/audience/contacts/csv/write-row.ts";
import { markFormula } from "../../src/lib/csv/cells.ts";
import { readHeader } from "../../src/lib/csv/columns.ts";
import { previewCsv, previewFile, readRecords } from "../../src/lib/csv/preview.ts";
import { CsvReader, type CsvRecord } from "../../src/lib/csv/reader.ts";
import { MAX_RECORD_CHARACTERS } from "../../src/lib/csv/rules.ts";
import { byExtent } from "../host/support/extent.ts";

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
      const row = readRow(cells, header.length, columns);
      if (!("contact" in row)) throw new Error(JSON.stringify(row));
      const { email, name, metadata } = row.contact;
      return { email, name, metadata: Object.entries(JSON.parse(metadata ?? "{}") as object).sort(byKey) };
    });
  }

  const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
});

const PREVIEWS = byExtent({ quick: 3_000, full: 20_000, long: 20_000 });

describe("the preview in the browser", () => {
  const recordsOf = (text: string, delimiter: "," | ";" | "\t" | "|") =>
    new CsvReader(new TextEncoder().encode(text), delimiter)
      .read(1_000, 1_000_000)
      .map((record) => ({ row: record.row, cells: "cells" in record ? record.cells : null }));

  it("reads the same records as the import, and refuses the same ones", () => {
    const text = fc.string({ unit: fc.constantFrom(...'""",;\t|\r\na b\''), maxLength: 40 });
    fc.assert(
      fc.property(text, fc.constantFrom(",", ";", "\t", "|"), (csv, delimiter) => {
        expect([...readRecords(csv, delimiter, true)]).toEqual(recordsOf(csv, delimiter));
      }),
      { numRuns: PREVIEWS },
    );
  });

  it("reads of the start of a file what the import reads of the whole", () => {
    const text = fc.string({ unit: fc.constantFrom(...'""",\r\nab'), maxLength: 40 });
    fc.assert(
      fc.property(text, fc.nat(40), (csv, length) => {
        const records = [...readRecords(csv.slice(0, length), ",", length >= csv.length)];
        expect(recordsOf(csv, ",").slice(0, records.length)).toEqual(records);
      }),
      { numRuns: PREVIEWS },
    );
  });

  it("refuses a row that is too long for the import", () => {
    const csv = `email,a\n"${"x".repeat(MAX_RECORD_CHARACTERS)}\nada@example.org,1\n`;
    for (const isWhole of [true, false])
      expect([...readRecords(csv, ",", isWhole)].map(({ cells }) => cells?.[0] ?? null)).toEqual(
        isWhole ? recordsOf(csv, ",").map(({ cells }) => cells?.[0] ?? null) : ["email", null],
      );
  });

  it.each([
    [
      "a byte order mark and semicolons",
      '\ufeffemail;Name;city\r\n ada@a.example ;Ada;"Bath; UK"\r\n\r\nb@a.example;;',
    ],
    ["tabs", "city\temail\tNAME\nBath; UK\tada@a.example\tAda\n\tb@a.example\t\n"],
    ["a separator that is named", "sep=|\r\ncity|E-mail|NAME\r\nBath; UK|ada@a.example|Ada\r\n|b@a.example|\r\n"],
  ])("names the columns as the import reads them: %s", (_, csv) => {
    const preview = previewCsv(csv, true, 5);
    if ("issue" in preview) throw new Error(preview.issue);
    expect(preview.columns).toEqual(["Address", "Name", "{{city}}"]);
    expect(preview.rows.map(({ values }) => values)).toEqual([
      ["ada@a.example", "Ada", "Bath; UK"],
      ["b@a.example", "", ""],
    ]);
  });

  it.each([
    ["", "is empty"],
    ["name,city\n1,2\n", "no email column"],
    ["email,a\0\n1,2\n", "NUL"],
    ["sep=;\nemail,a\n1,2\n", "no email column"],
    ["email\n\n", "no data rows"],
  ])("says why the import refuses %j", (csv, issue) => {
    expect(previewCsv(csv, true, 5)).toEqual({ issue: expect.stringContaining(issue) });
  });

  it.each([
    ["utf-16 with its mark", Buffer.from("\ufeffemail\tStadt\njo@a.example\tKöln\n", "utf16le")],
    ["utf-16 without it", Buffer.from("email\tStadt\njo@a.example\tKöln\n", "utf16le")],
    ["utf-16 the other way round", Buffer.from("\ufeffemail\tStadt\njo@a.example\tKöln\n", "utf16le").swap16()],
    ["windows-1252", Buffer.from("email;Stadt\njo@a.example;Köln\n", "latin1")],
  ])("reads a file in %s", (_, bytes) => {
    const found = { columns: ["Address", "{{Stadt}}"], rows: [{ row: 2, values: ["jo@a.example", "Köln"] }] };
    expect(previewFile(new Uint8Array(bytes), true)).toEqual(found);
  });

  it("reads a file in windows-1252 whose only letter beyond ASCII is its last byte", () => {
    const bytes = new Uint8Array(Buffer.from("email;name\njo@a.example;José", "latin1"));
    expect(previewFile(bytes, true)).toMatchObject({ rows: [{ values: ["jo@a.example", "José"] }] });
  });

  it("reads a file that ends within a character, and refuses one with damaged UTF-8", () => {
    const bytes = new TextEncoder().encode("email,city\nada@a.example,Köln\nb\u00e4");
    expect(previewFile(bytes.subarray(0, bytes.length - 1), false)).toMatchObject({ rows: [{ row: 2 }] });
    expect(previewFile(bytes.subarray(0, bytes.length - 1), true)).toEqual({ issue: expect.stringContaining("UTF-8") });
  });
});
