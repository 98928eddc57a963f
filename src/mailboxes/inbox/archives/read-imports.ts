import { requireFound } from "../../../lib/errors.ts";
import type { StoredImport } from "../../mailbox-store/index.ts";
import type { OpenMailbox } from "../open.ts";

/** Returns the newest imports that run or ran in the background, newest first: at most 20 of the last 30 days. */
export function listImports({ store }: OpenMailbox): Promise<StoredImport[]> {
  return store.listImports();
}

/** Returns an import. Throws 404 for an unknown one. */
export async function getImport({ store }: OpenMailbox, id: string): Promise<StoredImport> {
  return requireFound(await store.findImport(id), "Import");
}
