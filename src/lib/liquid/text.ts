import { type Template, Token } from "liquidjs/dist/liquid.browser.mjs";
import type { Encoding, Values } from "../placeholders.ts";
import { circleIssue } from "./circle.ts";
import { createEngine, type Engine } from "./engine.ts";
import { isOfText, type LiquidIssue, toIssue } from "./issues.ts";
import { liquidLimits, Meter, type WorkBudget } from "./meter.ts";
import { newContext } from "./rendering.ts";

/** Parts by the name of their template. */
export type Parts = Readonly<Record<string, string>>;

/** A text that was parsed, to render it many times. */
export interface LiquidText {
  /** Names of the templates that the text itself renders, each once. */
  parts: readonly string[];
  /**
   * Renders the text with the values of one email, whose time is `now` (ms since 1970). The same values and time give the same text.
   * Takes its work from `budget`. Throws LiquidTextError.
   */
  render(values: Values, now: number, budget?: WorkBudget): string;
  /** Returns the values that the text and its parts read, as paths. Throws LiquidTextError, also for parts that render each other. */
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

const tooLong = (limit: "text" | "tags", of: string): LiquidTextError => {
  const message = `the text and its parts have more than ${liquidLimits[limit].toLocaleString("en")} ${of}`;
  return new LiquidTextError({ line: 1, column: 1, part: null, message });
};

/** Parses a Liquid text (docs/contract/templates.md#liquid). `parts`: other templates that it may render. Throws LiquidTextError. */
export function parseLiquid(text: string, encoding: Encoding, parts: Parts = {}): LiquidText {
  const all = [text, ...Object.values(parts)];
  const total = (of: (one: string) => number) => all.reduce((sum, one) => sum + of(one), 0);
  if (total((one) => one.length) > liquidLimits.text) throw tooLong("text", "characters");
  if (total((one) => one.match(/\{[{%]/g)?.length ?? 0) > liquidLimits.tags) throw tooLong("tags", "tags and outputs");
  const engine = createEngine(encoding, parts);
  const templates = withIssue(() => engine.liquid.parse(text));
  const own = [...new Set(engine.parts.map(({ name }) => name))];
  return {
    parts: own,
    render: (values, now, budget) => {
      const context = newContext(engine.liquid, values, { meter: new Meter(budget), now });
      return withIssue(() => String(engine.liquid.renderSync(templates, context)));
    },
    paths: () =>
      withIssue(
        () => pathsOf(engine, templates),
        () => circleIssue(engine.parts),
      ),
  };
}

function pathsOf({ liquid, parts }: Engine, templates: Template[]): string[][] {
  const { globals } = withoutPlaces(() => liquid.analyzeSync(templates, { partials: true }));
  const circle = circleIssue(parts);
  if (circle) throw new LiquidTextError(circle);
  const variables = Object.values(globals).flat();
  return variables.map(({ segments }) => segments.filter((part) => typeof part === "string"));
}

/** Runs an analysis whose variables need no line and column: to find them the package reads the text from its start for each. */
function withoutPlaces<Result>(analyze: () => Result): Result {
  const { getPosition } = Token.prototype;
  Token.prototype.getPosition = () => [1, 1];
  try {
    return analyze();
  } finally {
    Token.prototype.getPosition = getPosition;
  }
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
