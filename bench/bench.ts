// `npm run bench`: prints the measured values and their budgets as a table. Counts are exact; times depend on the machine.
import { ScriptedServer } from "../test/support/scripted-smtp.ts";
import { measureAccept } from "./accept.ts";
import { measureBatch } from "./batch.ts";
import { measureBodies } from "./bodies.ts";
import { measureComposing } from "./compose.ts";
import { measureCosts } from "./cost.ts";
import { Deployment } from "./deployment.ts";
import { measureDrain } from "./drain.ts";
import { measureHits } from "./hits.ts";
import { measureLargeMail } from "./large.ts";
import { measureLists } from "./lists.ts";
import { toTable } from "./table.ts";
import { measureWorstEmails } from "./worst-email.ts";

const sink = new ScriptedServer({ countOnly: true }, { key: "", cert: "" });
const port = await sink.listen();
const egressUrl = `smtp://127.0.0.1:${port}/?tls=off`;
const deployment = await Deployment.start(egressUrl);
try {
  const rows = [
    ...(await measureCosts(deployment)),
    ...(await measureAccept(deployment)),
    ...(await measureBatch(deployment)),
    ...(await measureHits(deployment)),
    ...(await measureComposing(deployment, egressUrl)),
    ...(await measureWorstEmails(egressUrl, ["links", "long targets", "bodies", "line ends"])),
    ...(await measureDrain(deployment, sink, port)),
    ...(await measureLargeMail(egressUrl)),
    ...(await measureBodies(egressUrl)),
    ...(await measureLists(egressUrl)),
  ];
  console.log(toTable(rows));
} finally {
  await deployment.stop();
  sink.close();
}
