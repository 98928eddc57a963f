/** Limits of one rendering (docs/contract/templates.md#liquid): counts of work, since a Worker's clock stands still while it computes. */
export const liquidLimits = {
  /** Loop passes, parts of the text that are rendered, and filters that run. */
  steps: 10_000,
  /** UTF-16 units that are written, those of captures included. */
  output: 5_000_000,
  /** UTF-16 units that filters, comparisons and tags read, and filters make, with what is weighed as so many: at most a second of CPU. */
  units: 20_000_000,
  /** UTF-16 units of a text, with the parts of other templates that it names. */
  text: 1_000_000,
  /** Tags and outputs of a text and its parts. Parsing them cannot be counted. */
  tags: 50_000,
  /** Templates that render each other, one within the other. One that renders itself would fill the stack before it has taken its steps. */
  depth: 20,
  /** Tags within tags. More could fill the stack, whose size is no count: it depends on how a function was compiled. */
  nesting: 50,
} as const;

/** Units of an element of a list, of a value that is looked up, and of a field of a date or an amount, by their CPU. */
export const ELEMENT_UNITS = 10;
export const ACCESS_UNITS = 40;
export const FORMAT_UNITS = 4_000;
/** Units of a step in a budget. */
const STEP_UNITS = 200;
/** Returns the work of parsing a text of so many characters or bytes. */
export const parsingWork = (length: number) => 30 * length;
/** Comparisons of two characters that are a unit. */
const COMPARISONS = 32;

/** A parsing or rendering has reached one of the limits. */
export class LiquidLimitError extends Error {
  override name = "LiquidLimitError";
}

/** CPU that is left to an invocation, in units: of Liquid, and of whatever else it counts. A unit takes at most 40 ns. */
export interface WorkBudget {
  work: number;
}

/** Counts the work of one rendering, with its parts of other templates. Each method throws LiquidLimitError above its limit. */
export class Meter {
  readonly counted = { steps: 0, output: 0, units: 0 };
  readonly #budget: WorkBudget | undefined;
  #depth = 0;

  constructor(budget?: WorkBudget) {
    this.#budget = budget;
  }

  step(): void {
    this.#count("steps", 1, STEP_UNITS, (limit) => `takes more than ${limit} steps`);
  }

  enterPart(): void {
    this.#depth += 1;
    if (this.#depth > liquidLimits.depth)
      throw new LiquidLimitError(`it renders templates more than ${liquidLimits.depth} levels deep`);
  }

  leavePart(): void {
    this.#depth -= 1;
  }

  write(length: number): void {
    this.#count("output", length, 1, (limit) => `writes more than ${limit} characters`);
  }

  /** Counts units of text or elements. A number that is not finite is above the limit. */
  use(units: number): void {
    this.#count("units", Math.max(units, 0), 1, (limit) => `reads more than ${limit} characters of values`);
  }

  #count(what: "steps" | "output" | "units", number: number, weight: number, message: (limit: string) => string): void {
    const limit = liquidLimits[what];
    if (!(this.counted[what] + number <= limit))
      throw new LiquidLimitError(`it ${message(limit.toLocaleString("en"))}`);
    this.counted[what] += number;
    if (this.#budget) this.#budget.work -= number * weight;
  }

  /** Counts and returns all that a value consists of. An object that occurs twice in it counts twice, as it does where it is written. `indent`: units before each member, for each level. */
  read(value: unknown, indent = 0, level = 0): number {
    let units = ELEMENT_UNITS + level * indent + (typeof value === "string" ? value.length : 0);
    this.use(units);
    if (typeof value === "object" && value !== null)
      for (const member of Array.isArray(value) ? value : Object.values(value))
        units += this.read(member, indent, level + 1);
    return units;
  }

  /** Counts the search of a text for another, which may compare each character of one with each of the other. Takes the units of both. */
  search([searched = 0, wanted = 0]: readonly number[]): void {
    this.use((searched * wanted) / COMPARISONS);
  }
}
