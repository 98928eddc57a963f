import { BLOCKS, POLICY } from "../../domains/health/index.ts";
import { DAY_MS } from "../../lib/time.ts";
import { type Counts, rate, sumCounts } from "../analytics/index.ts";
import type { SaidReply } from "./find-replies.ts";
import { RECEIVERS, type ReceiverName, receiverNames } from "./receivers.ts";

/** Something in a month of mail that needs attention, with what to do about it. */
export interface Trouble {
  severity: "error" | "warning";
  problem: string;
  action: string;
  evidence: string[];
}

/** Counts by receiver and day; days since 1970, UTC. */
export type ReceiverDays = ReadonlyMap<ReceiverName, ReadonlyMap<number, Counts>>;
/** Messages of a day that DMARC reports count: those that are aligned, and those of them by DKIM. */
export interface DmarcDay {
  day: number;
  messages: number;
  aligned: number;
  dkim: number;
}

/** Share of complaints that Google and Yahoo want mail to stay below, and the one from which they refuse or file it as spam. */
export const COMPLAINTS = { wanted: 0.001, most: 0.003 } as const;
/** Events from which a share says something. */
const LEAST = 5;
/** Recipients from which rates say something. */
const LEAST_SENT = 200;
/** Shares of mail at one receiver that are troubles: hard bounces, deferrals, and messages of a day that pass by SPF alone. */
const [BOUNCED, DEFERRED, WITHOUT_DKIM] = [0.02, 0.1, 0.2];

/** Returns what needs attention, errors first. Pure. */
export function findTroubles(days: ReceiverDays, replies: readonly SaidReply[], dmarc: readonly DmarcDay[]): Trouble[] {
  const found = [
    ...receiverNames.flatMap((name) => [
      ...refusals(name, replies),
      ...complaints(name, days.get(name) ?? new Map()),
      ...rates(name, days.get(name) ?? new Map()),
    ]),
    ...brokenDkim(dmarc),
  ];
  return found.toSorted((a, b) => Number(a.severity === "warning") - Number(b.severity === "warning"));
}

/** Finds replies by which a receiver blocks the sender, or else refuses mail by its policy. */
function refusals(receiver: ReceiverName, replies: readonly SaidReply[]): Trouble[] {
  const { label } = RECEIVERS[receiver];
  const own = replies.filter((one) => one.receiver === receiver);
  const make = (of: readonly SaidReply[], severity: Trouble["severity"], what: string, action: string): Trouble[] => {
    const count = of.reduce((sum, one) => sum + one.count, 0);
    if (count < LEAST) return [];
    const first = Math.min(...of.map((one) => one.first));
    const last = Math.max(...of.map((one) => one.last));
    const when = span(Math.floor(first / DAY_MS), Math.floor(last / DAY_MS));
    const problem = `${label} ${what}: ${number(count)} emails refused or deferred ${when}.`;
    return [{ severity, problem, action, evidence: of.slice(0, 3).map(({ reply }) => reply) }];
  };
  const isBlock = ({ reply }: SaidReply) => BLOCKS.test(reply);
  return [
    ...make(
      own.filter(isBlock),
      "error",
      "blocks your mail",
      "Follow the link in its reply to ask for removal from the list. Until then send only what these recipients expect.",
    ),
    ...make(
      own.filter((one) => !isBlock(one) && one.kind !== "deferred" && POLICY.test(one.reply)),
      "warning",
      "refuses mail by its policy",
      "Read its reply. Mostly DKIM, SPF or DMARC does not pass, or the content looks like spam.",
    ),
  ];
}

/** Finds days, and else a month, with more complaints than receivers put up with. */
function complaints(receiver: ReceiverName, days: ReadonlyMap<number, Counts>): Trouble[] {
  const { label } = RECEIVERS[receiver];
  const isPeak = ({ complained, sent }: Counts) => complained >= LEAST && complained > sent * COMPLAINTS.most;
  const peaks = [...days].filter(([, counts]) => isPeak(counts)).toSorted(([a], [b]) => a - b);
  const action =
    "Receivers want less than 0.1 %, and refuse mail or file it as spam from 0.3 % on. Look at what was sent then and to whom. Mail only people who asked for it, and make the unsubscribe link easy to find.";
  const [first] = peaks;
  const last = peaks.at(-1);
  if (first && last) {
    const { complained, sent } = sumCounts(peaks.map(([, counts]) => counts));
    const problem = `Complaints at ${label} were ${percent(complained, sent)} ${span(first[0], last[0])}: ${number(complained)} of ${number(sent)}.`;
    const evidence = peaks.map(([day, one]) => `${nameOf(day)}: ${number(one.complained)} of ${number(one.sent)}`);
    return [{ severity: "error", problem, action, evidence }];
  }
  const { complained, sent } = sumCounts([...days.values()]);
  if (complained < LEAST || complained <= sent * COMPLAINTS.wanted) return [];
  const problem = `Complaints at ${label} are ${percent(complained, sent)} of 30 days: ${number(complained)} of ${number(sent)}.`;
  return [{ severity: "warning", problem, action, evidence: [] }];
}

/** Finds receivers where many addresses do not work, or much mail waits. */
function rates(receiver: ReceiverName, days: ReadonlyMap<number, Counts>): Trouble[] {
  const { label } = RECEIVERS[receiver];
  const { sent, bounced, deferred } = sumCounts([...days.values()]);
  if (sent < LEAST_SENT) return [];
  const make = (problem: string, action: string): Trouble => ({ severity: "warning", problem, action, evidence: [] });
  return [
    ...((rate(bounced, sent) ?? 0) > BOUNCED
      ? [
          make(
            `${percent(bounced, sent)} of the addresses at ${label} do not work (${number(bounced)}).`,
            "Remove old addresses from your lists, and let new ones confirm themselves.",
          ),
        ]
      : []),
    ...((rate(deferred, sent) ?? 0) > DEFERRED
      ? [
          make(
            `${label} lets ${percent(deferred, sent)} of the mail wait (${number(deferred)}).`,
            "Read its words below. Send more slowly, and at the same hours each day.",
          ),
        ]
      : []),
  ];
}

/** Finds days on which mail of the service's servers, which SPF shows, had no valid DKIM signature of the domain. */
function brokenDkim(dmarc: readonly DmarcDay[]): Trouble[] {
  const days = dmarc.filter(({ aligned, dkim }) => aligned - dkim >= LEAST && aligned - dkim > aligned * WITHOUT_DKIM);
  const [first] = days;
  const last = days.at(-1);
  if (!first || !last) return [];
  const aligned = days.reduce((sum, day) => sum + day.aligned, 0);
  const broken = days.reduce((sum, day) => sum + day.aligned - day.dkim, 0);
  return [
    {
      severity: "error",
      problem: `DKIM did not pass for ${percent(broken, aligned)} of your mail ${span(first.day, last.day)}: ${number(broken)} of ${number(aligned)} messages in DMARC reports.`,
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
const number = (count: number) => count.toLocaleString("en");
const percent = (part: number, whole: number) => {
  const share = (100 * part) / Math.max(1, whole);
  return `${share.toFixed(share < 1 ? 2 : share < 10 ? 1 : 0)} %`;
};
