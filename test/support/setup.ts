import { env } from "cloudflare:workers";
import { migrated } from "./migrated-databases.ts";

await migrated;
// Rows that wait since an earlier file of this isolate would be taken along by the claims of this one.
await Promise.all([env.DB, env.MAIL_0, env.MAIL_1].map((db) => db.exec("DELETE FROM outbox")));
