import { spawn } from "node:child_process";
import { cp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "vitest";
import { rotateLog } from "../../dev/worker/rotate-log.ts";
import { isFull } from "./support/extent.ts";
import { temporaryFolder } from "./support/suite.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const folder = temporaryFolder();

/** Runs a Node program and returns its exit code and output. */
async function run(args: string[], env: Record<string, string> = {}, cwd = ROOT) {
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, output };
}

describe("dev/setup.mjs", () => {
  it.for(["16.20.2", "17.9.1", "14.0.0"])("names the required version on Node %s", async (version, { expect }) => {
    const fake = `Object.defineProperty(process.versions, "node", { value: "${version}" })`;
    const { code, output } = await run([
      "--import",
      `data:text/javascript,${encodeURIComponent(fake)}`,
      "dev/setup.mjs",
      "dev/openapi.ts",
    ]);
    expect(code).toBe(1);
    expect(output).toBe(`Node 18 or newer is required; this is Node ${version}. See https://nodejs.org\n`);
    const { engines } = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8"));
    expect(engines.node).toBe(">=18");
  });

  it("says without the retries of npm, which take more than a minute, that the npm registry cannot be reached", async ({
    expect,
  }) => {
    const copy = path.join(folder, "no-network");
    await cp(path.join(ROOT, "dev"), path.join(copy, "dev"), { recursive: true });
    for (const file of ["package.json", "package-lock.json"]) await cp(path.join(ROOT, file), path.join(copy, file));
    const env = { npm_config_registry: "http://127.0.0.1:1", npm_config_cache: path.join(folder, "empty-cache") };
    const { code, output } = await run(["dev/setup.mjs", "dev/openapi.ts"], env, copy);
    expect(code).toBe(1);
    expect(output).toContain("The npm registry cannot be reached: http://127.0.0.1:1");
    const logs = path.join(env.npm_config_cache, "_logs");
    const files = (await readdir(logs)).map((file) => readFile(path.join(logs, file), "utf8"));
    expect((await Promise.all(files)).join("")).not.toMatch(/http fetch|attempt/);
    expect(files.length).toBeGreaterThan(0);
    // The install creates the state folder, which `npm start` then fills.
    expect((await stat(path.join(copy, ".dev"))).mode & 0o777).toBe(0o700);
  });
});

describe("npm run openapi", () => {
  const command = ["dev/setup.mjs", "dev/openapi.ts"];

  it("prints the document and nothing else", async ({ expect }) => {
    const { code, output } = await run(command);
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ openapi: "3.1.0", paths: { "/v1/emails/": expect.anything() } });
  });

  it.runIf(isFull)("writes the same document to a file with --out", async ({ expect }) => {
    const file = path.join(folder, "openapi.json");
    expect(await run([...command, "--out", file])).toMatchObject({ code: 0, output: "" });
    expect(await readFile(file, "utf8")).toBe((await run(command)).output);
  });

  it("refuses unknown arguments and files it cannot write", async ({ expect }) => {
    expect(await run([...command, "--format"])).toMatchObject({ code: 1, output: expect.stringContaining("Usage:") });
    expect(await run([...command, "extra"])).toMatchObject({ code: 1, output: expect.stringContaining("Usage:") });
    const missing = path.join(folder, "missing", "openapi.json");
    expect(await run([...command, "--out", missing])).toMatchObject({
      code: 1,
      output: expect.stringContaining("ENOENT"),
    });
  });
});

describe("npm start", () => {
  it("says before it starts the service that the state folder is not writable", async ({ expect }) => {
    // A folder below a file cannot be created by any user, root included.
    const file = path.join(folder, "file");
    await writeFile(file, "");
    const stateDir = path.join(file, "state");
    const { code, output } = await run(["dev/setup.mjs", "dev/start.ts"], { STATE_DIR: stateDir });
    expect(code).toBe(1);
    expect(output).toBe(`${stateDir} is not writable (ENOTDIR).\n`);
  });

  it("keeps the worker logs of the last three starts", async ({ expect }) => {
    const log = path.join(folder, "worker.log");
    await rotateLog(log);
    for (const start of [1, 2, 3, 4, 5]) {
      await writeFile(log, `start ${start}`);
      await rotateLog(log);
    }
    const names = (await readdir(folder)).filter((name) => name.startsWith("worker.log")).sort();
    expect(names).toEqual(["worker.log.1", "worker.log.2", "worker.log.3"]);
    const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
    expect(texts).toEqual(["start 5", "start 4", "start 3"]);
  });
});
