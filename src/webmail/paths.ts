/** Paths of the pages of one mailbox. */

export const folderPath = (mailboxId: string, folder: string, query: Record<string, string> = {}) =>
  withQuery(`/mail/${mailboxId}/${encodeURIComponent(folder)}`, query);

export const messagePath = (mailboxId: string, { folder, uid }: { folder: string; uid: number }) =>
  `${folderPath(mailboxId, folder)}/${uid}`;

export const composePath = (mailboxId: string, query: Record<string, string> = {}) =>
  withQuery(`/mail/compose/${mailboxId}`, query);

export const scheduledPath = (mailboxId: string, query: Record<string, string> = {}) =>
  withQuery(`/mail/scheduled/${mailboxId}`, query);

/** The path of the WebSocket of the changes of a mailbox. */
export const eventsPath = (mailboxId: string) => `/mail/events/${mailboxId}`;

function withQuery(path: string, query: Record<string, string>): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  return search.size > 0 ? `${path}?${search}` : path;
}
