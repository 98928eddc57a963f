/** Returns the result of `work`, or rejects with the error of `timeoutError` after `ms` milliseconds. A later result is ignored. */
export async function withTimeout<T>(ms: number, work: Promise<T>, timeoutError?: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timeoutError?.() ?? new Error(`timed out after ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
