/** Paths of the pages of one mailbox. */

export const folderPath = (mailboxId: string, folder: string, query: Record<string, string> = {}) =>
  withQuery(`/mail/${mailboxId}/${encodeURIComponent(folder)}`, query);

export const messagePath = (
  mailboxId: string,
  { folder, uid }: { folder: string; uid: number },
  query: Record<string, string> = {},
) => withQuery(`${folderPath(mailboxId, folder)}/${uid}`, query);

export const composePath = (mailboxId: string, query: Record<string, string> = {}) =>
  withQuery(`/mail/compose/${mailboxId}`, query);

export const scheduledPath = (mailboxId: string, query: Record<string, string> = {}) =>
  withQuery(`/mail/scheduled/${mailboxId}`, query);

/** The path of the page that changes folders and labels. */
export const foldersAndLabelsPath = (mailboxId: string, query: Record<string, string> = {}) =>
  withQuery(`/mail/folders/${mailboxId}`, query);

/** The path of the page that imports archives. */
export const importPath = (mailboxId: string) => `/mail/import/${mailboxId}`;

/** The path of the messages with a label. */
export const labelPath = (mailboxId: string, labelId: string, query: Record<string, string> = {}) =>
  withQuery(`/mail/labels/${mailboxId}/${labelId}`, query);

/** The path of the WebSocket of the changes of a mailbox. */
export const eventsPath = (mailboxId: string) => `/mail/events/${mailboxId}`;

/** Returns how pages write the name of a folder. */
export const folderTitle = (name: string) => (name === "INBOX" ? "Inbox" : name);

function withQuery(path: string, query: Record<string, string>): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  return search.size > 0 ? `${path}?${search}` : path;
}
