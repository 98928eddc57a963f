import { foldCase } from "../../lib/addresses.ts";

/** Limits, conditions and actions of the filters of a mailbox (docs/contract/inbox.md#filters). Pure. */

export const filterLimits = {
  /** Conditions and actions of a filter. */
  conditions: 20,
  actions: 10,
  /** Characters of a text that a condition looks for. */
  valueCharacters: 998,
  /** Recipients of a message that conditions are compared with. */
  recipients: 200,
  /** Addresses that filters forward one message to. */
  forwards: 10,
} as const;

/** The fields of a message that hold texts. `to`: the recipient of the envelope, To and Cc. */
export const textFields = ["from", "to", "subject", "list_id"] as const;
export type TextField = (typeof textFields)[number];

export type FilterCondition =
  | { field: TextField; op: "contains" | "is"; value: string }
  /** Bytes of the message. */
  | { field: "size"; op: "over" | "under"; value: number };

export interface FilterMatch {
  /** All conditions must hold, or any of them. */
  mode: "all" | "any";
  conditions: FilterCondition[];
}

export interface FilterForward {
  address: string;
  /** The canonical form of the address. */
  key: string;
  /** Number of the workspace in which the filter was made. It forwards nothing for another one. */
  workspace: number;
  /** Who saved the filter last, with whose right it ends. Null: the mailbox itself. Absent in filters that were saved before it was stored. */
  maker?: FilterMaker | null;
}

/** A person, and the API key by which they acted. */
export interface FilterMaker {
  userId: string;
  apiKeyId: string | null;
}

export type FilterAction =
  /** The name counts when no folder has the id any more. */
  | { type: "move"; folder: string; folderId: number }
  | { type: "label"; labelId: string }
  | ({ type: "forward" } & FilterForward)
  | { type: "flag" | "mark_read" | "discard" | "stop" };

export interface Filter {
  id: string;
  name: string | null;
  match: FilterMatch;
  actions: FilterAction[];
  position: number;
  isActive: boolean;
  /** In ms since 1970. */
  createdAt: number;
  updatedAt: number;
}

/** The texts and the size of a message that conditions are compared with. */
export type FilteredMessage = Record<TextField, readonly string[]> & { size: number };

/** The changes that filters make to a message. */
export interface FilterOutcome {
  /** Null: it stays where it is. */
  placement: Extract<FilterAction, { type: "move" }> | "discard" | null;
  labelIds: string[];
  flagged: boolean;
  seen: boolean;
  forwards: (FilterForward & { filter: string })[];
}

/** Returns whether an outcome changes nothing. */
export const isNoOutcome = ({ placement, labelIds, flagged, seen, forwards }: FilterOutcome): boolean =>
  placement === null && labelIds.length === 0 && !flagged && !seen && forwards.length === 0;

/**
 * Returns a function that applies filters, in their order, to messages: the first that moves or discards a message decides where it is,
 * and `stop` ends the evaluation. The filters must be active.
 */
export function filterBy(filters: readonly Pick<Filter, "id" | "match" | "actions">[]) {
  const folded = filters.map(({ match, ...filter }) => ({ ...filter, match: foldMatch(match) }));
  return (message: FilteredMessage): FilterOutcome => {
    const texts = new Map<TextField, readonly string[]>();
    const textsOf = (field: TextField) => {
      const known = texts.get(field) ?? message[field].slice(0, filterLimits.recipients).map(foldCase);
      texts.set(field, known);
      return known;
    };
    const outcome: FilterOutcome = { placement: null, labelIds: [], flagged: false, seen: false, forwards: [] };
    for (const { id, match, actions } of folded) {
      if (!isMet(match, textsOf, message.size)) continue;
      for (const action of actions) addAction(outcome, action, id);
      if (actions.some(({ type }) => type === "stop")) break;
    }
    return outcome;
  };
}

const foldMatch = ({ mode, conditions }: FilterMatch): FilterMatch => ({
  mode,
  conditions: conditions.map((one) => (one.field === "size" ? one : { ...one, value: foldCase(one.value) })),
});

function isMet({ mode, conditions }: FilterMatch, textsOf: (field: TextField) => readonly string[], size: number) {
  const holds = (one: FilterCondition) => {
    if (one.field === "size") return one.op === "over" ? size > one.value : size < one.value;
    const { op, value } = one;
    return textsOf(one.field).some((text) => (op === "is" ? text === value : text.includes(value)));
  };
  return mode === "all" ? conditions.every(holds) : conditions.some(holds);
}

function addAction(outcome: FilterOutcome, action: FilterAction, filter: string): void {
  if (action.type === "move") outcome.placement ??= action;
  else if (action.type === "discard") outcome.placement ??= "discard";
  else if (action.type === "label") outcome.labelIds = [...new Set([...outcome.labelIds, action.labelId])];
  else if (action.type === "flag") outcome.flagged = true;
  else if (action.type === "mark_read") outcome.seen = true;
  else if (action.type === "forward") addForward(outcome, { ...action, filter });
}

function addForward({ forwards }: FilterOutcome, forward: FilterForward & { filter: string }): void {
  if (forwards.length >= filterLimits.forwards || forwards.some(({ key }) => key === forward.key)) return;
  const { filter, address, key, workspace, maker } = forward;
  forwards.push({ filter, address, key, workspace, ...(maker === undefined ? {} : { maker }) });
}

/** Returns the texts of a List-Id field (RFC 2919): the whole, and the identifier between angle brackets. */
export function listIdTexts(value: string | null): string[] {
  if (value === null) return [];
  const whole = value.trim().slice(0, 2 * filterLimits.valueCharacters);
  const id = /<([^<>]*)>\s*$/.exec(whole)?.[1]?.trim();
  return id ? [whole, id] : [whole];
}
