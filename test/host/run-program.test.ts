/** The process of the gateway and of the egress. */
import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { ROOT } from "./support/hosts/bundle.ts";

const PROGRAM = `
  import http from "node:http";
  import { runProgram } from ${JSON.stringify(path.join(ROOT, "mail-gateway/run-program.ts"))};
  await runProgram(async () => {
    const server = http.createServer(async () => { throw new Error("in an async listener"); });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = "http://127.0.0.1:" + server.address().port;
    setTimeout(() => { throw new Error("in a timer"); });
    setTimeout(() => void Promise.reject(new Error("in a promise")));
    setTimeout(async () => {
      const { status } = await fetch(url);
      console.log(JSON.stringify({ event: "response", status }));
      process.kill(process.pid, "SIGTERM");
    });
    return { program: { close: async () => {} }, fields: {} };
  });`;

/** Logs once its log and its input are closed, and exits with 1 at an error that nothing catches. */
const UNREAD = `
  import { log } from ${JSON.stringify(path.join(ROOT, "mail-gateway/log.ts"))};
  import { runProgram } from ${JSON.stringify(path.join(ROOT, "mail-gateway/run-program.ts"))};
  await runProgram(async () => ({ program: { close: async () => {} }, fields: {} }));
  process.on("uncaughtException", () => process.exit(1));
  for await (const _ of process.stdin);
  for (let turn = 0; turn < 10; turn += 1) {
    log("line");
    await new Promise((resolve) => setImmediate(resolve));
  }
  process.exit(0);`;

it("a program whose log has no reader any more goes on, and does not log without end that a line of the log failed", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", UNREAD], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.stdout.destroy();
  child.stdin.end();
  expect(await exited).toBe(0);
});

it("a program that has started logs what nothing catches, fails the request that met it, and serves on until SIGTERM", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const lines = [];
  for await (const line of createInterface(child.stdout)) lines.push(JSON.parse(line));
  expect(await exited).toBe(0);
  expect(lines).toContainEqual({ event: "response", status: 500 });
  for (const [origin, text] of [
    ["uncaughtException", "in a timer"],
    ["unhandledRejection", "in a promise"],
  ] as const)
    expect(lines).toContainEqual(expect.objectContaining({ origin, error: expect.stringContaining(text) }));
});
