import type { CallerCtx } from "../../../access/caller.ts";
import { listBroadcasts } from "../../../audience/broadcasts/index.ts";
import { findKnownNames, type KnownNames } from "../../../audience/conditions/index.ts";
import { listLists } from "../../../audience/contacts/index.ts";
import { listSegments } from "../../../audience/segments/index.ts";
import type { Choice } from "../../../http/ui/index.ts";
import { MOST_COUNTED } from "../../../platform/budgets/budget.ts";
import { SERVICE_EVENTS } from "../../../platform/person-events/rules.ts";
import { listTopics } from "../../../sending/topics/index.ts";
import type { Names } from "./describe.ts";

/** The things that conditions can name. */
export type ConditionChoices = Awaited<ReturnType<typeof readConditionChoices>>;

/** Most lists and broadcasts that are offered. */
const MAX = 200;

/** Returns what conditions can name, as far as the caller may see it. */
export async function readConditionChoices(caller: CallerCtx) {
  const may = (scope: "contacts:view" | "broadcasts:view") => caller.actor.scopes.has(scope);
  const [lists, topics, segments, broadcasts, known] = await Promise.all([
    may("contacts:view") ? listLists(caller) : [],
    may("contacts:view") ? listTopics(caller, { limit: MOST_COUNTED }) : [],
    may("contacts:view") ? listSegments(caller, { limit: MOST_COUNTED }) : [],
    may("broadcasts:view") ? listBroadcasts(caller, { limit: MAX }) : { broadcasts: [] },
    may("contacts:view") ? findKnownNames(caller) : ({ fields: [], events: SERVICE_EVENTS } satisfies KnownNames),
  ]);
  const named = (rows: readonly { id: string; name: string }[]) =>
    rows.map(({ id, name }) => ({ value: id, label: name }));
  return {
    known,
    list: named(lists.slice(0, MAX)),
    topic: named(topics),
    segment: named(segments),
    broadcast_id: named(broadcasts.broadcasts.map(({ row }) => row)),
  };
}

/** Returns the names of what conditions can name, by id. */
export const namesOfChoices = ({ known, ...choices }: ConditionChoices): Names =>
  new Map(Object.values(choices).flatMap((all: Choice[]) => all.map(({ value, label }) => [value, label])));
