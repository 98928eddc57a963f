import type { Context } from "hono";
import { Hono } from "hono";
import { download } from "../../http/download.ts";
import type { AppEnv } from "../../http/env.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondMailHtml, respondPage } from "../../http/page.tsx";
import { notFound } from "../../lib/errors.ts";
import { getMessage, openAttachment, openMailbox, openObject, readContent } from "../../mailboxes/inbox/index.ts";
import type { StoredMessage } from "../../mailboxes/mailbox-store/index.ts";
import { MessagePage } from "./message-page.tsx";
import { openPage } from "./open-page.ts";
import { messagePath } from "./paths.ts";

const message = (c: Context<AppEnv>) =>
  openMailbox(c.get("caller"), c.req.param("mailbox_id") ?? "").then((mailbox) =>
    getMessage(mailbox, c.req.param("folder") ?? "", c.req.param("uid") ?? ""),
  );

/** The pages of one message of a mailbox, and its files. */
export const messagePages = new Hono<AppEnv>()
  .get("/mail/:mailbox_id/:folder/:uid", ...webmailFor("GET /v1/inbox/:mailbox_id/messages/:uid"), async (c) => {
    const page = await openPage(c.get("caller"), c.req.param("mailbox_id"));
    const stored = await getMessage(page.mailbox, c.req.param("folder"), c.req.param("uid"));
    const withImages = c.req.query("images") === "1";
    const { store } = page.mailbox;
    const [content, thread, folders] = await Promise.all([
      readContent(page.caller, stored, withImages),
      store.thread(stored.threadId),
      // A person who opens a message has read it; the API leaves that to the client. The script reads the page again when
      // something has changed, such as that the message is unread: that is not a person.
      stored.seen || c.req.header("Sec-Fetch-Dest") === "empty"
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

/** Replaces the Content-IDs of images (RFC 2392) by the paths of the parts. `html` is sanitised. */
function showOwnImages(html: string, mailboxId: string, { parts, ...place }: StoredMessage): string {
  const ids = new Map(parts.flatMap(({ contentId, partId }) => (contentId === null ? [] : [[contentId, partId]])));
  return html.replace(/ src="cid:([^"]*)"/gi, (all, id: string) => {
    const partId = ids.get(id) ?? ids.get(`<${id}>`);
    return partId === undefined ? all : ` src="${messagePath(mailboxId, place)}/parts/${partId}"`;
  });
}
