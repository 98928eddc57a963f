import PostalMime, { type Attachment, type Email } from "postal-mime";
import type { MailStore } from "./mail-store.ts";

export interface Reader {
  /** The parsed mail. */
  read(id: string): Promise<Email>;
  /** Only the subject, kept in memory: the list asks for it again and again. */
  subject(id: string): Promise<string>;
}

const HEADERS_END = "\r\n\r\n";

/** Reads captured mail the way a mail program would. */
export function openReader(store: MailStore): Reader {
  const subjects = new Map<string, string>();
  return {
    read: async (id) => PostalMime.parse(await store.raw(id)),
    async subject(id) {
      const known = subjects.get(id);
      if (known !== undefined) return known;
      const raw = await store.raw(id);
      const end = raw.indexOf(HEADERS_END);
      const headers = await PostalMime.parse(end < 0 ? raw : raw.subarray(0, end + HEADERS_END.length));
      subjects.set(id, headers.subject ?? "");
      return headers.subject ?? "";
    },
  };
}

/** The mail's HTML with its inline images in it, and every link set to open in a new tab. */
export function htmlForFrame(email: Email): string {
  let html = email.html ?? "";
  for (const attachment of email.attachments) {
    const id = attachment.contentId?.replace(/^<|>$/g, "");
    if (id) html = html.replaceAll(`cid:${id}`, dataUrl(attachment));
  }
  return `<!doctype html><base target="_blank">${html}`;
}

function dataUrl(attachment: Attachment): string {
  return `data:${attachment.mimeType};base64,${Buffer.from(attachment.content as ArrayBuffer).toString("base64")}`;
}
