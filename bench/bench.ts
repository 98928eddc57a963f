// `npm run bench`: the budgets as a table. Counts are exact; times are ratios within this run, on this machine.
import { ScriptedServer } from "../test/support/scripted-smtp.ts";
import { accept } from "./accept.ts";
import { batch } from "./batch.ts";
import { composing } from "./compose.ts";
import { countedCosts } from "./cost.ts";
import { Deployment } from "./deployment.ts";
import { drain } from "./drain.ts";
import { hits } from "./hits.ts";
import { large } from "./large.ts";
import { lists } from "./lists.ts";
import { toTable } from "./table.ts";

const sink = new ScriptedServer({ countOnly: true }, { key: "", cert: "" });
const port = await sink.listen();
const egressUrl = `smtp://127.0.0.1:${port}/?tls=off`;
const deployment = await Deployment.start(egressUrl);
try {
  const rows = [
    ...(await countedCosts(deployment)),
    ...(await accept(deployment)),
    ...(await batch(deployment)),
    ...(await hits(deployment)),
    ...(await composing(deployment, egressUrl)),
    ...(await drain(deployment, sink, port)),
    ...(await large(egressUrl)),
    ...(await lists(egressUrl)),
  ];
  console.log(toTable(rows));
} finally {
  await deployment.stop();
  sink.close();
}
