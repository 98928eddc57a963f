import "../../dev/d1-limits.ts";
import { afterAll, expect } from "vitest";
import { emptyDatabases, findLargeRows } from "./empty-databases.ts";
import { reportLog } from "./file-log.ts";
import { closeQueues, openQueues } from "./queues.ts";
import { reuseRsaKeys } from "./rsa-keys.ts";
import { reportStatements } from "./statement-recorder.ts";

reuseRsaKeys();
reportLog();
reportStatements();
afterAll(async () => expect(await findLargeRows(), "rows above 2,000,000 bytes").toEqual([]));
await emptyDatabases();
openQueues();
afterAll(closeQueues, 120_000);
// As each event of the Worker does first. The source needs the recorder when it is loaded.
const { loadKeyAgain } = await import("./erased-key.ts");
await loadKeyAgain();
