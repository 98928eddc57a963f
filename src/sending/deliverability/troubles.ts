import { BLOCKS, POLICY } from "../../domains/health/index.ts";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { type Counts, type GroupDay, sumCounts } from "../analytics/index.ts";
import type { SaidReply } from "./find-replies.ts";
import { RECEIVERS, type ReceiverName, receiverNames } from "./receivers.ts";

/** Something in a month of mail that needs attention, with what to do about it. */
export interface Trouble {
  severity: "error" | "warning";
  problem: string;
  action: string;
  evidence: string[];
}

/** Messages of a day (since 1970, UTC) that DMARC reports count: those that are aligned, and those of them by DKIM. */
export interface DmarcDay {
  day: number;
  messages: number;
  aligned: number;
  dkim: number;
}

/** Share of complaints below which Google and Yahoo want mail to stay, and the one from which they refuse it or file it as spam. */
export const COMPLAINTS = { wanted: 0.001, most: 0.003 } as const;
/** Events, and recipients, from which a share says something. */
const [LEAST, LEAST_SENT] = [5, 200];
/** Days from an email until most complaints about it have come. They count on their own day, when less may have been sent. */
const COMPLAINT_DAYS = 3;
/** Shares of mail at one receiver that are troubles: hard bounces, deferrals, and messages of a day that pass by SPF alone. */
const [BOUNCED, DEFERRED, WITHOUT_DKIM] = [0.02, 0.1, 0.2];

/** Returns what needs attention, errors first. Pure. */
export function findTroubles(
  days: readonly GroupDay<ReceiverName>[],
  replies: readonly SaidReply[],
  dmarc: readonly DmarcDay[],
): Trouble[] {
  const found = receiverNames.flatMap((name) => {
    const own = replies.filter(({ receiver }) => receiver === name);
    const ofDays = days.filter(({ group }) => group === name).toSorted((a, b) => a.day - b.day);
    const { label } = RECEIVERS[name];
    return [...refusals(label, own), ...complaints(label, ofDays), ...rates(label, ofDays)];
  });
  return [...found, ...brokenDkim(dmarc)].toSorted((a, b) => rank(a) - rank(b));
}

const rank = ({ severity }: Trouble) => Number(severity === "warning");

/** Finds replies by which a receiver blocks the sender, and those by which it refuses mail by its policy. */
function refusals(label: string, replies: readonly SaidReply[]): Trouble[] {
  const isBlock = ({ reply }: SaidReply) => BLOCKS.test(reply);
  const isPolicy = ({ kind, reply }: SaidReply) => kind !== "deferred" && POLICY.test(reply);
  const make = (of: readonly SaidReply[], trouble: Pick<Trouble, "severity" | "action">, what: string): Trouble[] => {
    const count = sum(of, (one) => one.count);
    if (count < LEAST) return [];
    const [first, last] = [Math.min(...of.map((one) => one.first)), Math.max(...of.map((one) => one.last))];
    const problem = `${label} ${what}: ${number(count)} of its newest replies, ${span(dayOf(first), dayOf(last))}.`;
    return [{ ...trouble, problem, evidence: of.slice(0, 3).map(({ reply }) => reply) }];
  };
  const removal =
    "Follow the link in its reply to ask for removal from the list. Until then send only what these recipients expect.";
  const authentication = "Read its reply. Mostly DKIM, SPF or DMARC does not pass, or the content looks like spam.";
  return [
    ...make(replies.filter(isBlock), { severity: "error", action: removal }, "blocks your mail"),
    ...make(
      replies.filter((one) => !isBlock(one) && isPolicy(one)),
      { severity: "warning", action: authentication },
      "refuses mail by its policy",
    ),
  ];
}

type Days = readonly Pick<GroupDay<ReceiverName>, "day" | "counts">[];

/** Finds days, and else a month, with more complaints than receivers put up with. */
function complaints(label: string, days: Days): Trouble[] {
  const isAbove = ({ complained, sent }: Counts, share: number) => complained >= LEAST && complained > sent * share;
  const isNear = (one: { day: number }, day: number) => one.day <= day && one.day > day - COMPLAINT_DAYS;
  const sentBy = (day: number) => days.map((one) => (isNear(one, day) ? one.counts.sent : 0));
  const peaks = days
    .map(({ day, counts }) => ({ day, counts: { ...counts, sent: Math.max(...sentBy(day)) } }))
    .filter(({ counts }) => isAbove(counts, COMPLAINTS.most));
  const counted = peaks.length > 0 ? peaks : days;
  const { complained, sent } = sumCounts(counted.map(({ counts }) => counts));
  const [first, last] = [counted[0]?.day, counted.at(-1)?.day];
  if (first === undefined || last === undefined || !isAbove({ ...sumCounts([]), complained, sent }, COMPLAINTS.wanted))
    return [];
  return [
    {
      severity: peaks.length > 0 ? "error" : "warning",
      problem: `Complaints at ${label} were ${percent(complained, sent)} ${span(first, last)}: ${number(complained)} of ${number(sent)}.`,
      action:
        "Receivers want less than 0.1 %, and refuse mail or file it as spam from 0.3 % on. Look at what was sent then and to whom. Mail only people who asked for it, and make the unsubscribe link easy to find.",
      evidence: peaks.map(
        ({ day, counts }) => `${nameOf(day)}: ${number(counts.complained)} of ${number(counts.sent)}`,
      ),
    },
  ];
}

/** Finds receivers where many addresses do not work, or much mail waits. */
function rates(label: string, days: Days): Trouble[] {
  const { sent, bounced, deferred } = sumCounts(days.map(({ counts }) => counts));
  const found = (problem: string, action: string): Trouble => ({ severity: "warning", problem, action, evidence: [] });
  const dead = `${percent(bounced, sent)} of the addresses at ${label} do not work (${number(bounced)}).`;
  const slow = `${label} lets ${percent(deferred, sent)} of the mail wait (${number(deferred)}).`;
  if (sent < LEAST_SENT) return [];
  return [
    ...(bounced > sent * BOUNCED
      ? [found(dead, "Remove old addresses from your lists, and let new ones confirm themselves.")]
      : []),
    ...(deferred > sent * DEFERRED
      ? [found(slow, "Read its words below. Send more slowly, and at the same hours each day.")]
      : []),
  ];
}

/** Finds days on which mail of the service's servers, which SPF shows, had no valid DKIM signature of the domain. */
function brokenDkim(dmarc: readonly DmarcDay[]): Trouble[] {
  const days = dmarc.filter(({ aligned, dkim }) => aligned - dkim >= LEAST && aligned - dkim > aligned * WITHOUT_DKIM);
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return [];
  const [aligned, dkim] = [sum(days, (one) => one.aligned), sum(days, (one) => one.dkim)];
  return [
    {
      severity: "error",
      problem: `DKIM did not pass for ${percent(aligned - dkim, aligned)} of your mail ${span(first.day, last.day)}: ${number(aligned - dkim)} of ${number(aligned)} messages in DMARC reports.`,
      action:
        "Check the DKIM records on the page of the domain. They were changed or removed then, or something on the way changed the mail after it was signed.",
      evidence: days.map((one) => `${nameOf(one.day)}: DKIM passed for ${number(one.dkim)} of ${number(one.aligned)}`),
    },
  ];
}

const DAY_NAME = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });
const nameOf = (day: number) => DAY_NAME.format(day * DAY_MS);
const span = (first: number, last: number) =>
  first === last ? `on ${nameOf(first)}` : `from ${nameOf(first)} to ${nameOf(last)}`;
const sum = <Row>(rows: readonly Row[], of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
const number = (count: number) => count.toLocaleString("en");
const percent = (part: number, whole: number) => {
  const share = (100 * part) / Math.max(1, whole);
  return `${share.toFixed(share < 1 ? 2 : share < 10 ? 1 : 0)} %`;
};
