import { chmod, mkdtemp, readFile, rm, statfs } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type Prepared, readPrepared } from "./prepared-sql/record.ts";
import { run } from "./run.ts";

/** A file system in memory, on Linux. */
const MEMORY_FOLDER = "/dev/shm";
/** Bytes that the files and the processes of a run need at most, with reserve. */
const MEMORY_NEEDED = 8 * 2 ** 30;

/** The part of vitest's JSON report that is read here. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults: { name: string; assertionResults: unknown[] }[];
}

export interface TestRun {
  hasPassed: boolean;
  /** Numbers of tests. */
  passed: number;
  failed: number;
  skipped: number;
  /** The SQL that the tests prepared; null when the layer reports none. */
  prepared: Prepared | null;
}

/**
 * Runs one layer of the tests with a temporary folder of its own, which it deletes. `further`: arguments of vitest, by which a
 * layer may have no file. A run without vitest's report has failed, and one with a file of which no test was collected.
 */
export async function runTests(
  layer: string,
  further: readonly string[],
  env: Record<string, string>,
): Promise<TestRun> {
  const directory = await mkdtemp(path.join(await temporaryFolder(), "email-delivery-tests-"));
  // Postfix, which some tests start, reads its files there as a user of its own.
  await chmod(directory, 0o755);
  const [report, prepared] = [path.join(directory, "report.json"), path.join(directory, "prepared.json")];
  const seed = Math.floor(Math.random() * 1e9);
  const args = [
    ...["run", `--project=${layer}`, `--sequence.seed=${seed}`, ...further, "--passWithNoTests"],
    ...["--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    ...["--reporter=./dev/failures-at-once.ts", "--reporter=./dev/slowest-files.ts"],
    "--reporter=./dev/prepared-sql/reporter.ts",
  ];
  const { code } = await run("vitest", args, {
    show: true,
    env: { CI: "1", ...env, TMPDIR: directory, PREPARED_SQL: prepared },
  });
  const results = await readFile(report, "utf8").then(
    (text) => JSON.parse(text) as Report,
    () => null,
  );
  const empty = (results?.testResults ?? []).filter(({ assertionResults }) => assertionResults.length === 0);
  if (empty.length > 0) console.log(`Files without tests: ${empty.map(({ name }) => name).join(", ")}`);
  const hasPassed = code === 0 && results !== null && empty.length === 0;
  // A test that fails may leave out statements.
  const statements = hasPassed && layer === "workers" ? readPrepared(prepared) : null;
  await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  return {
    hasPassed,
    passed: results?.numPassedTests ?? 0,
    failed: results?.numFailedTests ?? 0,
    skipped: results?.numPendingTests ?? 0,
    prepared: statements,
  };
}

/**
 * Returns the folder for temporary files: one in memory where the system has it and it has room, because the databases of the
 * tests write through to the disk and would wait for it most of the time.
 */
async function temporaryFolder(): Promise<string> {
  const free = await statfs(MEMORY_FOLDER).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return Math.min(free, os.freemem()) >= MEMORY_NEEDED ? MEMORY_FOLDER : os.tmpdir();
}
