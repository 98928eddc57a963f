import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "./deployment.ts";

const POLL_MS = 250;

interface Reply {
  /** Of an import that continues in the background. */
  id?: string;
  status?: string;
  imported: number;
  errors: string[];
}

/**
 * Imports an archive into the mailbox of a deployment, and waits until an import in the background has ended; its queue then runs.
 * Returns the number of messages. Throws when there is none.
 */
export async function importArchive(
  of: Deployment,
  archive: Buffer | string,
  { format = "mbox", folder = "INBOX" } = {},
): Promise<number> {
  await of.control("resume-queue");
  const path = `/v1/inbox/${of.seed.mailboxId}`;
  const response = await fetch(`${of.host.url}${path}/import?folder=${folder}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${of.seed.apiKey}`, "Content-Type": `application/${format}` },
    body: archive as BodyInit,
  });
  if (!response.ok) throw new Error(`the import was refused: ${response.status} ${await response.text()}`);
  let result = (await response.json()) as Reply;
  while (result.id !== undefined && (result.status ?? "running") === "running") {
    await sleep(POLL_MS);
    result = (await (await of.call("GET", `${path}/imports/${result.id}`)).json()) as Reply;
  }
  if (result.imported === 0) throw new Error(result.errors[0] ?? "nothing was imported");
  return result.imported;
}
