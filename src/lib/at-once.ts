/** Calls a function with each item, at most `most` calls at once. Throws the first error; calls that have begun go on. */
export async function forEachAtOnce<Item>(
  most: number,
  items: Iterable<Item>,
  run: (item: Item) => Promise<unknown>,
): Promise<void> {
  const queue = [...items].values();
  const worker = async () => {
    for (const item of queue) await run(item);
  };
  await Promise.all(Array.from({ length: most }, worker));
}
