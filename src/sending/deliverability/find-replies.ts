import type { CallerCtx } from "../../access/caller.ts";
import { idOfTime } from "../../lib/ids.ts";
import { bytesSql, withinBytes } from "../../platform/db/byte-pages.ts";
import { domainOf } from "../receivers/index.ts";
import { type ReceiverName, receiverOf } from "./receivers.ts";

/** The events of mail that have a reply. */
type ReplyKind = "deferred" | "bounced" | "failed";

/** Replies of one wording from one receiver about mail of a domain. */
export interface SaidReply {
  receiver: ReceiverName;
  kind: ReplyKind;
  /** The newest of them, word by word. */
  reply: string;
  count: number;
  /** Times of the first and the newest, in ms since 1970. */
  first: number;
  last: number;
}

/** Emails of the workspace that bounced, as many that failed, as many that wait, and those of any kind that are read: the newest. */
const [MAX_RARE, MAX_NEWEST] = [500, 5_000];
const MAX_BYTES = 10_000_000;
/** Replies that are read, and characters of each. */
const MAX_REPLIES = 3_000;
const MAX_CHARACTERS = 300;

const newest = (condition: string, most: number) =>
  `SELECT n FROM (SELECT n FROM emails WHERE workspace = ?1 AND id >= ?3 ${condition} ORDER BY id DESC LIMIT ${most})`;

// Bounced, failed and waiting emails have indexes. Of those that were deferred and then delivered only the newest are found.
const PAGE = withinBytes(
  `SELECT e.n, e.id, ${bytesSql("e.recipients", "e.events")} AS bytes FROM (
     ${newest("AND status = 'bounced'", MAX_RARE)} UNION ${newest("AND status = 'failed'", MAX_RARE)}
     UNION ${newest("AND status = 'queued' AND attempts > 0", MAX_RARE)} UNION ${newest("", MAX_NEWEST)}) u
   CROSS JOIN emails e ON e.n = u.n
    WHERE e.domain_id = ?2 ORDER BY e.status IN ('bounced', 'failed') DESC, e.id DESC`,
  MAX_BYTES,
);
// Reasons are words of this service.
const TEXT = "v.value ->> '$.metadata.response'";
const REPLIES = `
  SELECT coalesce(v.value ->> '$.metadata.recipient', e.recipients ->> '$[0].email') AS recipient,
         v.value ->> '$.metadata.receiver' AS system, v.value ->> '$.type' AS kind, v.value ->> '$.at' AS at,
         substr(${TEXT}, 1, ${MAX_CHARACTERS}) AS reply
    FROM (${PAGE}) p CROSS JOIN emails e ON e.n = p.n CROSS JOIN json_each(e.events) v
   WHERE (e.status IN ('bounced', 'failed') OR instr(e.events, '"deferred"') > 0)
     AND v.value ->> '$.type' IN ('deferred', 'bounced', 'failed') AND ${TEXT} IS NOT NULL LIMIT ${MAX_REPLIES}`;

interface ReplyRow {
  recipient: string;
  system: string | null;
  kind: ReplyKind;
  at: number;
  reply: string;
}

/** Returns what receivers replied to mail of a domain since a time in ms since 1970, the most frequent wordings first. One D1 call. */
export async function findReplies(ctx: CallerCtx, domainId: string, since: number): Promise<SaidReply[]> {
  const rows = await ctx.mail.listRows<ReplyRow>(REPLIES, ctx.workspace.number, domainId, idOfTime(since, ""));
  return sumReplies(rows);
}

/** Returns replies by receiver, kind and wording, the most frequent first. Pure. */
export function sumReplies(rows: readonly ReplyRow[]): SaidReply[] {
  const said = rows.map((row) => ({ ...row, receiver: receiverOf(domainOf(row.recipient), row.system) }));
  const alike = Map.groupBy(said, ({ receiver, kind, reply }) => `${receiver} ${kind} ${wordingOf(reply)}`);
  return [...alike.values()]
    .flatMap((all) => {
      const [newestOne] = all.toSorted((a, b) => b.at - a.at);
      if (newestOne === undefined) return [];
      const { receiver, kind, reply, at: last } = newestOne;
      return [{ receiver, kind, reply, count: all.length, first: Math.min(...all.map(({ at }) => at)), last }];
    })
    .toSorted((a, b) => b.count - a.count || b.last - a.last);
}

/** Status codes (RFC 5321 4.2, RFC 3463), which tell wordings apart. Other words with digits or addresses differ from mail to mail. */
const CODE = /^[245](?:\d\d|\.\d{1,3}\.\d{1,3})$/;
const wordingOf = (reply: string) =>
  reply
    .toLowerCase()
    .split(/[\s-]+/)
    .map((word) => (/[\d@]/.test(word) && !CODE.test(word) ? "#" : word))
    .join(" ");
