/** Waits for `work` at most `ms` milliseconds; then rejects, with `late` if given. What `work` does later is ignored. */
export async function within<T>(ms: number, work: Promise<T>, late?: Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late ?? new Error(`nothing happened for ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
