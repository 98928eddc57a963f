import { boundedPattern } from "./bounded-pattern.ts";
import { fail, fieldsOf, itemsOf, numberOf, type Place, parseJson, textOf } from "./checked-json.ts";
import { MAX_TIMES } from "./reactions.ts";
import { receiverOf } from "./receiver-of.ts";
import { receivers } from "./table.ts";
import type { Action, PaceLimits, Receiver, ReplyRule } from "./types.ts";

/** The table of receivers, with the changes of an operator. */
export interface Receivers {
  /** Returns the receiver of a domain by its MX hosts, best preference first. */
  receiverOf(mxHosts: readonly string[]): Receiver;
}

const MAX_RECEIVERS = 1_000;
const MAX_ITEMS = 100;
const LIMITS = {
  connections: [1, 1_000],
  messagesPerConnection: [1, 10_000],
  messagesPerMinute: [1, 1_000_000],
} as const satisfies Record<keyof PaceLimits, readonly [number, number]>;
const LIMIT_NAMES = Object.keys(LIMITS) as (keyof PaceLimits)[];
const KINDS = ["slow", "narrow", "pause-receiver", "pause-source", "bounce"] as const satisfies Action["kind"][];
const KIND = new RegExp(`^(?:${KINDS.join("|")})$`);
/** Longest time of a rule, in minutes: a week. */
const MAX_MINUTES = 10_080;

/**
 * Reads the file of an operator, JSON: limits of all receivers, further receivers, and changes of those that the table has, or a list
 * of receivers alone (docs/egress/own-egress.md#receivers). Throws an Error that names the wrong place.
 */
export function readReceivers(text: string): Receivers {
  const document = parseJson(text, "RECEIVERS_FILE");
  const file = Array.isArray(document.value) ? null : fieldsOf(document, ["limits", "receivers"]);
  const standard = file === null ? {} : readLimits(file.limits);
  const places = itemsOf(file?.receivers ?? document, MAX_RECEIVERS);
  const own = places.map(readReceiver);
  for (const [index, { name }] of own.entries()) {
    const first = own.findIndex((other) => other.name === name);
    if (first < index) fail(places[index] as Place, `has the name "${name}" of receivers[${first}]`);
  }
  return {
    receiverOf(mxHosts) {
      const receiver = receiverOf(mxHosts, own);
      return { ...receiver, limits: { ...standard, ...receiver.limits } };
    },
  };
}

/** Reads a receiver. With a name of the table it has what the table says, changed: its own rules come first. */
function readReceiver(place: Place): Receiver {
  const fields = fieldsOf(place, ["name", "label", "mxSuffixes", "limits", "rules", "isWithoutKnownRules"]);
  const name = textOf(fields.name, /^[a-z0-9-]{1,40}$/, "1 to 40 lower case letters, digits and hyphens");
  const known = receivers.find((receiver) => receiver.name === name);
  const mxSuffixes = itemsOf(fields.mxSuffixes, MAX_ITEMS).map((item) =>
    textOf(item, /^(\.[a-z0-9_-]{1,63}){2,}$/, 'the end of a host name with a leading dot, such as ".mx.example.net"'),
  );
  if (!known && mxSuffixes.length === 0) fail(fields.mxSuffixes, `is missing, and the table has no receiver "${name}"`);
  const dropsRules = fields.isWithoutKnownRules.value ?? false;
  if (typeof dropsRules !== "boolean") fail(fields.isWithoutKnownRules, "must be true or false");
  const rules = itemsOf(fields.rules, MAX_ITEMS).map(readRule);
  return {
    name,
    label: fields.label.value === undefined ? (known?.label ?? name) : readLabel(fields.label),
    mxSuffixes: [...mxSuffixes, ...(known?.mxSuffixes ?? [])],
    limits: { ...known?.limits, ...readLimits(fields.limits) },
    rules: [...rules, ...(dropsRules ? [] : (known?.rules ?? []))],
  };
}

/** Reads a label. The hand-over has it between parentheses. */
const readLabel = (place: Place) => textOf(place, /^[^()\p{C}]{1,60}$/u, "1 to 60 characters without parentheses");

function readLimits(place: Place): Partial<PaceLimits> {
  if (place.value === undefined) return {};
  const fields = fieldsOf(place, LIMIT_NAMES);
  const given = LIMIT_NAMES.filter((name) => fields[name].value !== undefined);
  return Object.fromEntries(given.map((name) => [name, numberOf(fields[name], LIMITS[name])]));
}

function readRule(place: Place): ReplyRule {
  const fields = fieldsOf(place, ["pattern", "threshold", "action", "minutes", "isTemporary"]);
  const action = readAction(fields.action);
  const isBounce = action.kind === "bounce";
  if (isBounce && fields.minutes.value !== undefined)
    fail(fields.minutes, "has no effect: the action concerns one reply");
  const { value: isTemporary = false } = fields.isTemporary;
  if (typeof isTemporary !== "boolean") fail(fields.isTemporary, "must be true or false");
  return {
    pattern: readPattern(fields.pattern),
    threshold: fields.threshold.value === undefined ? 1 : numberOf(fields.threshold, [1, MAX_TIMES]),
    action,
    minutes: isBounce ? 0 : numberOf(fields.minutes, [1, MAX_MINUTES]),
    ...(isTemporary ? { isTemporary } : {}),
  };
}

function readPattern(place: Place): RegExp {
  const text = textOf(place, /^/, "a text");
  try {
    return boundedPattern(text);
  } catch (error) {
    return fail(place, (error as Error).message);
  }
}

/** Reads an action: its kind, and the number that two kinds have. */
function readAction(place: Place): Action {
  const { kind: given } = fieldsOf(place, ["kind", "messagesPerMinute", "connections"]);
  const kind = textOf(given, KIND, `one of ${KINDS.join(", ")}`) as Action["kind"];
  if (kind === "slow") {
    const { messagesPerMinute } = fieldsOf(place, ["kind", "messagesPerMinute"]);
    return { kind, messagesPerMinute: numberOf(messagesPerMinute, LIMITS.messagesPerMinute) };
  }
  if (kind === "narrow") {
    const { connections } = fieldsOf(place, ["kind", "connections"]);
    return { kind, connections: numberOf(connections, LIMITS.connections) };
  }
  fieldsOf(place, ["kind"]);
  return { kind };
}
