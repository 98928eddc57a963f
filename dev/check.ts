// `npm test`: runs the layers check, unit, workers and host, and stops after the first that fails. Names of layers run only these.
// `--full` runs the files `*.full.test.ts` too, and more cases of tests that repeat something; `--long` runs the most cases. All
// other arguments are passed to vitest.
import { BINDING_TYPES } from "./binding-types.ts";
import { checkStatements } from "./prepared-sql/check.ts";
import { run } from "./run.ts";
import { runTests, type TestRun } from "./run-tests.ts";

type Layer = "check" | "unit" | "workers" | "host";

/** Layers that run beside each other: the tests of `host` wait for programs and pages a good part of their time. */
const STAGES: readonly (readonly Layer[])[] = [["check"], ["unit"], ["workers", "host"]];
const LAYERS = STAGES.flat();

/** Variables of the runs that are not the default. */
const EXTENTS: Record<string, Record<string, string>> = {
  "--full": { TEST_FULL: "1" },
  "--long": { TEST_LONG: "1" },
};

const all = process.argv.slice(2);
const [extent = ""] = all.filter((argument) => argument in EXTENTS);
const named = LAYERS.filter((layer) => all.includes(layer));
const chosen = named.length > 0 ? named : LAYERS;
const further = all.filter((argument) => !(argument in EXTENTS) && !LAYERS.some((layer) => layer === argument));

/** One program for all that has the types of Workers and Node takes half of the time of three, which say what each may use. */
const PROJECTS = extent === "" ? ["dev/tsconfig.all.json", "client"] : [".", "test", "dev", "client"];

const counts = { passed: 0, failed: 0, skipped: 0 };
let hasPassed = true;
for (const stage of STAGES) {
  if (!hasPassed) break;
  const results = await Promise.all(stage.filter((layer) => chosen.includes(layer)).map(runLayer));
  hasPassed = results.every((result) => result);
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(hasPassed ? 0 : 1);

/** Runs a layer, prints its time, and returns whether it passed. */
async function runLayer(layer: Layer): Promise<boolean> {
  const startedAt = Date.now();
  const result = await (layer === "check" ? checkFiles() : test(layer));
  console.log(`${result ? "ok      " : "FAILED  "}${layer} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  return result;
}

/** Checks format, lint, dead code and types, and runs the tests that only read files. Types are checked beside them. */
async function checkFiles(): Promise<boolean> {
  if (!(await passes("biome", ["ci", "--colors=off", "."]))) return false;
  if (!(await passes("knip", ["--config=dev/knip.ts", "--no-progress", "--treat-config-hints-as-errors"])))
    return false;
  const results = await Promise.all([hasTypes(), test("check")]);
  return results.every((result) => result);
}

async function hasTypes(): Promise<boolean> {
  if (!(await passes("wrangler", [...BINDING_TYPES, "--check"]))) return false;
  for (const project of PROJECTS) if (!(await passes("tsc", typesOf(project), { GOGC: "300" }))) return false;
  return true;
}

/**
 * Returns the arguments that check the types of a project, in one thread: several check the types of the routes, which take
 * most of the time, once each. Files that did not change since the last run are not checked again. GOGC above is for tsc, a Go
 * program, which by default spends a third of its CPU time on collecting garbage.
 */
function typesOf(project: string): string[] {
  const name = project === "." ? "src" : project.replace(/^.*\/|\.json$/g, "");
  const cache = `node_modules/.cache/types/${name}.json`;
  return ["--noEmit", "--singleThreaded", "--incremental", "--tsBuildInfoFile", cache, "-p", project];
}

/** Runs a command, prints its output if it fails, and returns whether it passed. */
async function passes(command: string, args: string[], env: Record<string, string> = {}): Promise<boolean> {
  const { code, output } = await run(command, args, { env });
  if (code !== 0) console.error(`${output.trimEnd()}\nFAILED  ${[command, ...args].join(" ")}`);
  return code === 0;
}

/** Runs the tests of a layer, and checks the statements that those in workerd have prepared. */
async function test(layer: Layer): Promise<boolean> {
  const result = await runTests(layer, further, EXTENTS[extent] ?? {});
  counts.passed += result.passed;
  counts.failed += result.failed;
  counts.skipped += result.skipped;
  return result.hasPassed && (layer !== "workers" || statementsAreRecorded(result));
}

/** Only a run of all files of the layer tells which places no test prepares. */
function statementsAreRecorded({ prepared }: TestRun): boolean {
  return prepared === null || checkStatements(prepared, further.length === 0);
}
