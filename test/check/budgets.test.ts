import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { run } from "../../dev/run.ts";

const SRC = resolve("src/platform");

/** Code that leaves out the budget of one place in each of the four lists, and names a place that none of them has. */
const PLANTED = `
import type { Budget } from "${SRC}/budgets/budget.ts";
import { mailBudgets } from "${SRC}/budgets/mail-tables.ts";
import { mainBudgets, type TableOf } from "${SRC}/budgets/main-tables.ts";
import type { folderBudgets, mailboxBudgets } from "${SRC}/budgets/objects.ts";
import type * as mail from "${SRC}/db/schema/mail/index.ts";
import type * as main from "${SRC}/db/schema/main/index.ts";

const { topics, ...ofMain } = mainBudgets;
const { segments, ...ofMail } = mailBudgets;
export const tables: Record<TableOf<typeof main>, Budget> = ofMain;
export const mailTables: Record<TableOf<typeof mail>, Budget> = ofMail;
export const table: keyof typeof mailboxBudgets = "polls";
export const folder: keyof typeof folderBudgets = "videos";
export const left = [topics, segments];
`;

it("a table, a table of a mailbox or a folder of R2 without a budget does not compile", {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "planted-"));
  writeFileSync(join(folder, "planted.ts"), PLANTED);
  const options = {
    extends: resolve("tsconfig.json"),
    compilerOptions: { types: [] },
    files: ["planted.ts"],
    include: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
  const { output } = await run("tsc", ["--noEmit", "-p", folder]);
  const errors = [...output.matchAll(/planted\.ts\((\d+),\d+\): error/g)].map(([, line]) => Number(line));
  const firstLine = PLANTED.split("\n").findIndex((line) => line.includes("const tables")) + 1;
  expect(errors, output).toEqual([0, 1, 2, 3].map((n) => firstLine + n));
});
