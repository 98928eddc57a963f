/** Waits about this many milliseconds, up to half longer or shorter by chance, so that those who failed together do not come back together. */
export function waitByChance(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms * (0.5 + Math.random())));
}

/** Makes a call, and again after each of these waits (ms, varied by chance) while it ends in an error that passes. Throws the last one. */
export async function repeat<Result>(
  waitsMs: readonly number[],
  call: () => Promise<Result>,
  passes: (error: unknown) => boolean = () => true,
): Promise<Result> {
  for (const wait of waitsMs) {
    try {
      return await call();
    } catch (error) {
      if (!passes(error)) throw error;
      await waitByChance(wait);
    }
  }
  return call();
}
