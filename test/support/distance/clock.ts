/**
 * A clock that stands still while the Worker computes, as that of Cloudflare does: it goes on when a call, a timer or a read of
 * a stream ends. The clock of local workerd always runs.
 */
const RealDate = Date;
const realSetTimeout = globalThis.setTimeout;
const realSetInterval = globalThis.setInterval;

/** Returns milliseconds of a clock that always runs. */
export const runningNow: () => number = performance.now.bind(performance);

/** Waits for this many milliseconds. */
export const wait = (ms: number): Promise<void> => new Promise((resolve) => realSetTimeout(resolve, ms));

/** The time that the stopped clock shows. */
const shown = { date: 0, performance: 0 };

/** Lets the stopped clock go on to the present. */
export function advanceClock(): void {
  shown.date = RealDate.now();
  shown.performance = runningNow();
}

/** Replaces the clock of this isolate by the stopped one. Returns a function that undoes it. */
export function stopClock(): () => void {
  advanceClock();
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [shown.date] : args, newTarget) as Date,
    get: (target, name) => (name === "now" ? () => shown.date : Reflect.get(target, name)),
  });
  Object.defineProperty(performance, "now", { value: () => shown.performance, configurable: true });
  globalThis.setTimeout = advancing(realSetTimeout);
  globalThis.setInterval = advancing(realSetInterval);
  const restoreReaders = [ReadableStreamDefaultReader, ReadableStreamBYOBReader].map(advanceAtReads);
  return () => {
    globalThis.Date = RealDate;
    Reflect.deleteProperty(performance, "now");
    globalThis.setTimeout = realSetTimeout;
    globalThis.setInterval = realSetInterval;
    for (const restore of restoreReaders) restore();
  };
}

/** Returns a timer function after whose wait the clock has gone on. */
function advancing<Timer extends typeof setTimeout | typeof setInterval>(set: Timer): Timer {
  const start = set as (callback: () => void, ms?: number) => unknown;
  const advanced = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
    start(() => {
      advanceClock();
      callback(...args);
    }, ms);
  return advanced as unknown as Timer;
}

function advanceAtReads({ prototype }: { prototype: object }): () => void {
  const read = Reflect.get(prototype, "read") as (...args: unknown[]) => Promise<unknown>;
  const advanced = function (this: object, ...args: unknown[]) {
    return Reflect.apply(read, this, args).finally(advanceClock);
  };
  Object.defineProperty(prototype, "read", { value: advanced, configurable: true, writable: true });
  return () => Object.defineProperty(prototype, "read", { value: read, configurable: true, writable: true });
}
