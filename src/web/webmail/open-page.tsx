import type { CallerCtx } from "../../access/caller.ts";
import type { AppContext } from "../../http/env.ts";
import { type OpenMailbox, openMailbox, openMailboxWith } from "../../mailboxes/inbox/index.ts";
import type { MainStatement } from "../../platform/context.ts";
import type { OpenPage } from "./layout.tsx";
import { readSent } from "./sent.ts";

/** Opens the mailbox of the path with what its menu shows. `url`: of a page that a sent message leads back to. Throws 403, 404. */
export async function openPage(c: AppContext, url: string | null = null): Promise<OpenPage> {
  const caller = c.get("caller");
  const open = () => openMailbox(c.get("caller"), c.req.param("mailbox_id") ?? "");
  const page = await pageOf(caller, await open());
  const confirm = c.get("confirmCaller");
  // After a slow form the mailbox is opened again (`setCaller`).
  c.set("confirmCaller", async () => {
    await confirm?.();
    await open();
  });
  return url === null ? page : { ...page, sent: readSent(new URL(url), caller.now()) };
}

/** Opens a mailbox as `openPage` does, and returns the rows of a further statement that runs in the same D1 call. */
export async function openPageWith<Row>(
  c: AppContext,
  statement: (caller: CallerCtx, mailboxId: string) => MainStatement,
): Promise<{ page: OpenPage; rows: Row[] }> {
  const caller = c.get("caller");
  const id = c.req.param("mailbox_id") ?? "";
  const { mailbox, rows } = await openMailboxWith<Row>(caller, id, (opened) => [statement(caller, opened)]);
  return { page: await pageOf(caller, mailbox), rows };
}

/** Returns an open mailbox with what its menu shows. */
export async function pageOf(caller: CallerCtx, mailbox: OpenMailbox): Promise<OpenPage> {
  const { store } = mailbox;
  const [folders, labels, quota] = await Promise.all([store.listFolders(), store.listLabels(), store.quota()]);
  return { caller, mailbox, folders, labels, usedBytes: quota.usedBytes };
}
