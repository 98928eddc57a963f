import type { FlowFigures, StepFigures } from "../../../audience/automations/index.ts";

interface CardFiguresProps {
  figures: FlowFigures;
  at: string;
  /** Runs that came to the step. */
  came: number;
}

const number = (count: number) => count.toLocaleString("en");

/** The people at a step and behind it, and what became of its email. */
export function CardFigures({ figures, at, came }: CardFiguresProps) {
  const step = figures.steps.get(at);
  if (step === undefined) return null;
  return (
    <>
      <span>
        {number(step.here)}
        {figures.isCapped ? "+" : ""} here
      </span>{" "}
      <span>
        {number(figures.isCapped ? came : Math.max(0, came - step.waiting))} {figures.isCapped ? "came" : "passed"}
      </span>
      {step.emails.map((email) => (
        <p>{describeEmail(email)}</p>
      ))}
      {step.comparison === null ? null : <p>{describeComparison(step, step.comparison)}</p>}
    </>
  );
}

function describeEmail({ version, counts }: StepFigures["emails"][number]): string {
  const { attempted, failed, cancelled, delivered, opened, clicked, unsubscribed } = counts;
  const sent = Math.max(0, attempted - failed - cancelled);
  const share = delivered > 0 ? ` (${((100 * clicked) / delivered).toFixed(1)} %)` : "";
  const mail = `${number(sent)} sent, ${number(delivered)} delivered, ${number(opened)} opened`;
  return `Version ${version}: ${mail}, ${number(clicked)} clicked${share}, ${number(unsubscribed)} unsubscribed`;
}

function describeComparison(
  { emails: [newer, older] }: StepFigures,
  { low, high, difference, is_significant: isClear }: NonNullable<StepFigures["comparison"]>,
): string {
  const points = (value: number) => `${value > 0 ? "+" : ""}${(100 * value).toFixed(1)}`;
  const best = difference > 0 ? newer : older;
  const verdict = isClear ? `Version ${best?.version} gets more clicks` : "No clear winner yet";
  return `${verdict}: version ${newer?.version} differs from ${older?.version} by ${points(low)} to ${points(high)} points of the click rate`;
}
