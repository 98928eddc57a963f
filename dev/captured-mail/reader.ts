import PostalMime, { type Attachment, type Email } from "postal-mime";
import type { MailStore } from "./mail-store.ts";

export interface Reader {
  /** Parses the mail. */
  read(id: string): Promise<Email>;
  /** Parses only the header section. The subject is cached in memory, because the list page reads it every time. */
  subject(id: string): Promise<string>;
}

const HEADERS_END = "\r\n\r\n";

/** Returns a parser of captured mail. */
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

/** Returns the mail's HTML with inline images as data URLs, and with every link set to open in a new tab. */
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
