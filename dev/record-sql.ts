// `npm run record:sql`: runs the tests in workerd and writes the SQL that they prepare (migrations/prepared.json). Arguments are
// passed to vitest; with some, the statements of these tests are added to the file.
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { readPrepared, readRecord, statementsOf, toRecord, writeRecord } from "./prepared-sql/record.ts";
import { run } from "./run.ts";

const REPORTERS = ["--reporter=default", "--reporter=./dev/prepared-sql/reporter.ts"];
const args = process.argv.slice(2);
const folder = await mkdtemp(path.join(os.tmpdir(), "email-delivery-sql-"));
const file = path.join(folder, "prepared.json");
const { code } = await run("vitest", ["run", "--project=workers", ...REPORTERS, ...args], {
  show: true,
  env: { PREPARED_SQL: file },
});
if (code === 0) {
  const recorded = args.length === 0 ? [] : statementsOf(readRecord());
  writeRecord(toRecord([...recorded, ...readPrepared(file).statements]));
}
await rm(folder, { recursive: true });
process.exitCode = code;
