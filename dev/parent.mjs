// Notices when npm, which started us, is killed. npm passes signals on, but a kill -9 it cannot.
import { readFileSync } from "node:fs";

/** Calls `gone` once when the `npm` above us has gone away. Does nothing when no npm started us. */
export function followParent(everyMs, gone) {
  if (!process.env.npm_lifecycle_event) return;
  const line = ancestors();
  if (line.length === 0) return;
  const timer = setInterval(() => {
    if (process.ppid === line[0] && line.every(isAlive)) return;
    clearInterval(timer);
    gone();
  }, everyMs);
  timer.unref();
}

/** Our parent, and its parent too when it is the shell that npm puts in between. */
function ancestors() {
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
