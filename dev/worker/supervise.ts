// Runs one command in a process group of its own and ends the whole group when its parent is gone. The
// parent holds the other end of our standard input: when it dies, however it dies, that pipe closes.
import { spawn } from "node:child_process";

const GRACE_MS = 5_000;

const [command, ...args] = process.argv.slice(2);
if (!command) throw new Error("supervise: no command");
const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });

child.on("error", endGroup);
child.on("exit", endGroup);
process.stdin.on("end", endGroup).on("error", endGroup).resume();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    child.kill("SIGTERM");
    setTimeout(endGroup, GRACE_MS);
  });
}

/** The negative pid names the group: what the command started, and at last this process. */
function endGroup() {
  process.kill(-process.pid, "SIGKILL");
}
