import type { Evidence } from "./evidence.ts";
import { addTo, type CheckResult, type Finding, number, percent, UNKNOWN } from "./finding.ts";

/** Refusals in seven days, and their share of the workspace's mail, from which they are a finding. */
const [LEAST_REFUSED, REFUSED_SHARE] = [5, 0.01];
/** Recipients from which rates say something. */
const LEAST_SENT = 200;
/** Rates of seven days: two fifths of those from which a workspace stops itself by default, and that which large receivers want. */
const [BOUNCE_RATE, COMPLAINT_RATE] = [0.02, 0.001];
/** Receivers that are findings. */
const MAX_RECEIVERS = 5;

/** A reply by which a receiver blocks the sender rather than refuses one message. */
export const BLOCKS =
  /\bblock(?:ed|ing|[- ]?list)|black[- ]?list|deny[- ]?list|spamhaus|barracuda|\b(?:poor|bad|low) (?:domain )?reputation|banned/i;
/** A status of policy or security (RFC 3463 3.8). */
export const POLICY = /\b[45]\.7\.\d{1,3}\b/;

/** Finds receivers that refuse mail of the domain by policy or block it. */
export function checkReplies({ delivery, name }: Evidence): CheckResult {
  if (!delivery) return UNKNOWN;
  const isEnough = (count: number) => count >= LEAST_REFUSED && count >= delivery.sent * REFUSED_SHARE;
  const blocking = delivery.replies.filter(({ response }) => BLOCKS.test(response));
  const findings: Finding[] = [];
  const add = addTo(findings);
  for (const [receiver, replies] of byReceiver(blocking).slice(0, MAX_RECEIVERS)) {
    if (replies.length < LEAST_REFUSED) continue;
    const problem = `${receiver} blocks mail of ${name}: it has refused ${number(replies.length)} messages in seven days.`;
    const action = `Read its reply below and follow the link in it, if there is one, to ask for removal. Until then send only to recipients of ${receiver} who asked for the mail.`;
    add("blocked_by_receiver", { subject: receiver, problem, action, evidence: distinct(replies) });
  }
  const policy = delivery.replies.filter(({ response }) => POLICY.test(response) && !BLOCKS.test(response));
  if (isEnough(policy.length)) {
    const share =
      delivery.sent > 0
        ? ` (${percent(Math.min(policy.length, delivery.sent), delivery.sent)} of the workspace's mail)`
        : "";
    const problem = `Receivers refused ${number(policy.length)} messages of ${name} by their policy in seven days${share}.`;
    const action =
      "Read the replies below. Mostly DKIM, SPF or DMARC does not pass, or the content looks like spam: mend the findings about DNS first.";
    add("refused_by_policy", { problem, action, evidence: distinct(policy) });
  }
  return { findings };
}

/** Finds rates of bounces and complaints above which receivers refuse mail. They are those of the workspace. */
export function checkRates({ delivery }: Evidence): CheckResult {
  if (!delivery) return UNKNOWN;
  const { sent, bounced, complained } = delivery;
  if (sent < LEAST_SENT) return { findings: [] };
  const findings: Finding[] = [];
  const add = addTo(findings);
  if (bounced > sent * BOUNCE_RATE)
    add("bounce_rate", {
      problem: `${percent(bounced, sent)} of the workspace's recipients of seven days do not exist. Receivers take that for a bought list, and its bulk mail stops by itself at a higher rate.`,
      action: "Remove addresses that bounced from your lists, and let new ones confirm their address.",
      evidence: [`${number(bounced)} hard bounces of ${number(sent)} recipients`],
    });
  if (complained > sent * COMPLAINT_RATE)
    add("complaint_rate", {
      problem: `${percent(complained, sent)} of the workspace's recipients of seven days marked its mail as spam. Large receivers want less than 0.1 %.`,
      action: "Send only to people who asked for it, and put the unsubscribe link where it is seen.",
      evidence: [`${number(complained)} complaints of ${number(sent)} recipients`],
    });
  return { findings };
}

type Reply = { receiver: string; response: string };

const byReceiver = (replies: readonly Reply[]): [string, Reply[]][] =>
  [...Map.groupBy(replies, ({ receiver }) => receiver)].toSorted(([, a], [, b]) => b.length - a.length);

const distinct = (replies: readonly Reply[]) => [
  ...new Set(replies.map(({ receiver, response }) => `${receiver}: ${response}`)),
];
