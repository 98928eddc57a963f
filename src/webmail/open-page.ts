import type { CallerCtx } from "../context.ts";
import { openMailbox } from "../inbox/index.ts";
import type { OpenPage } from "./layout.tsx";

/** Opens a mailbox with its folders. Throws 403 and 404 as the inbox API does. */
export async function openPage(caller: CallerCtx, mailboxId = ""): Promise<OpenPage> {
  const mailbox = await openMailbox(caller, mailboxId);
  return { caller, mailbox, folders: await mailbox.store.listFolders() };
}
