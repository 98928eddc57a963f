/** Waits before a call to R2 is repeated, in milliseconds; each is made up to half longer or shorter by chance. */
const WAITS_MS = [50, 200];

/**
 * Runs a call to R2 that may be made again: a read, or a write of bytes in memory. Repeats it twice, after whatever error: R2
 * fails for a moment, or takes no more requests. Throws the last error.
 */
export async function repeatObjectCall<Result>(call: () => Promise<Result>): Promise<Result> {
  for (const wait of WAITS_MS) {
    try {
      return await call();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())));
    }
  }
  return call();
}
