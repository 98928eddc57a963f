import { migrated } from "./migrated-databases.ts";

await migrated;
