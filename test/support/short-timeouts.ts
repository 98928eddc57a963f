import { onTestFinished, vi } from "vitest";

/**
 * Has every `AbortSignal.timeout` and `setTimeout` of the running test end after `ms` milliseconds at most. Returns the longer times
 * that are asked for, in milliseconds, which the test asserts: waiting for them would take as long and show no more.
 */
export function shortenTimeouts(ms: number): readonly number[] {
  const asked: number[] = [];
  const atMost = (of = 0) => {
    if (of > ms) asked.push(of);
    return Math.min(of, ms);
  };
  const { timeout } = AbortSignal;
  const { setTimeout } = globalThis;
  const spies = [
    vi.spyOn(AbortSignal, "timeout").mockImplementation((of) => timeout.call(AbortSignal, atMost(of))),
    vi.spyOn(globalThis, "setTimeout").mockImplementation((run, of) => setTimeout(run, atMost(of))),
  ];
  onTestFinished(() => spies.forEach((spy) => void spy.mockRestore()));
  return asked;
}
