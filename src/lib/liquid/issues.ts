import { LiquidError } from "liquidjs/dist/liquid.browser.mjs";

/** A mistake in a Liquid text, or a limit that it has reached. */
export interface LiquidIssue {
  /** Line and column of the tag or output, from 1. */
  line: number;
  column: number;
  message: string;
  /** Name of the part of another template in which it is; null: the text itself. */
  part: string | null;
}

/** Returns whether an error is of the text, not of the program. */
export const isOfText = (error: unknown): boolean =>
  error instanceof RangeError || LiquidError.is(error) || missingPart(error) !== null;

const LOOKUP = /^ENOENT: Failed to lookup "(.*)" in /s;

/** Returns the sentence about a part that the text names and that does not exist, or null for another error. */
function missingPart(error: unknown): string | null {
  const name = error instanceof Error ? LOOKUP.exec(error.message)?.[1] : undefined;
  return name === undefined ? null : `no Liquid template with such a body has the name "${name}"`;
}

const TOO_DEEP = "the text has too many tags within tags";

/** Returns the issue of an error of the package. One without a place is that of a full stack. */
export function toIssue(error: unknown): LiquidIssue {
  if (!(error instanceof Error) || !LiquidError.is(error))
    return { line: 1, column: 1, message: missingPart(error) ?? TOO_DEEP, part: null };
  const { token, originalError } = error;
  const [line = 1, column = 1] = token.getPosition();
  return { line, column, message: messageOf(originalError ?? error), part: token.file ?? null };
}

function messageOf(error: Error): string {
  if (/call stack/.test(error.message)) return TOO_DEEP;
  return missingPart(error) ?? error.message.replace(/, (?:file:[^,]*, )?line:\d+, col:\d+$/, "");
}
