import type { EmailState } from "../../../src/sending/emails/timeline/index.ts";
import { HOUR_MS } from "./support.ts";

/** One increment of a counter of recipients. The domain '' has the opens and clicks of emails. */
export interface Count {
  hour: number;
  domain: string;
  column: string;
  change: number;
}

const REACHED = ["sent", "delivered", "complained"];
const FIRST_ONLY = ["complained", "deferred", "unsubscribed"];

/** The state that an event leads to, by the states from which it does. */
const MOVES: Record<string, string[]> = {
  held: ["queued"],
  sent: ["queued", "held", "failed"],
  delivered: ["queued", "held", "failed", "sent"],
  bounced: ["queued", "held", "failed", "sent", "delivered"],
  rejected: ["queued", "held"],
  failed: ["queued", "held"],
  complained: ["queued", "held", "failed", "sent", "delivered", "bounced"],
  deferred: ["held"],
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
const hourOf = (at: number) => Math.floor(at / HOUR_MS);

/** Counts each recipient where it was handed over or refused first, and where its last known state began. */
function countFacts({ recipients, events }: EmailState): Count[] {
  return recipients.flatMap(({ email }) => {
    const own = events.filter(
      ({ type, metadata }) => metadata?.recipient === email && type !== "open" && type !== "click",
    );
    const domain = domainOf(email);
    const first = FIRST_ONLY.flatMap((type) => own.find((event) => event.type === type) ?? []);
    const counts: Count[] = first.map(({ type, at }) => ({ hour: hourOf(at), domain, column: type, change: 1 }));
    let state = "queued";
    let last: { at: number; column: string } | null = null;
    let isSent = false;
    for (const { type: shown, at, metadata } of own) {
      const type = metadata?.is_held === true ? "held" : shown;
      if (!MOVES[type]?.includes(state)) continue;
      if (type === "deferred") {
        state = "queued";
        continue;
      }
      const stays = state === "delivered" && type === "complained";
      state = type;
      const column = columnOf(type, metadata);
      if (!stays) last = column === null ? null : { at, column };
      if (!isSent && (type === "sent" || type === "held" || (column !== null && column !== "unsent"))) {
        isSent = true;
        const isRefused = type !== "held" && !REACHED.includes(type);
        counts.push({ hour: hourOf(at), domain, column: "sent", change: 1 });
        if (isRefused) counts.push({ hour: hourOf(at), domain, column: "refused", change: 1 });
      }
    }
    return last ? [...counts, { hour: hourOf(last.at), domain, column: last.column, change: 1 }] : counts;
  });
}

function columnOf(type: string, metadata: Record<string, unknown> | undefined): string | null {
  if (type === "delivered" || type === "complained") return "delivered";
  if (type === "bounced") return metadata?.bounce_type === "soft" ? "soft_bounced" : "bounced";
  if (type === "rejected") return "failed";
  if (type === "failed") return metadata?.relay ? "failed" : "unsent";
  return null;
}

/** An email counts once, at its earliest hit by a person, under the domain of the recipient. */
function countHits({ events }: EmailState, type: string, column: string): Count[] {
  const persons = events.filter((event) => event.type === type && event.metadata?.machine !== true);
  const [first] = persons.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  if (!first) return [];
  return ["", domainOf(first.metadata?.recipient)].map((domain) => ({
    ...{ hour: hourOf(first.at), domain, column, change: 1 },
  }));
}
