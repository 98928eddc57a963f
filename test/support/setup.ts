import "../../dev/d1-limits.ts";
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { emptyDatabases, findLargeRows } from "./empty-databases.ts";
import { reportLog } from "./file-log.ts";
import { closeQueues, openQueues } from "./queues.ts";
import { reuseRsaKeys } from "./rsa-keys.ts";
import { reportStatements } from "./statement-recorder.ts";

const variables = () => JSON.stringify(Object.entries(env).filter(([, value]) => typeof value === "string"));
const variablesBefore = variables();
// The next files of the isolate would have what this one sets; `apiOn` calls with variables of its own.
afterAll(() => expect(variables(), "variables that this file has changed").toBe(variablesBefore));
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
