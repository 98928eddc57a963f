import { type Cursor, ImapSyntaxError } from "./cursor.ts";

/** Numbers of messages or UIDs: ranges of two numbers, either of them may be the greater. `*` is Infinity. */
export type SequenceSet = readonly (readonly [number, number])[];

/** Reads a sequence set (RFC 3501 9: `sequence-set`). */
export function readSequenceSet(cursor: Cursor): SequenceSet {
  const ranges: [number, number][] = [];
  do {
    const from = readNumber(cursor);
    ranges.push([from, cursor.skip(":") ? readNumber(cursor) : from]);
  } while (cursor.skip(","));
  return ranges;
}

function readNumber(cursor: Cursor): number {
  if (cursor.skip("*")) return Number.POSITIVE_INFINITY;
  const number = cursor.number();
  if (number === 0) throw new ImapSyntaxError("0 is not the number of a message");
  return number;
}

/**
 * Returns the members of a set among numbers that ascend, in their order and each once. `*` is the greatest of them, also where a range
 * begins above it (RFC 3501 6.4.8). The time is that of the numbers and the ranges, not of their product.
 */
export function membersOf(set: SequenceSet, numbers: ArrayLike<number>): number[] {
  const greatest = numbers[numbers.length - 1];
  if (greatest === undefined) return [];
  const resolve = (end: number) => (end === Number.POSITIVE_INFINITY ? greatest : end);
  const ranges = set
    .map(([one, other]) => [resolve(one), resolve(other)] as const)
    .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const)
    .sort(([one], [other]) => one - other);
  const members: number[] = [];
  let at = 0;
  for (const [from, to] of ranges) {
    at = Math.max(at, firstAtLeast(numbers, from));
    for (; at < numbers.length && (numbers[at] ?? 0) <= to; at += 1) members.push(numbers[at] ?? 0);
  }
  return members;
}

/** Returns the index of the first of some ascending numbers that is at least this one. */
export function firstAtLeast(numbers: ArrayLike<number>, least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns numbers that ascend as a sequence set in its shortest form, such as `1:3,7`. */
export function toSequenceSet(numbers: readonly number[]): string {
  const ranges: string[] = [];
  for (let at = 0; at < numbers.length; ) {
    const from = numbers[at] ?? 0;
    let to = from;
    for (at += 1; numbers[at] === to + 1; at += 1) to += 1;
    ranges.push(from === to ? String(from) : `${from}:${to}`);
  }
  return ranges.join(",");
}
