import type { Ctx } from "../../platform/context.ts";
import { MAIN_EGRESS } from "../../platform/settings/named-egresses.ts";
import { listReceivers } from "../../sending/receivers/index.ts";
import { OUTCOMES, readDeliveries } from "./deliveries.ts";
import { readOutboxes } from "./outboxes.ts";
import { readReadiness } from "./readiness.ts";
import { type Metric, toPrometheus } from "./rules.ts";
import { readToday } from "./today.ts";

/** Outbox rows and dead letters that are counted in each database. */
const MAX_ROWS = 10_000;

const DEAD_LETTERS = `
  SELECT queue, count(*) AS letters FROM (SELECT queue FROM dead_letters LIMIT ?1) GROUP BY queue`;
const CRON_RUNS = "SELECT schedule, ran_at FROM cron_runs";
const STOPPED = "SELECT count(*) AS value FROM workspaces WHERE bulk_paused_at IS NOT NULL AND deleted_at IS NULL";

/** Returns the metrics of GET /metrics in the Prometheus text format. A database that fails has only `email_database_up` 0. */
export async function readMetrics(ctx: Ctx): Promise<string> {
  const [outboxes, { status, system_mail, details }, stored, deliveries, today] = await Promise.all([
    readOutboxes(ctx, MAX_ROWS),
    readReadiness(ctx),
    readStored(ctx).catch(() => ({ letters: [], runs: [], stopped: [], receivers: [] })),
    readDeliveries(ctx),
    readToday(ctx),
  ]);
  const now = ctx.now();
  const answering = outboxes.filter(({ error }) => error === null);
  const byKind = (countOf: (row: (typeof answering)[number]["kinds"][number]) => number) =>
    answering.flatMap(({ database, kinds }) =>
      kinds.map((row) => ({ labels: { database, kind: row.kind }, value: countOf(row) })),
    );
  const metrics: Metric[] = [
    metric("email_ready", "1: GET /ready returns ready or degraded.", [{ value: Number(status !== "not_ready") }]),
    metric("email_system_mail_ready", "1: the service can send its own emails.", [
      { value: Number(system_mail === "configured") },
    ]),
    metric("email_setting_issues", "Settings that are malformed, missing or placeholders.", [
      {
        value: [details.setting_issues, details.egress_issues, details.zone_issues, details.cfbl_issues].flat().length,
      },
    ]),
    metric(
      "email_database_up",
      "1: the database responds.",
      outboxes.map(({ database, error }) => ({ labels: { database }, value: Number(error === null) })),
    ),
    metric(
      "email_database_size_bytes",
      "Size of the database without free pages.",
      answering.map(({ database, size }) => ({ labels: { database }, value: size })),
    ),
    metric(
      "email_outbox_due",
      "Outbox rows that are due, counted up to 10,000.",
      byKind(({ due }) => due),
    ),
    metric(
      "email_outbox_oldest_seconds",
      "Seconds for which the oldest outbox row is due.",
      byKind(({ oldestAt }) => Math.max(0, (now - oldestAt) / 1000)),
    ),
    metric(
      "email_outbox_retried",
      "Due outbox rows that a run has claimed before without finishing them.",
      byKind(({ retried }) => retried),
    ),
    metric(
      "email_outbox_waiting_for_egress",
      "Outbox rows whose last attempt did not reach MAIL FROM, counted up to 10,000.",
      answering
        .filter(({ database }) => database !== "main")
        .map(({ database, waitingForEgress }) => ({ labels: { database }, value: waitingForEgress })),
    ),
    metric(
      "email_outbox_quarantined",
      "Outbox rows that were set aside, counted up to 10,000.",
      answering.map(({ database, quarantined }) => ({ labels: { database }, value: quarantined })),
    ),
    metric(
      "email_recipients_last_hour",
      "Recipients by outcome in the last hour that ended and was summed.",
      deliveries.flatMap(({ database, lastHour }) =>
        OUTCOMES.map((outcome) => ({ labels: { database, outcome }, value: lastHour[outcome] })),
      ),
    ),
    metric(
      "email_recipients_last_60_minutes",
      "Recipients by outcome in the 60 minutes before the last check of rates.",
      deliveries.flatMap(({ database, last60Minutes: { sent, bounced, softBounced, complained } }) =>
        Object.entries({ sent, bounced, soft_bounced: softBounced, complained }).map(([outcome, value]) => ({
          labels: { database, outcome },
          value,
        })),
      ),
    ),
    metric(
      "email_receiver_wait_seconds",
      "Seconds for which a receiver takes no mail from an egress of our own.",
      stored.receivers
        .filter(({ until }) => until !== null)
        .map(({ receiver, egress, until }) => ({
          labels: { receiver, egress: egress ?? MAIN_EGRESS },
          value: ((until ?? now) - now) / 1000,
        })),
    ),
    metric(
      "email_receiver_accepted_today",
      "Emails that a receiver has accepted since 00:00 UTC, of the 100 with the most.",
      [...new Map(stored.receivers.map((row) => [row.receiver, row.accepted_today]))].map(([receiver, value]) => ({
        labels: { receiver },
        value,
      })),
    ),
    metric("email_workspaces_stopped", "Workspaces that stopped themselves and were not resumed.", stored.stopped),
    metric(
      "email_webhook_deliveries_waiting",
      "Deliveries of webhooks that wait for their turn or a retry.",
      deliveries.map(({ database, webhooksWaiting }) => ({ labels: { database }, value: webhooksWaiting })),
    ),
    metric(
      "email_webhook_oldest_seconds",
      "Seconds for which the first endpoint of a webhook is due.",
      deliveries.map(({ database, webhooksDueAt }) => ({
        labels: { database },
        value: Math.max(0, (now - (webhooksDueAt ?? now)) / 1000),
      })),
    ),
    metric(
      "email_dead_letters",
      "Recorded queue messages that failed every retry, counted up to 10,000.",
      stored.letters.map(({ queue, letters }) => ({ labels: { queue }, value: letters })),
    ),
    metric(
      "email_cron_last_run_timestamp_seconds",
      "When the schedule last ran to its end.",
      stored.runs.map(({ schedule, ran_at }) => ({ labels: { schedule }, value: ran_at / 1000 })),
    ),
    ...today,
  ];
  return toPrometheus(metrics);
}

const metric = (name: string, help: string, samples: Metric["samples"]): Metric => ({ name, help, samples });

type StoredMetrics = [{ queue: string; letters: number }, { schedule: string; ran_at: number }, { value: number }];

async function readStored(ctx: Ctx) {
  const [[letters, runs, stopped], receivers] = await Promise.all([
    ctx.db.listEach<StoredMetrics>([
      ctx.db.prepare(DEAD_LETTERS).bind(MAX_ROWS),
      ctx.db.prepare(CRON_RUNS),
      ctx.db.prepare(STOPPED),
    ]),
    listReceivers(ctx),
  ]);
  return { letters, runs, stopped, receivers };
}
