import { AppError, unprocessable } from "../../../lib/errors.ts";
import type { Block } from "../../../sending/templates/index.ts";
import { fieldOf } from "./content.ts";

/**
 * Runs a call that saves blocks. An error of the HTML or text that is made of them is moved to the block of a part whose name it
 * contains, since the form has no field for HTML.
 */
export async function atBlocks<Result>(blocks: readonly Block[] | null | undefined, run: () => Promise<Result>) {
  try {
    return await run();
  } catch (error) {
    if (!blocks || !(error instanceof AppError && error.status === 422) || !Array.isArray(error.detail)) throw error;
    const moved = error.detail.map((issue) => {
      const index = blocks.findIndex(({ type, text }) => type === "part" && issue.msg.includes(`"${text}"`));
      if (index < 0 || !/^(?:html_body|text_body|steps)$/.test(String(issue.loc[1]))) return issue;
      const msg = `Block ${index + 1}: ${issue.msg.replace(/^\w+_body: line \d+, column \d+: /, "")}`;
      return { ...issue, loc: ["body", fieldOf(index, "text")], msg };
    });
    throw unprocessable(moved);
  }
}
