import { randomBytes } from "node:crypto";
import { WORKER } from "../../../bench/host/bundle.ts";
import { type Host, startHost } from "../../../bench/host/in-process.ts";

/** Starts the Worker in this process with a new master key and these variables. */
export function startWorkerHost(variables: Record<string, string> = {}): Promise<Host> {
  return startHost(WORKER, { MASTER_KEYS: `1:${randomBytes(32).toString("base64")}`, ...variables });
}
