import { readFileSync } from "node:fs";
import { MAX_TIMES } from "./receivers/reactions.ts";
import type { Action, PaceLimits, Receiver, ReplyRule } from "./receivers/types.ts";

type Fields = Readonly<Record<string, unknown>>;

const LIMITS = ["connections", "messagesPerConnection", "messagesPerMinute"] as const;
const PLAIN_ACTIONS = ["pause-receiver", "pause-source", "bounce"];

/**
 * Reads the receivers of the operator, which come before those of the table (docs/egress.md): a JSON list. Throws an Error that names
 * the entry and the field.
 */
export function readReceivers(file: string): Receiver[] {
  const parsed = JSON.parse(readFileSync(file, "utf8")) as unknown;
  if (!Array.isArray(parsed)) throw new Error(`${file} must have a list of receivers`);
  return parsed.map((entry: unknown, index) => {
    try {
      return toReceiver(fieldsOf(entry));
    } catch (error) {
      throw new Error(`${file}, receiver ${index + 1}: ${(error as Error).message}`);
    }
  });
}

function toReceiver(entry: Fields): Receiver {
  const name = textOf(entry, "name", /^[a-z0-9-]{1,100}$/);
  const suffixes = listOf(entry, "mxSuffixes").map((suffix) => textOf({ suffix }, "suffix", /^\.[a-z0-9.-]+$/));
  const limits: Partial<PaceLimits> = {};
  const given = fieldsOf(entry.limits ?? {});
  for (const limit of LIMITS) if (given[limit] !== undefined) limits[limit] = numberOf(given, limit);
  return {
    name,
    label: entry.label === undefined ? name : textOf(entry, "label", /^[^()\r\n]{1,100}$/),
    mxSuffixes: suffixes,
    limits,
    rules: listOf(entry, "rules").map((rule) => toRule(fieldsOf(rule))),
  };
}

function toRule(rule: Fields): ReplyRule {
  const threshold = numberOf(rule, "threshold");
  if (threshold > MAX_TIMES) throw new Error(`threshold must be at most ${MAX_TIMES}`);
  return {
    pattern: new RegExp(textOf(rule, "pattern", /./), "i"),
    threshold,
    action: toAction(fieldsOf(rule.action)),
    minutes: rule.minutes === undefined ? 0 : numberOf(rule, "minutes"),
    isTemporary: rule.isTemporary === true,
  };
}

function toAction(action: Fields): Action {
  const kind = String(action.kind);
  if (kind === "slow") return { kind, messagesPerMinute: numberOf(action, "messagesPerMinute") };
  if (kind === "narrow") return { kind, connections: numberOf(action, "connections") };
  if (PLAIN_ACTIONS.includes(kind)) return { kind } as Action;
  throw new Error(`action.kind must be one of slow, narrow, ${PLAIN_ACTIONS.join(", ")}`);
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== "object" || value === null) throw new Error(`${JSON.stringify(value)} must be an object`);
  return value as Fields;
}

function listOf(fields: Fields, name: string): unknown[] {
  const value = fields[name] ?? [];
  if (!Array.isArray(value)) throw new Error(`${name} must be a list`);
  return value as unknown[];
}

function textOf(fields: Fields, name: string, pattern: RegExp): string {
  const value = fields[name];
  if (typeof value !== "string" || !pattern.test(value)) throw new Error(`${name} must match ${pattern.source}`);
  return value;
}

function numberOf(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== "number" || !(value > 0)) throw new Error(`${name} must be a number above 0`);
  return value;
}
