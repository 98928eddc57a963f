import type { DaneCounts } from "./destinations.ts";
import type { Hold } from "./hold.ts";
import type { ReceiverQueue } from "./receiver-queue.ts";
import type { Reporter } from "./reporter.ts";

/** The parts of the egress whose state is shown. */
export interface Measured {
  /** The source address. */
  address: string;
  hold: Hold;
  reporter: Reporter;
  queues: ReadonlyMap<string, ReceiverQueue>;
  /** Null without DANE. */
  dane: DaneCounts | null;
}

interface Metric {
  name: string;
  type: "gauge" | "counter";
  help: string;
  samples: [labels: Readonly<Record<string, string>>, value: number][];
}

/** Receivers that are shown, those with most work first: a monitoring system keeps a series for each. */
const MAX_RECEIVERS = 500;
const SECOND_MS = 1_000;

/** Returns the metrics of the egress in the text format of Prometheus. `now` in ms since 1970. */
export function metricsText(measured: Measured, now: number): string {
  const metrics = [...processMetrics(measured), ...daneMetrics(measured), ...receiverMetrics(measured, now)];
  return metrics.map(toText).join("");
}

function processMetrics({ hold, reporter }: Measured): Metric[] {
  const gauge = (name: string, help: string, value: number): Metric => ({
    name,
    type: "gauge",
    help,
    samples: [[{}, value]],
  });
  return [
    gauge("smtp_egress_held_emails", "Emails in memory without a result for each recipient.", hold.count),
    gauge("smtp_egress_memory_used_bytes", "Memory of these emails.", hold.used),
    gauge("smtp_egress_memory_limit_bytes", "Memory that emails may have (MEMORY_MB).", hold.used + hold.free),
    gauge(
      "smtp_egress_unacknowledged_final_dots",
      "Results of final dots that the Worker has not acknowledged.",
      reporter.unacknowledged,
    ),
  ];
}

function daneMetrics({ dane }: Measured): Metric[] {
  if (dane === null) return [];
  const counter = (name: string, help: string, counts: Readonly<Record<string, number>>): Metric => ({
    name,
    type: "counter",
    help,
    samples: Object.entries(counts).map(([result, count]) => [{ result }, count]),
  });
  return [
    counter("smtp_egress_dns_answers_total", "Answers of the resolver for DANE, by its AD bit.", dane.answers),
    counter("smtp_egress_tlsa_lookups_total", "Look-ups of TLSA records, by what was found.", dane.lookups),
  ];
}

function receiverMetrics({ address, queues }: Measured, now: number): Metric[] {
  const shown = [...queues.values()]
    .sort((a, b) => b.waiting + b.running + b.counts.sent - (a.waiting + a.running + a.counts.sent))
    .slice(0, MAX_RECEIVERS);
  const metric = (
    name: string,
    type: Metric["type"],
    help: string,
    valueIn: (queue: ReceiverQueue) => number | null,
    labelsOf: (queue: ReceiverQueue) => Readonly<Record<string, string>> = () => ({}),
  ): Metric => ({
    name: `smtp_egress_receiver_${name}`,
    type,
    help,
    samples: shown.flatMap((queue) => {
      const value = valueIn(queue);
      const labels = { receiver: queue.pace.receiver.name, address, ...labelsOf(queue) };
      return value === null ? [] : [[labels, value] as [Readonly<Record<string, string>>, number]];
    }),
  });
  return [
    metric("accepted_total", "counter", "Recipients accepted by the receiver.", ({ counts }) => counts.sent),
    metric("deferred_total", "counter", "Recipients deferred, or without a reply.", ({ counts }) => counts.deferred),
    metric("refused_total", "counter", "Recipients refused.", ({ counts }) => counts.refused),
    metric("waiting", "gauge", "Deliveries that wait in memory.", ({ waiting }) => waiting),
    metric("running", "gauge", "Transactions that run.", ({ running }) => running),
    metric("connections", "gauge", "Open connections.", ({ connections }) => connections),
    metric("window", "gauge", "Transactions that may run at a time.", ({ pace }) => pace.connections(now)),
    metric("messages_per_minute", "gauge", "Messages that may leave in a minute.", ({ pace }) => {
      return Math.round(10 * pace.limits(now).messagesPerMinute) / 10;
    }),
    metric(
      "limited_until_seconds",
      "gauge",
      "End of the present pause or lower limit, in seconds since 1970, with the reply that caused it.",
      ({ pace }) => {
        const until = pace.cause(now)?.until;
        return until === undefined ? null : Math.round(until / SECOND_MS);
      },
      ({ pace }) => ({ reply: pace.cause(now)?.reply ?? "", action: pace.cause(now)?.action.kind ?? "" }),
    ),
    metric("warm_up_day", "gauge", "Day of the warm-up.", ({ pace }) => pace.warmUpDay(now)),
  ];
}

function toText({ name, type, help, samples }: Metric): string {
  const lines = samples.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

const escaped = (text: string) => text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
