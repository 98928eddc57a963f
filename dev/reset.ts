// `npm run reset`: clears the state of the local service. Refuses while it runs.
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { readLayout } from "./layout.ts";
import { lockState } from "./state/lock.ts";

const layout = readLayout(process.env);
const { holder } = await lockState(layout.stateDir, { pid: process.pid, apiPort: 0 });
if (holder) {
  console.error(`The service runs on ${layout.stateDir} (process ${holder.pid}). Stop it first, then reset.`);
  process.exit(1);
}
const names = await readdir(layout.stateDir).catch(() => []);
// Only what a start makes: STATE_DIR may name a folder that holds other things too.
const ours = names.filter((name) => isOurs(path.join(layout.stateDir, name)));
for (const name of ours) await rm(path.join(layout.stateDir, name), { recursive: true, force: true });
console.log(ours.length > 0 ? `Cleared ${layout.stateDir}.` : `Nothing to clear in ${layout.stateDir}.`);

function isOurs(file: string): boolean {
  const { stateDir: _, ports: __, ...files } = layout;
  const made = [...Object.values(files), path.join(layout.stateDir, "registry"), path.join(layout.stateDir, "cache")];
  return made.includes(file) || made.some((each) => file.startsWith(`${each}.`) && file.endsWith(".tmp"));
}
