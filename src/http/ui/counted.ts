/** Returns a count with its noun, as in `1 contact` and `2,000 contacts`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
