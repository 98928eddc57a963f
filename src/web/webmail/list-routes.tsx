import { type AppContext, newRoutes } from "../../http/env.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { attempt, parseFields, readForm } from "../../http/page-routes.ts";
import { notFound } from "../../lib/errors.ts";
import { readPlace, SelectionIn, shownIn, threadLists, writePlace } from "../../mailboxes/inbox/index.ts";
import type { ListPlace } from "../../mailboxes/mailbox-store/index.ts";
import { applyBulkAction, isPermanentDelete, readBulkActionForm, readDone, undoBulkAction } from "./bulk-actions.ts";
import type { OpenPage } from "./layout.tsx";
import { ListPage } from "./list-page.tsx";
import { hasConversations, type ListView } from "./list-view.ts";
import { openPage } from "./open-page.tsx";
import { folderPath, labelPath, messagePath } from "./paths.ts";
import { PermanentDeletePage } from "./permanent-delete-page.tsx";

const PAGE_SIZE = 50;

/** Actions after which the page of a conversation is shown again. */
const STAYING = ["flag", "unflag", "label", "unlabel", "undo"];

/** The pages that list messages, of a folder or with a label, and change those that are selected. */
export const listPages = newRoutes()
  .get("/mail/labels/:mailbox_id/:label_id", ...webmailFor("GET /v1/inbox/:mailbox_id/messages"), showList)
  .post("/mail/labels/:mailbox_id/:label_id", ...webmailFor("POST /v1/inbox/:mailbox_id/messages/batch"), (c) =>
    changeList(c),
  )
  .get("/mail/:mailbox_id/:folder", ...webmailFor("GET /v1/inbox/:mailbox_id/messages"), showList)
  .post("/mail/:mailbox_id/:folder", ...webmailFor("POST /v1/inbox/:mailbox_id/messages/batch"), (c) => changeList(c));

/** Returns which messages a request is about. Throws 404 for an unknown label. */
function readView(c: AppContext, { labels }: OpenPage): ListView {
  const query = (c.req.query("q") ?? "").slice(0, 1000);
  const labelId = c.req.param("label_id");
  if (labelId === undefined)
    return {
      folder: c.req.param("folder") ?? "",
      label: null,
      query,
      everywhere: c.req.query("all") === "1",
      list: threadLists.find((list) => list === c.req.query("list")),
    };
  const label = labels.find(({ id }) => id === labelId.toLowerCase());
  if (!label) throw notFound("Label");
  return { folder: "INBOX", label, query: "", everywhere: true };
}

function pathOf(
  { mailbox }: OpenPage,
  { folder, label, query, everywhere, list }: ListView,
  more: Record<string, string | undefined>,
) {
  if (label !== null) return labelPath(mailbox.id, label.id, more);
  return folderPath(mailbox.id, folder, { q: query, all: everywhere ? "1" : "", list, ...more });
}

async function changeList(c: AppContext) {
  const page = await openPage(c);
  const view = readView(c, page);
  const fields = await readForm(c);
  const bulkAction = readBulkActionForm(fields, view.folder);
  const { before = "", offset = "" } = c.req.query();
  const back = (more: Record<string, string>) => pathOf(page, view, { before, offset, ...more });
  const at = toNumber(fields.get("at") ?? undefined);
  const run = async () => {
    const { action, folder } = bulkAction;
    if (isPermanentDelete(bulkAction) && fields.get("confirmed") !== "yes")
      return respondPage(c, <PermanentDeletePage page={page} form={bulkAction} back={back({})} />);
    const done =
      action === "undo"
        ? await undoBulkAction(page, fields.get("undo") ?? "", parse)
        : await applyBulkAction(page, bulkAction, parse);
    if (at === undefined || !STAYING.includes(action)) return back(done);
    return messagePath(page.mailbox.id, { folder, uid: at }, done);
  };
  return attempt(c, showList, run);
}

const parse = (fields: unknown) => parseFields(SelectionIn, fields);

async function showList(c: AppContext) {
  const refusal = c.get("refusal");
  if (refusal?.errors.has("uids")) c.set("refusal", { ...refusal, message: "Select at least one message." });
  const page = await openPage(c, c.req.url);
  const view = readView(c, page);
  const offset = toNumber(c.req.query("offset")) ?? 0;
  const found = await readRows(page, view, offset, readPlace(c.req.query("before")));
  if (!found) throw notFound("Folder");
  const shown = (
    <ListPage
      page={page}
      view={view}
      items={found.items}
      total={found.total}
      upTo={found.upTo}
      done={refusal ? undefined : await readDone(page, c.req.query())}
    />
  );
  return respondPage(c, shown, { next: found.next && pathOf(page, view, found.next) });
}

/** Reads a page of a list with one call of the mailbox. `upTo`: the greatest UID, for conversations. Null: no such folder. */
async function readRows({ caller, mailbox }: OpenPage, view: ListView, offset: number, before: ListPlace | undefined) {
  const { folder, label, query, everywhere, list } = view;
  const { store } = mailbox;
  if (hasConversations(view)) {
    const show = list && shownIn(caller, mailbox, list);
    const found = await store.listConversations(folder, { limit: PAGE_SIZE, before, show });
    return found && { ...found, next: found.next === null ? null : { before: writePlace(found.next) } };
  }
  const range = { limit: PAGE_SIZE, offset };
  const found = await (label === null
    ? query === ""
      ? store.list(folder, range)
      : store.search(query, everywhere ? "*" : folder, range)
    : store.listLabelled(label.id, range));
  const isFull = found?.items.length === PAGE_SIZE;
  return found && { ...found, upTo: null, next: isFull ? { offset: String(offset + PAGE_SIZE) } : null };
}

const toNumber = (text: string | undefined) =>
  text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
