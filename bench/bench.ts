// `npm run bench`: the budgets as a table. Counts are exact; times are ratios within this run, on this machine.
import { ScriptedServer } from "../test/support/scripted-smtp.ts";
import { accept } from "./accept.ts";
import { Service } from "./deployment.ts";
import { drain } from "./drain.ts";
import { ledger } from "./ledger.ts";
import { toTable } from "./table.ts";

const sink = new ScriptedServer({ countOnly: true }, { key: "", cert: "" });
const port = await sink.listen();
const service = await Service.start(`smtp://127.0.0.1:${port}/?tls=off`);
try {
  const rows = [...(await ledger(service)), ...(await accept(service)), ...(await drain(service, sink, port))];
  console.log(toTable(rows));
} finally {
  await service.stop();
  sink.close();
}
