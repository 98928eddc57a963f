import { isOfContent, isOfStatement } from "../db/repeat-call.ts";

/** The result of a search: the item that fails alone, with its error, and the items that were not tried since. */
export interface Isolated<Item> {
  failed: { item: Item; error: unknown } | null;
  left: Item[];
}

/**
 * Finds the item by which an attempt at all of `items` failed with `error`: tries half of those that may be it, until one is left, which
 * takes seven calls for a hundred items, and one more when that one was never tried alone. What a half takes is done. Throws an error that
 * is not of the content of an attempt.
 */
export async function isolate<Item>(
  items: readonly Item[],
  error: unknown,
  attempt: (items: readonly Item[]) => Promise<void>,
): Promise<Isolated<Item>> {
  const left: Item[] = [];
  let suspects = items;
  let known = error;
  let isTried = true;
  const fails = async (some: readonly Item[]) => {
    try {
      await attempt(some);
      return false;
    } catch (failure) {
      if (!isOfContent(failure)) throw failure;
      known = failure;
      return true;
    }
  };
  while (suspects.length > 1) {
    const half = Math.ceil(suspects.length / 2);
    const [first, second] = [suspects.slice(0, half), suspects.slice(half)];
    isTried = await fails(first);
    if (isTried) left.push(...second);
    suspects = isTried ? first : second;
  }
  const [item] = suspects;
  if (item === undefined || !(isTried || (await fails([item])))) return { failed: null, left };
  return { failed: { item, error: known }, left };
}

/**
 * Attempts all items, and in halves when that fails by the content of some: gives each that fails alone to `onAlone`. Throws any other
 * error, but for those of `isOwn`.
 */
export async function attemptApart<Item>(
  items: readonly Item[],
  attempt: (items: readonly Item[]) => Promise<void>,
  onAlone: (item: Item, error: unknown) => unknown,
  isOwn = isOfStatement,
): Promise<void> {
  try {
    await attempt(items);
  } catch (error) {
    if (!isOfContent(error)) throw error;
    const { failed, left } = await isolate(items, error, attempt);
    if (failed && !isOwn(failed.error)) throw failed.error;
    if (failed) await onAlone(failed.item, failed.error);
    if (left.length > 0) await attemptApart(left, attempt, onAlone, isOwn);
  }
}

/** The size of the pages of a run that always works on the first rows that are due: half as many after each page that failed by its content. */
export class HalvedPages {
  readonly #full: number;
  #size: number;

  constructor(full: number) {
    this.#full = full;
    this.#size = full;
  }

  /** Rows of the next page. */
  get size(): number {
    return this.#size;
  }

  /**
   * Notes that a page failed. Returns true when it had one row: that is to be made to wait, and the next page is full again. Throws an
   * error that is not of the content of the page.
   */
  isAlone(error: unknown): boolean {
    if (!isOfContent(error)) throw error;
    const isAlone = this.#size === 1;
    this.#size = isAlone ? this.#full : Math.ceil(this.#size / 2);
    return isAlone;
  }
}
