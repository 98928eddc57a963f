import type { CallerCtx } from "../../access/caller.ts";
import { type OpenMailbox, openMailbox, openMailboxWith } from "../../mailboxes/inbox/index.ts";
import type { MainStatement } from "../../platform/context.ts";
import type { OpenPage } from "./layout.tsx";
import { readSent } from "./sent.ts";

/**
 * Opens a mailbox with what its menu shows. `url` is that of a page that a sent message leads back to. Throws 403 and 404 as the
 * inbox API does.
 */
export async function openPage(caller: CallerCtx, mailboxId = "", url: string | null = null): Promise<OpenPage> {
  const page = await pageOf(caller, await openMailbox(caller, mailboxId));
  return url === null ? page : { ...page, sent: readSent(new URL(url), caller.now()) };
}

/** Opens a mailbox as `openPage` does, and returns the rows of further statements that run in the same D1 call. */
export async function openPageWith<Row>(
  caller: CallerCtx,
  mailboxId: string,
  more: (id: string) => MainStatement[],
): Promise<{ page: OpenPage; rows: Row[] }> {
  const { mailbox, rows } = await openMailboxWith<Row>(caller, mailboxId, more);
  return { page: await pageOf(caller, mailbox), rows };
}

/** Returns an open mailbox with what its menu shows. */
export async function pageOf(caller: CallerCtx, mailbox: OpenMailbox): Promise<OpenPage> {
  const { store } = mailbox;
  const [folders, labels, quota] = await Promise.all([store.listFolders(), store.listLabels(), store.quota()]);
  return { caller, mailbox, folders, labels, usedBytes: quota.usedBytes };
}
