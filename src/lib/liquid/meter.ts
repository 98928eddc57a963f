/**
 * Limits of one rendering of a Liquid text (docs/contract/templates.md#liquid). They count work and never read a clock, which stands
 * still while a Worker computes.
 */
export const liquidLimits = {
  /** Loop passes, parts of the text that are rendered, filters that run, and fields of the format of a `date`. */
  steps: 10_000,
  /** UTF-16 units that are written, those of captures included. */
  output: 5_000_000,
  /** UTF-16 units of texts and elements of lists that filters and comparisons read: about a tenth of a second of CPU. */
  units: 20_000_000,
  /** UTF-16 units of a text, with the parts of other templates that it names. */
  text: 1_000_000,
  /** Templates that render each other, one within the other. One that renders itself would fill the stack before it has taken its steps. */
  depth: 20,
} as const;

/** A rendering has reached one of the limits. */
class LiquidLimitError extends Error {
  override name = "LiquidLimitError";
}

/** Counts the work of one rendering, with its parts of other templates. Each method throws LiquidLimitError above its limit. */
export class Meter {
  #steps = 0;
  #output = 0;
  #units = 0;
  #depth = 0;

  step(): void {
    this.#steps += 1;
    if (this.#steps > liquidLimits.steps)
      throw new LiquidLimitError(`it takes more than ${count(liquidLimits.steps)} steps`);
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
    this.#output += length;
    if (this.#output > liquidLimits.output)
      throw new LiquidLimitError(`it writes more than ${count(liquidLimits.output)} characters`);
  }

  /** Counts units of text or elements. A number that is not finite is above the limit. */
  use(units: number): void {
    this.#units += Math.max(units, 0);
    if (!(this.#units <= liquidLimits.units))
      throw new LiquidLimitError(`it reads more than ${count(liquidLimits.units)} characters of values`);
  }

  /** Counts all that a value consists of. An object that occurs twice in it counts twice, as it does where it is written. */
  read(value: unknown): void {
    this.use(typeof value === "string" ? value.length + 1 : 1);
    if (typeof value !== "object" || value === null) return;
    for (const member of Array.isArray(value) ? value : Object.values(value)) this.read(member);
  }
}

const count = (limit: number) => limit.toLocaleString("en");
