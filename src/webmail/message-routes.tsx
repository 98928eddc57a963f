import type { Context } from "hono";
import { Hono } from "hono";
import { notFound } from "../errors.ts";
import { download } from "../http/download.ts";
import type { AppEnv } from "../http/env.ts";
import { readForm } from "../http/fields.ts";
import { webmailFor } from "../http/mailbox-page-session.ts";
import { respondMailHtml, respondPage } from "../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../http/page-form.ts";
import {
  BatchIn,
  changeMessages,
  getMessage,
  openAttachment,
  openMailbox,
  openObject,
  readContent,
} from "../inbox/index.ts";
import type { StoredMessage } from "../mailbox-store/index.ts";
import { ListPage } from "./list-page.tsx";
import { MessagePage } from "./message-page.tsx";
import { openPage } from "./open-page.ts";
import { folderPath, messagePath } from "./paths.ts";

const PAGE_SIZE = 50;

const notices: Readonly<Record<string, string>> = {
  changed: "Done.",
  sent: "The message is on its way.",
};

const message = (c: Context<AppEnv>) =>
  openMailbox(c.get("caller"), c.req.param("mailbox_id") ?? "").then((mailbox) =>
    getMessage(mailbox, c.req.param("folder") ?? "", c.req.param("uid") ?? ""),
  );

/** The pages of the messages of a mailbox: a folder, a message, and its files. */
export const messagePages = new Hono<AppEnv>()
  .get("/mail/:mailbox_id/:folder", ...webmailFor("GET /v1/inbox/:mailbox_id/messages"), (c) => showFolder(c))
  .post("/mail/:mailbox_id/:folder", ...webmailFor("POST /v1/inbox/:mailbox_id/messages/batch"), async (c) => {
    const folder = c.req.param("folder");
    const form = await readForm(c);
    return submitForm(
      c,
      async () => {
        const input = parseFields(BatchIn, { folder, ...readAction(form) });
        const mailbox = await openMailbox(c.get("caller"), c.req.param("mailbox_id"));
        await changeMessages(c.get("caller"), mailbox, input);
        return folderPath(mailbox.id, folder, { done: "changed" });
      },
      (refusal) => showFolder(c, refusal),
    );
  })
  .get("/mail/:mailbox_id/:folder/:uid", ...webmailFor("GET /v1/inbox/:mailbox_id/messages/:uid"), async (c) => {
    const page = await openPage(c.get("caller"), c.req.param("mailbox_id"));
    const stored = await getMessage(page.mailbox, c.req.param("folder"), c.req.param("uid"));
    const withImages = c.req.query("images") === "1";
    const { store } = page.mailbox;
    const [content, thread, folders] = await Promise.all([
      readContent(page.caller, stored, withImages),
      store.thread(stored.threadId),
      // A person who opens a message has read it; the API leaves that to the client.
      stored.seen
        ? page.folders
        : store.setFlags(stored.folder, [stored.uid], { seen: true }).then(() => store.listFolders()),
    ]);
    const shown = (
      <MessagePage
        page={{ ...page, folders }}
        message={stored}
        content={content}
        thread={thread}
        withImages={withImages}
      />
    );
    return respondPage(c, shown, { frames: true });
  })
  .get("/mail/:mailbox_id/:folder/:uid/body", ...webmailFor("GET /v1/inbox/:mailbox_id/messages/:uid"), async (c) => {
    const stored = await message(c);
    const foreignImages = c.req.query("images") === "1";
    const { html } = await readContent(c.get("caller"), stored, foreignImages);
    if (html === null) throw notFound("Message");
    return respondMailHtml(c, showOwnImages(html, c.req.param("mailbox_id"), stored), {
      ownImages: true,
      foreignImages,
    });
  })
  .get(
    "/mail/:mailbox_id/:folder/:uid/raw",
    ...webmailFor("GET /v1/inbox/:mailbox_id/messages/:uid/raw"),
    async (c) => {
      const stored = await message(c);
      const { body } = await openObject(c.get("caller"), stored.object);
      return c.body(body, 200, download(`message-${stored.uid}.eml`, "message/rfc822"));
    },
  )
  .get(
    "/mail/:mailbox_id/:folder/:uid/parts/:part_id",
    ...webmailFor("GET /v1/inbox/:mailbox_id/attachments/:uid/:part_id"),
    async (c) => {
      const file = await openAttachment(c.get("caller"), await message(c), c.req.param("part_id"));
      return c.body(file.body, 200, download(file.filename, file.contentType));
    },
  );

/** Returns the action of a submitted list: `move:<folder>` names the folder to move to. */
function readAction(form: URLSearchParams) {
  const [action = "", ...folder] = (form.get("action") ?? "").split(":");
  const uids = form.getAll("uid").map(Number);
  return { uids, action, ...(folder.length > 0 ? { to_folder: folder.join(":") } : {}) };
}

/** Replaces the Content-IDs of images (RFC 2392) by the paths of the parts. `html` is sanitised. */
function showOwnImages(html: string, mailboxId: string, { parts, ...place }: StoredMessage): string {
  const ids = new Map(parts.flatMap(({ contentId, partId }) => (contentId === null ? [] : [[contentId, partId]])));
  return html.replace(/ src="cid:([^"]*)"/gi, (all, id: string) => {
    const partId = ids.get(id) ?? ids.get(`<${id}>`);
    return partId === undefined ? all : ` src="${messagePath(mailboxId, place)}/parts/${partId}"`;
  });
}

async function showFolder(c: Context<AppEnv>, refusal?: Refusal) {
  const page = await openPage(c.get("caller"), c.req.param("mailbox_id"));
  const folder = c.req.param("folder") ?? "";
  const query = (c.req.query("q") ?? "").slice(0, 1000);
  const offset = toNumber(c.req.query("offset")) ?? 0;
  const before = toNumber(c.req.query("before"));
  const { store } = page.mailbox;
  const range = { limit: PAGE_SIZE, offset };
  const found =
    query === "" ? await store.list(folder, { ...range, before }) : await store.search(query, folder, range);
  if (!found) throw notFound("Folder");
  const last = found.items.length === PAGE_SIZE ? found.items.at(-1) : undefined;
  const rest: Record<string, string> =
    query === "" ? { before: String(last?.uid) } : { q: query, offset: String(offset + PAGE_SIZE) };
  const shown = (
    <ListPage
      {...{ page, folder, query, items: found.items, total: found.total }}
      next={last ? folderPath(page.mailbox.id, folder, rest) : null}
      notice={refusal ? undefined : notices[c.req.query("done") ?? ""]}
      error={refusal && (refusal.faults.has("uids") ? "Select at least one message." : refusal.message)}
    />
  );
  return respondPage(c, shown, { status: refusal?.status ?? 200 });
}

const toNumber = (text: string | undefined) =>
  text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
