/** The mail that waits while a workspace has stopped itself (docs/contract/workspaces.md#self-stop). Pure. */

/** 0: none. 1: mail to lists. 2: everything but what persons and single calls send. */
type BulkPause = 0 | 1 | 2;

/** Sources of emails, with the pause from which they wait. Null: they never wait. */
const PAUSED_FROM = {
  ...({ bulk: 1, broadcast: 1, automation: 1, batch: 2 } as const),
  ...({ api: null, smtp: null, inbox: null, system: null } as const),
} as const satisfies Record<string, BulkPause | null>;

/** Returns the sources whose mail waits under a pause. */
export function pausedSources(pause: number): (keyof typeof PAUSED_FROM)[] {
  const sources = Object.keys(PAUSED_FROM) as (keyof typeof PAUSED_FROM)[];
  return sources.filter((source) => isPausedSource(pause, source));
}

/** Returns whether mail of a source waits under a pause. A source that is not listed waits from the second on. */
export function isPausedSource(pause: number, source: string): boolean {
  const known: Readonly<Record<string, number | null>> = PAUSED_FROM;
  const from = Object.hasOwn(known, source) ? known[source] : 2;
  return from !== null && from !== undefined && pause >= from;
}
