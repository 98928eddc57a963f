import type { Child } from "hono/jsx";
import { Status, Time } from "../../../http/ui/index.ts";
import type { DetailOut, EventOut } from "../../../sending/emails/index.ts";
import type { ReceiverWait } from "../../../sending/receivers/index.ts";
import { explainFailure } from "./explain-failure.ts";

interface TimelineProps {
  email: Pick<DetailOut, "events" | "source">;
  waits: readonly ReceiverWait[];
}

/** The events of an email as sentences, each with its details folded, and last the receivers that it waits for. */
export const Timeline = ({ email, waits }: TimelineProps) => (
  <ol class="timeline">
    {email.events.map((event) => (
      <li id={`event-${event.id}`}>
        <Status word={event.event_type} label={toText(event, email.source)} />{" "}
        <span class="soft">
          <Time at={event.created_at} as="seconds" />
        </span>
        <Next event={event} />
        <Details event={event} />
      </li>
    ))}
    {waits.map(({ label, until, reason }) => (
      <li>
        <Status word="deferred" label={`Waiting: ${label} has slowed us down until`} />{" "}
        <Time at={new Date(until).toISOString()} as="whole" />
        <details>
          <summary>Reply of the mail server</summary>
          <pre>{reason}</pre>
        </details>
      </li>
    ))}
  </ol>
);

/** Names of sources, as the end of "Accepted …". */
const SOURCES: Readonly<Record<string, string>> = {
  api: "from the API",
  batch: "in a batch of the API",
  bulk: "for a list",
  broadcast: "for a broadcast",
  inbox: "from webmail",
  smtp: "by SMTP",
  system: "from this service",
  ui: "from the dashboard",
};

/** Returns how an email came, such as "from the dashboard". */
export const sourceText = (source: string) => SOURCES[source] ?? `from ${source}`;

/** Returns an event in one sentence. Pure. */
export function toText({ event_type: type, metadata }: EventOut, source: string): string {
  const recipient = typeof metadata?.recipient === "string" ? metadata.recipient : null;
  const to = recipient === null ? "" : ` to ${recipient}`;
  const by =
    metadata?.machine === true ? " by a program, not by a person" : recipient === null ? "" : ` by ${recipient}`;
  switch (type) {
    case "queued":
      return metadata?.send_now === true ? "Sent now instead of at its time" : `Accepted ${sourceText(source)}`;
    case "scheduled":
      return "Scheduled";
    case "sent":
      return `Handed over for delivery${to}`;
    case "delivered":
      return `Delivered${to}`;
    case "deferred":
      return `Not taken yet${recipient === null ? "" : ` for ${recipient}`}`;
    case "cancelled":
      return `Cancelled${to === "" ? "" : ` for ${recipient}`}`;
    case "open":
      return `Opened${by}`;
    case "click":
      return `Link opened${by}`;
    case "unsubscribed":
      return `Unsubscribed${by}`;
    case "retried":
      return "Retried with a new email";
    default: {
      const explanation = explainFailure({ event_type: type, metadata });
      return explanation ? `${explanation.title}${recipient === null ? "" : `: ${recipient}`}` : type;
    }
  }
}

/** The time that an event announces. */
function Next({ event: { metadata } }: { event: EventOut }) {
  const next = metadata?.next_attempt_at ?? metadata?.scheduled_at;
  if (typeof next !== "string") return null;
  return (
    <div class="soft">
      {metadata?.next_attempt_at === undefined ? "For" : "Next attempt"} <Time at={next} as="whole" />
    </div>
  );
}

/** Fields that the sentence of an event says. */
const SAID = new Set(["recipient", "next_attempt_at", "scheduled_at", "send_now", "machine"]);

function Details({ event: { metadata } }: { event: EventOut }) {
  const { response, ...rest } = metadata ?? {};
  const facts = Object.entries(rest).filter(([name, value]) => !SAID.has(name) && value !== null);
  if (response === undefined && facts.length === 0) return null;
  return (
    <details>
      <summary>{response === undefined ? "Details" : "Reply of the mail server"}</summary>
      {response === undefined ? null : <pre>{String(response)}</pre>}
      {facts.length === 0 ? null : (
        <p class="soft">
          {facts.map(([name, value]): Child => `${name.replaceAll("_", " ")}: ${textOf(value)}`).join(" · ")}
        </p>
      )}
    </details>
  );
}

const textOf = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));
