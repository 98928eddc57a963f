// Detects that the parent npm was killed with SIGKILL, which npm cannot forward.
import { readFileSync } from "node:fs";

/** Calls `onExit` once when the parent npm has exited. Does nothing when npm did not start this process. */
export function watchParent(everyMs, onExit) {
  if (!process.env.npm_lifecycle_event) return;
  const parents = parentProcesses();
  if (parents.length === 0) return;
  const timer = setInterval(() => {
    if (process.ppid === parents[0] && parents.every(isAlive)) return;
    clearInterval(timer);
    onExit();
  }, everyMs);
  timer.unref();
}

/** Returns the pid of the parent, and of npm when the parent is the shell that npm starts scripts with. */
function parentProcesses() {
  const parent = process.ppid;
  if (parent <= 1) return [];
  const { name, ppid } = stat(parent);
  return /^(ba|da|a|z|k)?sh$/.test(name) && ppid > 1 ? [parent, ppid] : [parent];
}

function stat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    const ppid = Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
    return { name, ppid };
  } catch {
    return { name: "", ppid: 0 };
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
