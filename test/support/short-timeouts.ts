import { onTestFinished, vi } from "vitest";

/**
 * Has every `AbortSignal.timeout` of the running test end after `ms` milliseconds at most. Returns the times that are asked for,
 * in milliseconds, which the test asserts: waiting for them would take as long and show no more.
 */
export function shortenTimeouts(ms: number): readonly number[] {
  const asked: number[] = [];
  const { timeout } = AbortSignal;
  const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation((of) => {
    asked.push(of);
    return timeout.call(AbortSignal, Math.min(of, ms));
  });
  onTestFinished(() => spy.mockRestore());
  return asked;
}
