// `npm run bench` prints the measured values and their budgets as a table; `npm run bench -- latency rates` measures these
// parts only. docs/performance.md says how to read each row.
import { readArguments } from "../dev/arguments.ts";
import { Deployment } from "./deployment.ts";
import { defaultParts, parts } from "./parts.ts";
import { Sink } from "./sink.ts";
import { type Row, toTable } from "./table.ts";

const usage = `bench [-- ${Object.keys(parts).join("|")} ...]`;
const { positionals } = readArguments({ usage, allowPositionals: true });
const selected = positionals.length > 0 ? positionals : defaultParts;
const unknown = selected.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`Unknown part: ${unknown.join(", ")}. The parts are: ${Object.keys(parts).join(", ")}`);
  process.exit(1);
}
const sink = await Sink.start();
const first = await Deployment.start(sink.url);
const rows: Row[] = [];
try {
  for (const [index, name] of selected.entries()) {
    const startedAt = performance.now();
    const deployment = await first.withFreshWorkspace(index + 1);
    rows.push(...((await parts[name]?.({ deployment, sink })) ?? []));
    console.error(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  }
} finally {
  console.log(toTable(rows));
  await first.stop();
  sink.stop();
}
