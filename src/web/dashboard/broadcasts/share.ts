/** Returns a count with its share of a total in percent. */
export const share = (count: number, total: number) =>
  total === 0 ? String(count) : `${count.toLocaleString("en")} (${percentOf(count, total)})`;

/** Returns the share of a total in percent. */
export const percentOf = (count: number, total: number) => `${((100 * count) / total).toFixed(1)} %`;
