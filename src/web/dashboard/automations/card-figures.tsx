import type { FlowFigures, StepFigures } from "../../../audience/automations/index.ts";

interface CardFiguresProps {
  figures: FlowFigures;
  at: string;
  /** Runs that came to the step. */
  came: number;
}

/** Returns a count with its word, which stays on its line. */
const counted = (count: number, word: string) => `${count.toLocaleString("en")}\u00a0${word}`;

/** The people at a step and behind it, and what became of its email. */
export function CardFigures({ figures, at, came }: CardFiguresProps) {
  const step = figures.steps.get(at);
  if (step === undefined) return null;
  const { isCapped } = figures;
  const here = isCapped ? `${step.here.toLocaleString("en")}+ here` : counted(step.here, "here");
  const passed = isCapped ? counted(came, "came") : counted(Math.max(0, came - step.waiting), "passed");
  return (
    <>
      {step.here > 0 ? <strong>{here}</strong> : <span>{here}</span>} <span>{passed}</span>
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
  const share = delivered > 0 ? `\u00a0(${((100 * clicked) / delivered).toFixed(1)}\u00a0%)` : "";
  const words = [counted(sent, "sent"), counted(delivered, "delivered"), counted(opened, "opened")];
  return `Version ${version}: ${[...words, counted(clicked, "clicked") + share, counted(unsubscribed, "unsubscribed")].join(", ")}`;
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
