import { expect } from "vitest";

/**
 * Expects a time in milliseconds since 1970 to be one that the clock has shown since `start`. It holds however long the work took
 * between, so no test needs a tolerance.
 */
export function expectSince(start: number, time: number): void {
  expect(time).toBeGreaterThanOrEqual(start);
  expect(time).toBeLessThanOrEqual(Date.now());
}
