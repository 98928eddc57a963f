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

/** Returns the issue of an error of the package. One without a place is that of too many tags within tags. */
export function toIssue(error: unknown): LiquidIssue {
  if (!(error instanceof Error) || !LiquidError.is(error))
    return { line: 1, column: 1, message: "the text has too many tags within tags", part: null };
  const { token, originalError } = error;
  const [line = 1, column = 1] = token.getPosition();
  const message = (originalError ?? error).message.replace(/, (?:file:[^,]*, )?line:\d+, col:\d+$/, "");
  return { line, column, message, part: token.file ?? null };
}
