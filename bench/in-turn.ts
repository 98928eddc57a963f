/** Runs two measurements in turn, so that what else the machine does affects both alike. */

/** The results of the rounds of one measurement and of the other. */
export interface Pair<Result> {
  own: Result;
  other: Result;
}

/** Runs this number of rounds of each. The one that comes first changes with each round. */
export async function inTurn<Result>(
  rounds: number,
  own: () => Promise<Result>,
  other: () => Promise<Result>,
): Promise<Pair<Result>[]> {
  const pairs: Pair<Result>[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0;
    const early = await (first ? own : other)();
    const late = await (first ? other : own)();
    pairs.push(first ? { own: early, other: late } : { own: late, other: early });
  }
  return pairs;
}
