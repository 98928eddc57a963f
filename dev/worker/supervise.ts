// Runs one command in its own process group and kills the group when the parent exits. The parent holds the other end
// of standard input, and the kernel closes that pipe when the parent exits for any reason.
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

/** Kills the process group (negative pid), which includes this process. */
function endGroup() {
  process.kill(-process.pid, "SIGKILL");
}
