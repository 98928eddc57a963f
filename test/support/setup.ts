import { emptyDatabases } from "./empty-databases.ts";

await emptyDatabases();
