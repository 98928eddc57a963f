import { describe, expect, it } from "vitest";
import { exportLimits } from "../../../src/audience/contacts/rules.ts";
import { importLimits } from "../../../src/lib/csv/limits.ts";
import { CsvReader, MAX_RECORD_BYTES } from "../../../src/lib/csv/reader.ts";
import { wrapDatabases } from "../../support/databases.ts";
import { StepRecorder } from "../../support/recorded-steps.ts";
import { apiOn, aWorkspace, perTest } from "../../support/workspace.ts";
import { exportCsv, importCsv } from "./csv-support.ts";
import { aList } from "./support.ts";

const ROWS = 5_000;

const workspace = perTest(aWorkspace);
const list = perTest(() => aList(workspace));

/** Returns a Worker whose databases record the contacts that each step writes and reads. */
function recordedApi() {
  const recorder = new StepRecorder();
  const recorded = (real: D1Database) => ({
    prepare: (sql: string) => {
      const statement = real.prepare(sql);
      if (!sql.includes("INTO contacts")) return statement;
      const { bind } = statement;
      return Object.assign(statement, {
        bind: (...values: unknown[]) => {
          const json = String(values[0]);
          recorder.add("insert", (JSON.parse(json) as unknown[]).length, json.length);
          return bind.apply(statement, values);
        },
      });
    },
    async batch<Result>(statements: D1PreparedStatement[]) {
      const results = await real.batch<Result & { metadata?: string }>(statements);
      for (const { results: rows } of results)
        if (rows[0] && "metadata" in rows[0]) recorder.add("read", rows.length, JSON.stringify(rows).length);
      return results as D1Result<Result>[];
    },
  });
  return { recorder, api: apiOn(wrapDatabases(recorded), workspace.apiKey) };
}

const csv = (note: number) =>
  `email,note\n${Array.from({ length: ROWS }, (_, i) => `u${i}@example.org,${"n".repeat(note)}`).join("\n")}\n`;

describe("a CSV file gives way to other requests", () => {
  it("while it is imported, after at most a thousand rows", async () => {
    const { recorder, api } = recordedApi();
    expect((await recorder.during(() => importCsv(api, list.id, csv(10)))).imported).toBe(ROWS);
    expect(recorder.largest("insert").rows).toBe(importLimits.rowsPerBatch);
  });

  it("while it is imported, after about 256 KiB", async () => {
    const { recorder, api } = recordedApi();
    expect((await recorder.during(() => importCsv(api, list.id, csv(4_000)))).imported).toBe(ROWS);
    expect(recorder.largest("insert").bytes).toBeLessThan(1.1 * importLimits.bytesPerBatch);
  });

  it("while it is exported, after at most a thousand rows and 2 MB, also when its columns are searched", async () => {
    const { recorder, api } = recordedApi();
    await importCsv(workspace, list.id, csv(1_000));
    const text = await recorder.during(() => exportCsv(api, list.id));
    expect(text.split("\n").length).toBeGreaterThan(ROWS);
    expect(recorder.largest("read").rows).toBeLessThanOrEqual(exportLimits.rowsPerPage);
    expect(recorder.largest("read").bytes).toBeLessThan(1.1 * exportLimits.metadataPerPage);
  });
});

describe("one record of a CSV file takes a bounded time", () => {
  const encode = (text: string) => new TextEncoder().encode(text);
  const read = (text: string) => new CsvReader(encode(text), ",").read(100_000, encode(text).length);

  it("when it is a line of separators, which is an issue, and the rows after it are read", () => {
    const rows = read(`email\n${",".repeat(2 * MAX_RECORD_BYTES)}\na@b.example\n`);
    expect(rows).toEqual([
      { row: 1, cells: ["email"] },
      { row: 2, issue: expect.stringContaining("longer than") },
      { row: 3, cells: ["a@b.example"] },
    ]);
  });

  it("when it is the header", () => {
    const [header] = read(`email${",".repeat(2 * MAX_RECORD_BYTES)}\na@b.example\n`);
    expect(header).toEqual({ row: 1, issue: expect.stringContaining("longer than") });
  });

  it("and records are read whole wherever the bytes are cut", () => {
    const row = (n: number) => [`u${n}@example.org`, `${"a".repeat(n % 97)}"\r\n,${n}`, "é".repeat(n % 89)];
    const rows = Array.from({ length: 40_000 }, (_, n) => row(n));
    const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
    const text = rows.map((cells) => `${cells.map(quoted).join()}\r\n`).join("");
    expect(encode(text).length).toBeGreaterThan(5 * MAX_RECORD_BYTES);
    expect(read(text).map((record) => "cells" in record && record.cells)).toEqual(rows);
  });
});
