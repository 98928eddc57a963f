import { classifyFailure } from "../../../mail/reports/classify.ts";
import type { EventOut } from "../../../sending/emails/index.ts";

/** An event that ended the delivery to a recipient, in the words of people. */
export interface Explanation {
  /** Such as "No such mailbox". */
  title: string;
  /** Its meaning, and the next step. */
  meaning: string;
}

const ADDRESS = {
  title: "No such mailbox",
  meaning:
    "The recipient's mail server does not know this address. Look for a typing mistake, or ask the person for another one.",
};
const DOMAIN = {
  title: "This domain takes no mail",
  meaning: "The part after the @ has no mail server, or does not exist. Look for a typing mistake.",
};
const FULL = {
  title: "The mailbox is full",
  meaning: "The person has to make room first. Retry later, or reach them in another way.",
};
const LARGE = {
  title: "The message is too large",
  meaning: "The recipient's mail server takes no message of this size. Send a link instead of the attachment.",
};
const POLICY = {
  title: "Refused by the recipient's mail server",
  meaning:
    "The server objects to the sender or the content, not to the address. Check the records of your domain, then read the reply.",
};
const OTHER = {
  title: "Refused by the recipient's mail server",
  meaning: "The server gave no reason that is known here. Its reply is below, word by word.",
};

/** Codes of replies (RFC 3463 3), by their explanation. */
const CODES: readonly [RegExp, Explanation][] = [
  [/\b[45]\.2\.2\b|\bquota\b|mailbox (?:is )?full/i, FULL],
  [/\b[45]\.(?:3\.4|2\.3)\b|\btoo (?:large|big)\b/i, LARGE],
  [/\b[45]\.7\.\d+\b/, POLICY],
];

/** Explanations of events that no reply explains. */
const EVENTS: Readonly<Record<string, Explanation>> = {
  suppressed: {
    title: "On the suppression list",
    meaning:
      "Nothing was sent: an earlier email bounced, the person asked for no more mail, or the address was suppressed by hand.",
  },
  complained: {
    title: "Marked as spam",
    meaning: "The email arrived, and the person marked it as spam. The address gets no further mail.",
  },
};

/** An email of which no recipient was left: no server was asked. */
const NOT_SENT: Explanation = {
  title: "Not sent",
  meaning: "Every recipient is on the suppression list, so no mail server was asked.",
};

const FAILURES = ["bounced", "rejected", "failed", "complained", "suppressed"];

/** Returns what a failure means, or null for an event that is none. Pure. */
export function explainFailure({
  event_type: type,
  metadata,
}: Pick<EventOut, "event_type" | "metadata">): Explanation | null {
  if (!FAILURES.includes(type)) return null;
  const reply = String(metadata?.response ?? metadata?.diagnostic ?? "");
  const reason = String(metadata?.reason ?? "");
  if (EVENTS[type]) return EVENTS[type];
  if (type === "failed") return explainEnd(reply, reason);
  if (type === "rejected" && reply === "") return NOT_SENT;
  const about = classifyFailure({ status: textOrNull(metadata?.dsn), text: reply, phase: null });
  if (about === "address") return ADDRESS;
  if (about === "domain") return DOMAIN;
  return byCode(reply) ?? OTHER;
}

function explainEnd(reply: string, reason: string): Explanation {
  if (reply === "") return { title: "Could not be sent", meaning: reason === "" ? OTHER.meaning : sentence(reason) };
  const known = byCode(reply);
  return {
    title: known?.title ?? "Given up",
    meaning: `The recipient's mail server did not take it at any attempt. ${known?.meaning ?? "Retry when the cause is gone."}`,
  };
}

const byCode = (reply: string) => CODES.find(([pattern]) => pattern.test(reply))?.[1];
const textOrNull = (value: unknown) => (typeof value === "string" ? value : null);
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
