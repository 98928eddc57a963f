// `npm run dev:clock -- +7d`: moves the clock of the local service, so that its deadlines can be tried. The service runs its
// scheduled work at the new time. `-- reset` returns to the real time; without an argument it prints the time.
import { readArguments } from "./arguments.ts";
import { changedOffset, readOffset, writeOffset } from "./clock/offset.ts";
import { readLayout } from "./layout.ts";
import { findHolder } from "./state/lock.ts";

const { positionals } = readArguments({ usage: "dev:clock -- [+7d | +36h | +90m | reset]", allowPositionals: true });
const layout = readLayout(process.env);
try {
  const [change, ...others] = positionals;
  if (others.length > 0) throw new Error("Give one change of the clock.");
  if (change !== undefined) await writeOffset(layout, changedOffset(await readOffset(layout), change));
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
const offset = await readOffset(layout);
const isRunning = (await findHolder(layout.stateDir)) !== null;
const when = isRunning ? "is" : "will be, once it runs,";
console.log(`The time of the local service ${when} ${new Date(Date.now() + offset).toISOString()}.`);
