import { afterAttempt } from "../../src/notices/webhooks/rules.ts";
import { pausedSources } from "../../src/platform/bulk-pauses/rules.ts";
import { BULK_PAUSE_DEFAULTS } from "../../src/platform/settings/variables.ts";
import { webhookEventTypes } from "../../src/platform/webhook-events/rules.ts";
import { simulate } from "../../src/sending/delivery/prepare/simulator.ts";
import { waitAfter } from "../../src/sending/delivery/rules.ts";
import {
  emailTransitions,
  eventTypes,
  isSuppressing,
  recipientTransitions,
  type SuppressionReason,
  statuses,
  transitionOf,
} from "../../src/sending/emails/rules.ts";
import { ALERTED_BOUNCES, ALERTED_COMPLAINTS, LEAST_ALERTED } from "../../src/sending/rates/rules.ts";
import { scannerNetworks, userAgentRules } from "../../src/sending/tracking/rules.ts";
import { code, codes, count, duration, table } from "./markdown.ts";

const transition = ({ from, on, to, event }: { from: string; on: string; to: string; event: string }) => [
  code(from),
  on,
  code(to),
  code(event),
];

/** Returns the waits after failed attempts, numbered from 1, as a table. */
export function waitTable(waits: readonly (number | null)[]): string {
  const rows = waits.map((wait, index) => [index + 1, wait === null ? "none: it was the last" : duration(wait)]);
  return table(["failed attempt", "wait until the next"], rows);
}

/** Calls a function of the number of an attempt, from 1 on, until it returns null, which is included. */
export function waitsOf(wait: (attempt: number) => number | null): (number | null)[] {
  const next = wait(1);
  const waits = [next];
  while (waits.at(-1) !== null) waits.push(wait(waits.length + 1));
  return waits;
}

const reasons: readonly SuppressionReason[] = ["bounce", "complaint", "manual", "unsubscribe", "soft_bounces"];
const SIMULATED = ["delivered", "bounced", "deferred", "complained", "suppressed", "anything-else"];

const stops = (reason: SuppressionReason, source: string, isRetry: boolean) =>
  isSuppressing({ reason, isUnsubscribed: false }, { source, isRetry }) ? "yes" : "no";

/** Tables of emails, their delivery, and what follows from it. */
export const emailTables = {
  "email-statuses": () => codes(statuses),
  "event-types": () => codes(eventTypes),
  "email-transitions": () => table(["from", "when", "to", "event"], emailTransitions.map(transition)),
  "recipient-transitions": () => table(["from", "fact", "to", "event"], recipientTransitions.map(transition)),
  "attempt-waits": () => waitTable(waitsOf((attempt) => waitAfter(attempt, 0.5))),
  simulations: () =>
    table(
      ["address", "events"],
      SIMULATED.map((local) => {
        const attempt = { relay: "simulator", number: 1, nextAt: 0, afterInterruption: false };
        const outcomes = simulate(`${local}@simulator.test`, attempt);
        return [code(`${local}@`), outcomes.map(({ on }) => code(transitionOf("queued", on).event)).join(", then ")];
      }),
    ),
  "suppression-reasons": () =>
    table(
      ["reason", "single mail", "bulk, broadcast, topic mail", "retry of single mail", "retry of bulk or topic mail"],
      reasons.map((reason) => [
        code(reason),
        stops(reason, "api", false),
        stops(reason, "bulk", false),
        stops(reason, "api", true),
        stops(reason, "bulk", true),
      ]),
    ),
  machines: () =>
    table(
      ["client", "counts as"],
      [
        ...userAgentRules.map(({ description, machine }) => [description, machine ? "machine" : "person"]),
        ...scannerNetworks.map(({ description }) => [`network: ${description}`, "machine"]),
      ],
    ),
  "rate-alerts": () =>
    table(
      ["rate of the last 60 minutes", "alert above", "from"],
      [
        ["bounces, hard and soft, of sent", `${100 * ALERTED_BOUNCES} %`, `${count(LEAST_ALERTED)} recipients`],
        ["complaints of sent", `${100 * ALERTED_COMPLAINTS} %`, `${count(LEAST_ALERTED)} recipients`],
      ],
    ),
  "self-stop": () =>
    table(
      ["hard bounces of sent", "complaints of sent", "sources that wait"],
      [1, 2].map((pause) => [
        `above ${pause * BULK_PAUSE_DEFAULTS.bouncePercent} %`,
        `above ${pause * BULK_PAUSE_DEFAULTS.complaintPercent} %`,
        codes(pausedSources(pause)),
      ]),
    ),
  "webhook-events": () => codes(webhookEventTypes),
  "webhook-waits": () =>
    waitTable(
      waitsOf((attempt) => {
        const { dueAt } = afterAttempt(attempt, false, 0);
        return dueAt;
      }),
    ),
};
