import { emptyDatabases } from "./empty-databases.ts";
import { reportStatements } from "./statement-recorder.ts";

reportStatements();
await emptyDatabases();
// As each event of the Worker does first. The source needs the recorder when it is loaded.
const { loadKeyAgain } = await import("./erased-key.ts");
await loadKeyAgain();
