import { emptyDatabases } from "./empty-databases.ts";
import { reportStatements } from "./statement-recorder.ts";

reportStatements();
await emptyDatabases();
