import PostalMime, { type Address, type Attachment, type Email } from "postal-mime";
import type { MailStore } from "./mail-store.ts";

/** The headers that the list page shows. `from` is empty if the mail has no From header. */
export interface Summary {
  subject: string;
  from: string;
}

export interface Reader {
  /** Parses the mail. */
  read(id: string): Promise<Email>;
  /** Parses only the header section. The summary is cached in memory, because the list page reads it every time. */
  summary(id: string): Promise<Summary>;
}

const HEADERS_END = "\r\n\r\n";

/** Returns a parser of captured mail. */
export function openReader(store: MailStore): Reader {
  const summaries = new Map<string, Summary>();
  return {
    read: async (id) => PostalMime.parse(await store.raw(id)),
    async summary(id) {
      const cached = summaries.get(id);
      if (cached) return cached;
      const raw = await store.raw(id);
      const end = raw.indexOf(HEADERS_END);
      const headers = await PostalMime.parse(end < 0 ? raw : raw.subarray(0, end + HEADERS_END.length));
      const summary = { subject: headers.subject ?? "", from: headers.from ? formatAddress(headers.from) : "" };
      summaries.set(id, summary);
      return summary;
    },
  };
}

/** Formats an address or a group of addresses. */
export function formatAddress(address: Address): string {
  if (address.group) return `${address.name}: ${address.group.map(formatAddress).join(", ")}`;
  return address.name ? `${address.name} <${address.address}>` : address.address;
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
