// `npm test`: everything that must pass. `--long` runs the stated counts; what else is given goes to vitest.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { run } from "./run.ts";

interface Step {
  name: string;
  commands: [string, string[]][];
}

const STEPS: Step[] = [
  { name: "format and lint", commands: [["biome", ["ci", "--colors=off", "."]]] },
  {
    name: "types",
    commands: [
      ["wrangler", ["types", "--include-runtime=false", "--check"]],
      ...[".", "test", "dev"].map((project): [string, string[]] => ["tsc", ["--noEmit", "-p", project]]),
    ],
  },
];

const long = process.argv.includes("--long");
const vitestArguments = process.argv.slice(2).filter((argument) => argument !== "--long");

for (const step of STEPS) await check(step);
await test();

async function check({ name, commands }: Step) {
  const began = Date.now();
  const results = await Promise.all(commands.map(([command, args]) => run(command, args)));
  const failed = results.findIndex((result) => result.code !== 0);
  if (failed < 0) return console.log(`ok      ${name} (${since(began)})`);
  console.error(results[failed]?.output.trimEnd());
  console.error(`FAILED  ${name}: ${commands[failed]?.flat().join(" ")} (${since(began)})`);
  process.exit(1);
}

/** The counts come from vitest's own report: a run that broke off before it wrote one has failed. */
async function test() {
  const began = Date.now();
  const directory = await mkdtemp(path.join(os.tmpdir(), "email-delivery-tests-"));
  const report = path.join(directory, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { code } = await run("vitest", ["run", ...reporters, ...vitestArguments], {
    show: true,
    env: { CI: "1", ...(long ? { TEST_LONG: "1" } : {}) },
  });
  const counts = await readFile(report, "utf8").then(
    (text) => JSON.parse(text) as { numPassedTests: number; numFailedTests: number },
    () => null,
  );
  await rm(directory, { recursive: true, force: true });
  console.log(`${code === 0 ? "ok      " : "FAILED  "}${long ? "tests, long" : "tests"} (${since(began)})`);
  console.log(
    counts ? `${counts.numPassedTests} passed, ${counts.numFailedTests} failed` : "The tests did not finish.",
  );
  process.exit(code === 0 && counts ? 0 : 1);
}

function since(began: number): string {
  return `${((Date.now() - began) / 1000).toFixed(1)} s`;
}
