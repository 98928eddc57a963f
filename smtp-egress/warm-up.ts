const DAY_MS = 86_400_000;

/** Messages of a new source address to one receiver on each day, from its first day on. Afterwards there is no limit. */
export const schedules = {
  /** 30 days, for mail to people who have asked for it. */
  careful: [
    50, 100, 200, 400, 800, 1_500, 3_000, 5_000, 7_500, 10_000, 12_500, 15_000, 20_000, 25_000, 30_000, 35_000, 40_000,
    45_000, 50_000, 55_000, 60_000, 70_000, 80_000, 90_000, 100_000, 110_000, 120_000, 135_000, 150_000, 175_000,
  ],
} as const satisfies Record<string, readonly number[]>;

/** The warm-up of one source address at one receiver. */
export interface WarmUp {
  schedule: readonly number[];
  /** Start of its first day, in ms since 1970. */
  startedAt: number;
}

/** Returns the day of a warm-up, from 1 on, or null when it is over. Pure. */
export function warmUpDay({ schedule, startedAt }: WarmUp, now: number): number | null {
  const day = Math.max(1, Math.floor((now - startedAt) / DAY_MS) + 1);
  return day > schedule.length ? null : day;
}

/** Returns how many messages may leave today beside those that have left, or null without limit. Pure. */
export function leftToday(warmUp: WarmUp, sentToday: number, now: number): number | null {
  const day = warmUpDay(warmUp, now);
  return day === null ? null : Math.max(0, (warmUp.schedule[day - 1] ?? 0) - sentToday);
}

/** Returns on how many days, today included, a number of messages leaves. Pure. */
export function daysFor(warmUp: WarmUp, { messages, sentToday }: { messages: number; sentToday: number }, now: number) {
  const first = warmUpDay(warmUp, now);
  if (first === null) return 1;
  let left = messages - (leftToday(warmUp, sentToday, now) ?? messages);
  let days = 1;
  for (let day = first + 1; left > 0 && day <= warmUp.schedule.length; day++, days++)
    left -= warmUp.schedule[day - 1] ?? 0;
  return left > 0 ? days + 1 : days;
}
