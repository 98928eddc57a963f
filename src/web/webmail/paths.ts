import { withQuery } from "../../lib/with-query.ts";

/** Paths of the pages of one mailbox. */

type Query = Parameters<typeof withQuery>[1];

export const folderPath = (mailboxId: string, folder: string, query: Query = {}) =>
  withQuery(`/mail/${mailboxId}/${encodeURIComponent(folder)}`, query);

export const messagePath = (mailboxId: string, { folder, uid }: { folder: string; uid: number }, query: Query = {}) =>
  withQuery(`${folderPath(mailboxId, folder)}/${uid}`, query);

/** The path of the forms about a conversation, which one of its messages names. */
export const threadPath = (mailboxId: string, { folder, uid }: { folder: string; uid: number }) =>
  `/mail/threads/${mailboxId}/${encodeURIComponent(folder)}/${uid}`;

export const composePath = (mailboxId: string, query: Query = {}) => withQuery(`/mail/compose/${mailboxId}`, query);

export const scheduledPath = (mailboxId: string, query: Query = {}) => withQuery(`/mail/scheduled/${mailboxId}`, query);

/** The path of an archive of the whole mailbox. */
export const exportPath = (mailboxId: string, format: "mbox" | "zip") =>
  withQuery(`/mail/export/${mailboxId}`, { format });

/** The pages of the settings of a mailbox. */
export type SettingsPage =
  | "signature"
  | "saved-replies"
  | "auto-reply"
  | "filters"
  | "aliases"
  | "blocked-senders"
  | "folders"
  | "import"
  | "password"
  | "mail-programs"
  | "keyboard";

export const settingsPath = (mailboxId: string, page: SettingsPage, query: Query = {}) =>
  withQuery(`/mail/${page}/${mailboxId}`, query);

/** The path of the form of a filter; `new` is that of a new one, whose conditions a query may have. */
export const filterPath = (mailboxId: string, filterId: string, query: Query = {}) =>
  withQuery(`/mail/filters/${mailboxId}/${filterId}`, query);

/** The path of the messages with a label. */
export const labelPath = (mailboxId: string, labelId: string, query: Query = {}) =>
  withQuery(`/mail/labels/${mailboxId}/${labelId}`, query);

/** The path of the WebSocket of the changes of a mailbox. */
export const eventsPath = (mailboxId: string) => `/mail/events/${mailboxId}`;

/** Returns how pages write the name of a folder. */
export const folderTitle = (name: string) => (name === "INBOX" ? "Inbox" : name);

/** Returns the path of a page of this mailbox that a form names, with a query: a folder, a message of it, a label, or else the inbox. */
export function backPath(mailboxId: string, path: string, query: Query): string {
  const [, first = "", ...rest] = path.split(mailboxId);
  const isList = path === `/mail/${mailboxId}${first}` && /^\/[\w%.~!*'()-]{1,800}(?:\/\d{1,10})?$/.test(first);
  const isLabel = path === `/mail/labels/${mailboxId}${first}` && /^\/[0-9a-f-]{36}$/.test(first);
  const isKnown = rest.length === 0 && (isList || isLabel);
  return withQuery(isKnown ? path : folderPath(mailboxId, "INBOX"), query);
}
