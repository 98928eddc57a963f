/** The ticks of the axes of charts. Pure. */

/** Ticks of the vertical axis above zero, at most. */
const MAX_STEPS = 4;
/** Ticks of the horizontal axis, at most: a label takes about 60 px of a chart that is 300 px wide on phones, where each other one is left out. */
const MAX_PLACES = 8;

/** Returns whole numbers at equal distances of 1, 2, 2.5 or 5 times a power of ten, from 0 to the first that is not below a value. */
export function ticksOf(greatest: number): number[] {
  const least = Math.max(1, greatest) / MAX_STEPS;
  const power = 10 ** Math.floor(Math.log10(least));
  const steps = [1, 2, 2.5, 5, 10]
    .map((factor) => factor * power)
    .filter((step) => step >= 1 && Number.isInteger(step));
  const step = steps.find((one) => one >= least) ?? Math.max(1, 10 * power);
  const count = Math.max(1, Math.ceil(greatest / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

export interface Place {
  index: number;
  text: string;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY_STEPS = [1, 2, 3, 5, 7, 10, 14, 15, 30];
const HOUR_STEPS = [1, 2, 3, 6, 12, 24, 48];

/**
 * Returns the labels of the horizontal axis that have a tick. Labels are days such as `2026-11-21`, whose ticks end at the last one, or
 * hours such as `2026-11-21 14:00`, whose ticks are at whole parts of a day.
 */
export function placesOf(labels: readonly string[]): Place[] {
  const isHours = labels[0]?.includes(" ") ?? false;
  const steps = isHours ? HOUR_STEPS : DAY_STEPS;
  const step = steps.find((one) => labels.length / one <= MAX_PLACES) ?? Math.ceil(labels.length / MAX_PLACES);
  return labels.flatMap((label, index) => {
    const [day = "", clock] = label.split(" ");
    const isTick = clock === undefined ? (labels.length - 1 - index) % step === 0 : isAt(day, clock, step);
    if (!isTick) return [];
    return [{ index, text: clock === undefined || clock === "00:00" ? dayText(day) : clock }];
  });
}

/** Returns whether an hour is at a whole multiple of `step` hours since 1970. */
const isAt = (day: string, clock: string, step: number) => (Date.parse(`${day}T${clock}:00Z`) / 3_600_000) % step === 0;

function dayText(day: string): string {
  const [, month, date] = day.split("-");
  return `${Number(date)} ${MONTHS[Number(month) - 1] ?? ""}`.trim();
}
