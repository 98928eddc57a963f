import type { CallerCtx } from "../../access/caller.ts";
import { openMailbox } from "../../mailboxes/inbox/index.ts";
import type { OpenPage } from "./layout.tsx";

/** Opens a mailbox with what its menu shows. Throws 403 and 404 as the inbox API does. */
export async function openPage(caller: CallerCtx, mailboxId = ""): Promise<OpenPage> {
  const mailbox = await openMailbox(caller, mailboxId);
  const { store } = mailbox;
  const [folders, labels, quota] = await Promise.all([store.listFolders(), store.listLabels(), store.quota()]);
  return { caller, mailbox, folders, labels, usedBytes: quota.usedBytes };
}
