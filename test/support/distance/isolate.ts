/** The Worker at a distance: its bindings, the limits of an invocation, and the clock of its isolate. */
import { advanceClock, stopClock } from "./clock.ts";
import { asInvocation, connected } from "./invocation.ts";
import { Remote } from "./remote.ts";
import { readDistance } from "./rules.ts";

let remote: Remote | null = null;
/** Its settings are parsed once for each environment, as those of the Worker are. */
const environments = new WeakMap<Env, Env>();

/** Returns the bindings at the distance that the variable DISTANCE says, or `env` itself without the variable. */
export function distant(env: Env): Env {
  const distance = readDistance(env);
  if (!distance) return env;
  if (!remote) prepareIsolate();
  remote ??= new Remote(distance);
  const known = environments.get(env) ?? remote.bindingsOf(env);
  environments.set(env, known);
  return known;
}

/** Returns the bindings of this isolate; null when it has none at a distance. */
export const remoteBindings = (): Remote | null => remote;

/** Runs an event of the Worker as an invocation with limits of its own. */
export function asEvent<Result>(act: () => Result): Result {
  if (!remote) return act();
  advanceClock();
  return asInvocation(act);
}

function prepareIsolate(): void {
  stopClock();
  const fetchAtOnce = globalThis.fetch;
  // A request is a connection until the headers of its response are there.
  globalThis.fetch = (...args: Parameters<typeof fetch>) => connected(() => fetchAtOnce(...args)).finally(advanceClock);
}
