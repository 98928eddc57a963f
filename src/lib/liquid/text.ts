import type { Template } from "liquidjs/dist/liquid.browser.mjs";
import type { Encoding, Values } from "../placeholders.ts";
import { circleIssue } from "./circle.ts";
import { createEngine, type Engine } from "./engine.ts";
import { isOfText, type LiquidIssue, toIssue } from "./issues.ts";
import { liquidLimits } from "./meter.ts";
import { newContext } from "./rendering.ts";

/** Parts by the name of their template. */
export type Parts = Readonly<Record<string, string>>;

/** A text that was parsed, to render it many times. */
export interface LiquidText {
  /** Names of the templates that the text itself renders, each once. */
  parts: readonly string[];
  /**
   * Renders the text with the values of one email, whose time is `now` (ms since 1970). The same values and time give the same text.
   * Throws LiquidTextError.
   */
  render(values: Values, now: number): string;
  /**
   * Returns the values that the text and its parts read, as paths such as `["order", "total"]`. Throws LiquidTextError, also for parts
   * that render each other without end.
   */
  paths(): readonly (readonly string[])[];
}

/** A text that cannot be parsed or rendered. */
export class LiquidTextError extends Error {
  override name = "LiquidTextError";
  readonly issue: LiquidIssue;

  constructor(issue: LiquidIssue) {
    super(`line ${issue.line}, column ${issue.column}: ${issue.message}`);
    this.issue = issue;
  }
}

const TOO_LONG: LiquidIssue = {
  line: 1,
  column: 1,
  part: null,
  message: `the text and its parts have more than ${liquidLimits.text.toLocaleString("en")} characters`,
};

/**
 * Parses a Liquid text (docs/contract/templates.md#liquid). `parts`: the texts of other templates that it may render. Throws
 * LiquidTextError with the place of the mistake.
 */
export function parseLiquid(text: string, encoding: Encoding, parts: Parts = {}): LiquidText {
  const length = Object.values(parts).reduce((sum, part) => sum + part.length, text.length);
  if (length > liquidLimits.text) throw new LiquidTextError(TOO_LONG);
  const engine = createEngine(encoding, parts);
  const templates = withIssue(() => engine.liquid.parse(text));
  const own = [...new Set(engine.parts.map(({ name }) => name))];
  return {
    parts: own,
    render: (values, now) =>
      withIssue(() => String(engine.liquid.renderSync(templates, newContext(engine.liquid, values, now)))),
    paths: () =>
      withIssue(
        () => pathsOf(engine, templates),
        () => circleIssue(engine.parts),
      ),
  };
}

function pathsOf({ liquid, parts }: Engine, templates: Template[]): string[][] {
  const segments = liquid.globalVariableSegmentsSync(templates, { partials: true });
  const circle = circleIssue(parts);
  if (circle) throw new LiquidTextError(circle);
  return segments.map((path) => path.filter((part) => typeof part === "string"));
}

/** Runs work on a text. `explain` may know more of an error of the package than its own message, such as that of a full stack. */
function withIssue<Result>(run: () => Result, explain: () => LiquidIssue | null = () => null): Result {
  try {
    return run();
  } catch (error) {
    if (isOfText(error)) throw new LiquidTextError(explain() ?? toIssue(error));
    throw error;
  }
}
