import { utf8 } from "../../../lib/bytes.ts";
import { idOfTime, uuidFromHash } from "../../../lib/ids.ts";
import type { MailStatement } from "../../../platform/context.ts";
import type { Person } from "../../conditions/index.ts";
import type { Effect } from "../advance.ts";
import type { EffectKind, EffectStep } from "../compile.ts";
import type { Version } from "../versions.ts";
import type { DueRun } from "./read-due.ts";
import type { WorkspaceState } from "./workspaces.ts";

/** An effect of one kind of step, of a run that is due. */
export interface PendingOf<Kind extends EffectKind> {
  due: DueRun;
  effect: Omit<Effect, "step"> & { step: Extract<EffectStep, { kind: Kind }> };
  workspace: WorkspaceState;
  version: Version;
  person: Person;
}

/** An effect of a run that is due, of any kind. */
export type PendingEffect = { [Kind in EffectKind]: PendingOf<Kind> }[EffectKind];

/**
 * The result of an effect: `done`, or left out for a reason that the history tells; `later`: it is tried again; `pause`: no run of the
 * automation can go on before a person mends something.
 */
export type Outcome =
  | { kind: "done"; text: string }
  | { kind: "later"; at: number; text: string }
  | { kind: "pause"; reason: string };

/** Effects that are ready: their statements belong in the transaction that moves their runs. */
export interface Prepared {
  statements: MailStatement[];
  /** By number of the run. */
  outcomes: Map<number, Outcome>;
  /** Wakes what works on them, after the transaction. */
  wake: (() => Promise<unknown>)[];
}

export const nothingPrepared = (): Prepared => ({ statements: [], outcomes: new Map(), wake: [] });

export const done = (text: string): Outcome => ({ kind: "done", text });

/** Joins what several functions prepared. */
export function joinPrepared(all: readonly Prepared[]): Prepared {
  return {
    statements: all.flatMap(({ statements }) => statements),
    outcomes: new Map(all.flatMap(({ outcomes }) => [...outcomes])),
    wake: all.flatMap(({ wake }) => wake),
  };
}

/** Returns the one name of an effect, however often it is tried: the run, the visit and the path of the step. */
export const nameOfEffect = ({ due, effect }: PendingEffect): string => `${due.run.id} ${effect.visit} ${effect.path}`;

/** Returns the id of what an effect makes. It derives from the name of the effect. */
export async function idOfEffect(one: PendingEffect): Promise<string> {
  return idOfTime(one.effect.at, await uuidFromHash(utf8(`automation effect ${nameOfEffect(one)}`)));
}

/** Returns what an event that a step causes says about its cause (docs/contract/automations.md#loops). */
export function causeOf({ due, effect }: PendingEffect): { automation_id: string; automations: number } {
  const before = Number(effect.data.automations ?? 0);
  return { automation_id: due.automationId, automations: (Number.isSafeInteger(before) ? before : 0) + 1 };
}
