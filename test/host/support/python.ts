/** Runs one Python process for many messages. */
import { spawn, spawnSync } from "node:child_process";
import path from "node:path";

/** Returns why Python or `module` is not available, or null. With REQUIRE_TOOLS=1 it throws instead. */
export function pythonUnavailable(module = "email"): string | null {
  const found = spawnSync("python3", ["-c", `import ${module}`]);
  if (found.status === 0) return null;
  const reason = found.error ? "python3 is not installed" : `python3 cannot import ${module}`;
  if (process.env.REQUIRE_TOOLS === "1") throw new Error(`REQUIRE_TOOLS: ${reason}`);
  console.warn(`SKIPPED, ${reason}: this check did not run`);
  return reason;
}

/** Passes blocks to a script of this folder and returns the JSON line that it prints for each. */
export async function runPython(script: string, blocks: readonly Uint8Array[], responses: number): Promise<unknown[]> {
  const child = spawn("python3", [path.join(import.meta.dirname, script)], { stdio: ["pipe", "pipe", "inherit"] });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  const done = new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`${script} ended with ${code}`))));
  });
  for (const block of blocks) {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(block.length);
    child.stdin.write(size);
    child.stdin.write(block);
  }
  child.stdin.end();
  await done;
  const lines = Buffer.concat(output).toString().trimEnd().split("\n");
  if (lines.length !== responses) throw new Error(`${script} responded with ${lines.length} of ${responses}`);
  return lines.map((line: string) => JSON.parse(line) as unknown);
}
