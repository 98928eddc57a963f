import type { CallerCtx } from "../../access/caller.ts";
import { type DomainRow, getDomain } from "../../domains/domains/index.ts";
import { daysOf, sumDmarcReports, sumTlsReports } from "../../domains/reports/index.ts";
import { DAY_MS } from "../../lib/time.ts";
import { type Counts, findGroups, hoursOf, sumCounts } from "../analytics/index.ts";
import { findReplies, type SaidReply } from "./find-replies.ts";
import { type ReceiverName, receiverNames, receiverOf } from "./receivers.ts";
import { type DmarcDay, findTroubles, type Trouble } from "./troubles.ts";

/** How receivers treated mail of 30 days, and what they said about it. */
export interface Deliverability {
  domain: DomainRow;
  troubles: Trouble[];
  /** Mail of the whole workspace by receiver. */
  receivers: { name: ReceiverName; counts: Counts }[];
  /** Replies to mail of the domain, the most frequent first. */
  replies: SaidReply[];
  /** Messages with the domain in From, by the DMARC reports of receivers, oldest day first. */
  dmarc: { days: DmarcDay[]; reporters: string[] };
  /** Connections to the servers of the domain, by TLS reports. */
  tls: { sessions: number; failed: number };
}

/** Returns how mail of a domain fared in 30 days. Throws 404, and 403 for an API key that is restricted to domains. */
export async function getDeliverability(ctx: CallerCtx, domainId: string): Promise<Deliverability> {
  const domain = await getDomain(ctx, domainId);
  const [days, replies, dmarc, tls] = await Promise.all([
    findGroups(ctx, hoursOf("30d", ctx.now()), receiverOf),
    findReplies(ctx, domain.id, ctx.now() - 30 * DAY_MS),
    sumDmarcReports(ctx, domain.id, "30d"),
    sumTlsReports(ctx, domain.id, "30d"),
  ]);
  const known = new Map(dmarc.days.map((one) => [one.day, one]));
  return {
    domain,
    troubles: findTroubles(days, replies, dmarc.days),
    receivers: receiverNames.map((name) => ({
      name,
      counts: sumCounts(days.filter(({ group }) => group === name).map(({ counts }) => counts)),
    })),
    replies,
    dmarc: {
      // Reports on the newest days are still to come.
      days: daysOf("30d", ctx.now())
        .filter((day) => day <= (dmarc.days.at(-1)?.day ?? 0))
        .map((day) => known.get(day) ?? { day, messages: 0, aligned: 0, dkim: 0 }),
      reporters: dmarc.reporters.map(({ organization }) => organization),
    },
    tls: {
      sessions: tls.days.reduce((sum, day) => sum + day.sessions, 0),
      failed: tls.days.reduce((sum, day) => sum + day.failed, 0),
    },
  };
}
