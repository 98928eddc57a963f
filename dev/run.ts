import { spawn } from "node:child_process";
import { ROOT } from "./layout.ts";

interface Result {
  code: number;
  /** Standard output and standard error, interleaved. */
  output: string;
}

/** Runs a tool in the project's root and waits for it. setup.mjs puts node_modules/.bin first in PATH. */
export function run(command: string, args: string[], options: { env?: Record<string, string>; show?: boolean } = {}) {
  return new Promise<Result>((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio: ["ignore", options.show ? "inherit" : "pipe", options.show ? "inherit" : "pipe"],
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", ...options.env },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.on("error", (error) => resolve({ code: 1, output: error.message }));
    const kill = () => child.kill();
    process.once("exit", kill);
    child.on("close", (code) => {
      process.off("exit", kill);
      resolve({ code: code ?? 1, output });
    });
  });
}
