/** A message that was just sent. */
export interface Sent {
  /** Id of the email that can be stopped, the UID of its draft, and the time when it leaves, in ms since 1970. Null: it has left. */
  undo: { email: string; draft: string; until: number } | null;
  /** Path of the page that says so: a message that is stopped and sent again leads back to it. */
  path: string;
}

/** Returns the query of the page after a message was sent. */
export const toSentQuery = ({ undo }: Pick<Sent, "undo">): Record<string, string> =>
  undo === null ? { sent: "now" } : { sent: undo.email, until: String(undo.until), of: undo.draft };

/** Reads the URL of a page with that query. Undefined: the page says nothing about a sent message, because there is none or its time is over. */
export function readSent({ pathname: path, searchParams }: URL, now: number): Sent | undefined {
  const { sent = "", until = "", of = "" } = Object.fromEntries(searchParams);
  if (sent === "now") return { undo: null, path };
  if (!/^[0-9a-f-]{36}$/.test(sent) || !/^\d{1,15}$/.test(until) || !/^\d{0,10}$/.test(of)) return undefined;
  return Number(until) > now ? { undo: { email: sent, draft: of, until: Number(until) }, path } : undefined;
}
