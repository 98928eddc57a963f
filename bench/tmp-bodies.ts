import { ScriptedServer } from "../test/support/scripted-smtp.ts";
import { measureBodies } from "./bodies.ts";
import { toTable } from "./table.ts";

const sink = new ScriptedServer({ countOnly: true }, { key: "", cert: "" });
const port = await sink.listen();
try {
  console.log(toTable(await measureBodies(`smtp://127.0.0.1:${port}/?tls=off`)));
} finally {
  sink.close();
}
