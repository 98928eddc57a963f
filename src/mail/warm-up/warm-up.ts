import { DAY_MS } from "../../lib/time.ts";

/** Messages of a new source address to one receiver by day, at most twice those of the day before. Afterwards there is no limit. */
export const schedules = {
  /** 30 days: receivers that soon trust an address whose mail is read, and mail systems without an entry. */
  quick: [
    100, 200, 400, 700, 1_000, 1_500, 2_200, 3_000, 4_000, 5_500, 7_500, 10_000, 13_000, 17_000, 22_000, 28_000, 35_000,
    43_000, 52_000, 62_000, 74_000, 88_000, 104_000, 122_000, 142_000, 165_000, 190_000, 220_000, 250_000, 285_000,
  ],
  /** 40 days: large receivers that watch the volume of a new address. */
  careful: [
    50, 100, 150, 250, 400, 600, 900, 1_300, 1_800, 2_400, 3_200, 4_200, 5_500, 7_000, 9_000, 11_500, 14_500, 18_000,
    22_000, 27_000, 33_000, 40_000, 48_000, 57_000, 67_000, 78_000, 90_000, 103_000, 117_000, 132_000, 148_000, 165_000,
    183_000, 202_000, 222_000, 243_000, 265_000, 288_000, 312_000, 340_000,
  ],
  /** 45 days: receivers that refuse much of a new address, and internet providers, which have fewer mailboxes. */
  slow: [
    20, 40, 60, 100, 150, 220, 320, 450, 600, 800, 1_000, 1_300, 1_600, 2_000, 2_500, 3_100, 3_800, 4_600, 5_500, 6_500,
    7_700, 9_000, 10_500, 12_000, 14_000, 16_000, 18_500, 21_000, 24_000, 27_000, 30_500, 34_000, 38_000, 42_000,
    46_500, 51_000, 56_000, 61_500, 67_500, 74_000, 81_000, 88_500, 96_500, 105_000, 115_000,
  ],
} as const satisfies Record<string, readonly number[]>;

/** Receivers whose schedule is not `quick`, and Google, by name, with what people call them. */
const KNOWN: Readonly<Record<string, { schedule: keyof typeof schedules; label: string }>> = {
  google: { schedule: "quick", label: "Google" },
  outlook: { schedule: "careful", label: "Outlook" },
  "microsoft-365": { schedule: "careful", label: "Microsoft 365" },
  yahoo: { schedule: "careful", label: "Yahoo and AOL" },
  mimecast: { schedule: "careful", label: "Mimecast" },
  proofpoint: { schedule: "careful", label: "Proofpoint" },
  cisco: { schedule: "careful", label: "Cisco Secure Email" },
  apple: { schedule: "slow", label: "Apple iCloud" },
  "yahoo-japan": { schedule: "slow", label: "Yahoo Japan" },
  comcast: { schedule: "slow", label: "Comcast" },
  charter: { schedule: "slow", label: "Charter Spectrum" },
  cox: { schedule: "slow", label: "Cox" },
  att: { schedule: "slow", label: "AT&T" },
  gmx: { schedule: "slow", label: "GMX and WEB.DE" },
  ionos: { schedule: "slow", label: "IONOS" },
  "t-online": { schedule: "slow", label: "T-Online" },
  orange: { schedule: "slow", label: "Orange" },
  laposte: { schedule: "slow", label: "La Poste" },
  free: { schedule: "slow", label: "Free" },
  sfr: { schedule: "slow", label: "SFR" },
  "mail-ru": { schedule: "slow", label: "Mail.ru" },
  yandex: { schedule: "slow", label: "Yandex" },
  qq: { schedule: "slow", label: "QQ" },
  netease: { schedule: "slow", label: "NetEase" },
};

/** Returns the warm-up of a source address at a receiver, from the start of its first day on. Pure, as are all functions here. */
export function warmUpOf({ name }: { name: string }, startedAt: number): WarmUp {
  return { schedule: schedules[KNOWN[name]?.schedule ?? "quick"], startedAt };
}

/** Returns how people call a receiver: of those without a name of their own the key. */
export const labelOf = (name: string) => KNOWN[name]?.label ?? name;

/** The warm-up of one source address at one receiver. */
export interface WarmUp {
  schedule: readonly number[];
  /** Start of its first day, in ms since 1970. */
  startedAt: number;
}

/** Returns the day of a warm-up, from 1 on, or null when it is over. */
export function warmUpDay({ schedule, startedAt }: WarmUp, now: number): number | null {
  const day = Math.max(1, Math.floor((now - startedAt) / DAY_MS) + 1);
  return day > schedule.length ? null : day;
}

/** Returns how many messages may leave today beside those that have left, or null without limit. */
export function leftToday(warmUp: WarmUp, sentToday: number, now: number): number | null {
  const day = warmUpDay(warmUp, now);
  return day === null ? null : Math.max(0, (warmUp.schedule[day - 1] ?? 0) - sentToday);
}

/** Returns on how many days, today included, a number of messages leaves. */
export function daysFor(warmUp: WarmUp, { messages, sentToday }: { messages: number; sentToday: number }, now: number) {
  const first = warmUpDay(warmUp, now);
  if (first === null) return 1;
  let left = messages - (leftToday(warmUp, sentToday, now) ?? messages);
  let days = 1;
  for (let day = first + 1; left > 0 && day <= warmUp.schedule.length; day++, days++)
    left -= warmUp.schedule[day - 1] ?? 0;
  return left > 0 ? days + 1 : days;
}
