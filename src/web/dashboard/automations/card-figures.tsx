import type { StepFigures } from "../../../audience/automations/index.ts";

/** Returns a count with its word, which stays on its line. */
const counted = (count: number, word: string) => `${count.toLocaleString("en")}\u00a0${word}`;

/** The people at a step and behind it, and what became of its email. `came`: runs that came to it. */
export function CardFigures({ of, isCapped, came }: { of: StepFigures; isCapped: boolean; came: number }) {
  const here = isCapped ? `${of.here.toLocaleString("en")}+ here` : counted(of.here, "here");
  const passed = isCapped ? counted(came, "came") : counted(Math.max(0, came - of.waiting), "passed");
  return (
    <>
      {of.here > 0 ? <strong>{here}</strong> : <span>{here}</span>} <span>{passed}</span>
      {of.emails.map((email) => (
        <p>{describeEmail(email)}</p>
      ))}
      {of.comparison === null ? null : <p>{describeComparison(of, of.comparison)}</p>}
    </>
  );
}

function describeEmail({ version, attempted, failed, cancelled, ...counts }: StepFigures["emails"][number]): string {
  const { delivered, opened, clicked, unsubscribed } = counts;
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
