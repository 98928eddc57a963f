// `npm run reset`: deletes the state of the local service. Refuses while the service runs.
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { readArguments } from "./arguments.ts";
import { readLayout } from "./layout.ts";
import { lockState } from "./state/lock.ts";

readArguments({ usage: "reset" });
const layout = readLayout(process.env);
const { holder } = await lockState(layout.stateDir, { pid: process.pid, apiPort: 0 });
if (holder) {
  console.error(`The service is running on ${layout.stateDir} (process ${holder.pid}). Stop it before you reset.`);
  process.exit(1);
}
const names = await readdir(layout.stateDir).catch(() => []);
// STATE_DIR may name a folder that holds other files too, so only files that `npm start` creates are deleted.
const created = names.filter((name) => isCreatedByStart(path.join(layout.stateDir, name)));
for (const name of created) await rm(path.join(layout.stateDir, name), { recursive: true, force: true });
console.log(
  created.length > 0 ? `Deleted the state in ${layout.stateDir}.` : `There is no state in ${layout.stateDir}.`,
);

function isCreatedByStart(file: string): boolean {
  const { stateDir: _, ports: __, ...files } = layout;
  const paths = [...Object.values(files), path.join(layout.stateDir, "registry"), path.join(layout.stateDir, "cache")];
  const isOldLog = /^\.\d$/.test(file.slice(layout.workerLog.length)) && file.startsWith(layout.workerLog);
  return isOldLog || paths.includes(file) || paths.some((each) => file.startsWith(`${each}.`) && file.endsWith(".tmp"));
}
