// `npm test`: runs format, lint, types and tests. `--full` runs the files `*.full.test.ts` too, and more cases of tests that
// repeat something; `--long` runs the most cases. All other arguments are passed to vitest.
import { chmod, mkdtemp, readFile, rm, statfs } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  missingIn,
  readPrepared,
  readRecord,
  statementsOf,
  toRecord,
  unpreparedPlaces,
} from "./prepared-sql/record.ts";
import { run } from "./run.ts";

interface Step {
  name: string;
  commands: [string, string[]][];
  env?: Record<string, string>;
}

/** The part of vitest's JSON report that is read here. */
interface Results {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

const LINT: Step = { name: "format and lint", commands: [["biome", ["ci", "--colors=off", "."]]] };

/** A file system in memory, on Linux. */
const MEMORY_FOLDER = "/dev/shm";
/** Bytes that the files and the processes of a run need at most, with reserve. */
const MEMORY_NEEDED = 8 * 2 ** 30;

/** Variables and names of the runs that are not the default. */
const EXTENTS: Record<string, { name: string; env: Record<string, string> }> = {
  "--full": { name: "tests, full", env: { TEST_FULL: "1" } },
  "--long": { name: "tests, long", env: { TEST_LONG: "1" } },
};

const [flag = ""] = process.argv.slice(2).filter((argument) => argument in EXTENTS);
/** One program for all that has the types of Workers and Node takes half of the time of three, which say what each may use. */
const PROJECTS = flag === "" ? ["dev/tsconfig.all.json", "client"] : [".", "test", "dev", "client"];
const TYPES: Step = {
  name: "types",
  // tsc is a Go program. By default it collects garbage as soon as its memory has doubled, for a third of its CPU time.
  env: { GOGC: "300" },
  commands: [
    ["wrangler", ["types", "--include-runtime=false", "--check"]],
    ...PROJECTS.map((project): [string, string[]] => ["tsc", typesOf(project)]),
  ],
};
const { name, env } = EXTENTS[flag] ?? { name: "tests", env: {} };
const vitestArguments = process.argv.slice(2).filter((argument) => !(argument in EXTENTS));

if (!(await check(LINT))) process.exit(1);
// The types beside the tests, which wait a part of the time.
const [hasTypes, hasPassed] = await Promise.all([check(TYPES), test()]);
if (!hasTypes) console.error(`FAILED  ${TYPES.name}: see above`);
process.exit(hasTypes && hasPassed ? 0 : 1);

/**
 * Returns the arguments that check the types of a project, in one thread: several check the types of the routes, which take
 * most of the time, once each. Files that did not change since the last run are not checked again.
 */
function typesOf(project: string): string[] {
  const cache = path.join(
    "node_modules/.cache/types",
    `${project === "." ? "src" : path.basename(project, ".json")}.json`,
  );
  return ["--noEmit", "--singleThreaded", "--incremental", "--tsBuildInfoFile", cache, "-p", project];
}

/** Runs the commands of a step one after the other, and returns whether none failed. Prints the output of the first that did. */
async function check({ name, commands, env }: Step): Promise<boolean> {
  const startedAt = Date.now();
  for (const [command, args] of commands) {
    const { code, output } = await run(command, args, { env });
    if (code === 0) continue;
    console.error(output.trimEnd());
    console.error(`FAILED  ${name}: ${[command, ...args].join(" ")} (${since(startedAt)})`);
    return false;
  }
  console.log(`ok      ${name} (${since(startedAt)})`);
  return true;
}

/** Runs vitest with a temporary folder of its own, deletes the folder, and returns whether all tests passed. A run without vitest's report has failed. */
async function test(): Promise<boolean> {
  const startedAt = Date.now();
  const directory = await mkdtemp(path.join(await temporaryFolder(), "email-delivery-tests-"));
  // Postfix, which some tests start, reads its files there as a user of its own.
  await chmod(directory, 0o755);
  const report = path.join(directory, "report.json");
  const prepared = path.join(directory, "prepared.json");
  const reporters = [
    "--reporter=default",
    "--reporter=json",
    "--reporter=./dev/failures-at-once.ts",
    "--reporter=./dev/slowest-files.ts",
    "--reporter=./dev/prepared-sql/reporter.ts",
    `--outputFile.json=${report}`,
  ];
  const { code } = await run("vitest", ["run", ...reporters, ...vitestArguments], {
    show: true,
    env: { CI: "1", ...env, TMPDIR: directory, PREPARED_SQL: prepared },
  });
  const results = await readFile(report, "utf8").then(
    (text) => JSON.parse(text) as Results,
    () => null,
  );
  // A test that fails may leave out statements.
  const isRecorded = code !== 0 || checkStatements(prepared);
  await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  const hasPassed = code === 0 && results !== null && isRecorded;
  console.log(`${hasPassed ? "ok      " : "FAILED  "}${name} (${since(startedAt)})`);
  // At the end of the output, which is all that some CI services show.
  for (const failed of failuresOf(results)) console.log(`failed: ${failed}`);
  console.log(
    results
      ? `${results.numPassedTests} passed, ${results.numFailedTests} failed, ${results.numPendingTests} skipped`
      : "The tests did not finish.",
  );
  return hasPassed;
}

/** Returns one line for each test that failed, and for each file that failed outside its tests: its name and how the message begins. */
function failuresOf(results: Results | null): string[] {
  return (results?.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const file = path.relative(process.cwd(), name);
    const tests = assertionResults
      .filter((test) => test.status === "failed")
      .map((test) => `${file}: ${test.fullName}: ${beginningOf(test.failureMessages[0])}`);
    return tests.length > 0 || status !== "failed" ? tests : [`${file}: ${beginningOf(message)}`];
  });
}

function beginningOf(message = ""): string {
  return message.split("\n", 1).join("").slice(0, 300);
}

/**
 * Returns whether the record has all SQL that the tests have prepared and, after a run of all tests, whether they reached each place
 * of the source that makes SQL.
 */
function checkStatements(file: string): boolean {
  const { statements, places } = readPrepared(file);
  const record = readRecord();
  const missing = missingIn(record, statements);
  for (const { kind, place, sql } of missing) console.error(`${place}, on ${kind}: ${sql}`);
  if (missing.length > 0) console.error("FAILED  statements: the record lacks these. Run: npm run record:sql");
  if (vitestArguments.length > 0) return missing.length === 0;
  const stale = missingIn(toRecord(statements), statementsOf(record)).length;
  if (stale > 0) console.log(`${stale} recorded statements were not prepared. To remove them: npm run record:sql`);
  const unprepared = unpreparedPlaces(places);
  if (unprepared.length > 0) console.error(`FAILED  statements: no test prepares\n${unprepared.join("\n")}`);
  return missing.length === 0 && unprepared.length === 0;
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

function since(startedAt: number): string {
  return `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}
