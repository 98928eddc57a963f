import type { EmailState } from "../../../src/sending/emails/timeline/index.ts";
import { HOUR_MS } from "./support.ts";

/** One increment of a counter. The domain '' counts emails, the others count recipients. */
export interface Count {
  hour: number;
  domain: string;
  column: string;
  change: number;
}

const REACHED = ["sent", "delivered", "complained"];
const ARRIVED = ["delivered", "complained"];
const FIRST_ONLY = ["complained", "deferred", "unsubscribed"];

/** The state that an event leads to, by the states from which it does. */
const MOVES: Record<string, string[]> = {
  sent: ["queued", "failed"],
  delivered: ["queued", "failed", "sent"],
  bounced: ["queued", "failed", "sent", "delivered"],
  rejected: ["queued"],
  failed: ["queued"],
  complained: ["queued", "failed", "sent", "delivered", "bounced"],
};

/** Counts the stored events of emails anew, by what the columns mean and not as the service counts them. */
export function recount(emails: readonly EmailState[]): Count[] {
  return emails.flatMap((email) => [
    ...countFacts(email),
    ...countHits(email, "open", "opens"),
    ...countHits(email, "click", "clicks"),
  ]);
}

const domainOf = (address: unknown) => String(address).split("@")[1] ?? "";

function countFacts({ recipients, events }: EmailState): Count[] {
  const counts: Count[] = [];
  const states = new Map(recipients.map(({ email }) => [email, "queued"]));
  const seen = new Set<string>();
  const once = (key: string) => !seen.has(key) && Boolean(seen.add(key));
  let status = "queued";
  for (const { type, at, metadata } of events) {
    if (type === "open" || type === "click") continue;
    const address = String(metadata?.recipient);
    const add = (domain: string, column: string) =>
      counts.push({ hour: Math.floor(at / HOUR_MS), domain, column, change: 1 });
    const from = states.get(address) ?? "";
    const to = MOVES[type]?.includes(from) ? type : from;
    states.set(address, to);
    const domain = domainOf(address);
    if (FIRST_ONLY.includes(type) && once(`${type} ${address}`)) add(domain, type);
    if (FIRST_ONLY.includes(type) && once(type)) add("", type);
    if (to !== from) {
      if (REACHED.includes(to) && !REACHED.includes(from) && from !== "bounced") add(domain, "sent");
      if (ARRIVED.includes(to) && !ARRIVED.includes(from)) add(domain, "delivered");
      if (to === "bounced") add(domain, "bounced");
      if (to === "failed" || to === "rejected") add(domain, "failed");
      if ((to === "bounced" || to === "rejected") && !REACHED.includes(from)) add(domain, "refused");
    }
    if ([...states.values()].some((state) => REACHED.includes(state)) && once("email sent")) add("", "sent");
    const now = statusOf([...states.values()]);
    if (now === "delivered" && once("email delivered")) add("", "delivered");
    if (now !== status && now === "bounced") add("", "bounced");
    if (now !== status && (now === "failed" || now === "rejected")) add("", "failed");
    status = now;
  }
  return counts;
}

/** The worst state, once none waits. A complaint proves delivery. */
function statusOf(states: readonly string[]): string {
  const order = ["queued", "sent", "bounced", "rejected", "failed", "delivered"];
  const shown = states.map((state) => (state === "complained" ? "delivered" : state));
  return order.find((state) => shown.includes(state)) ?? "";
}

/** An email counts once, at its earliest hit by a person, under the domain of the recipient. */
function countHits({ events }: EmailState, type: string, column: string): Count[] {
  const persons = events.filter((event) => event.type === type && event.metadata?.machine !== true);
  const [first] = persons.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  if (!first) return [];
  return ["", domainOf(first.metadata?.recipient)].map((domain) => ({
    ...{ hour: Math.floor(first.at / HOUR_MS), domain, column, change: 1 },
  }));
}
