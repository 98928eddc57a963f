import { AppError, unprocessable } from "../../../lib/errors.ts";
import type { Block } from "../../../sending/templates/index.ts";
import { fieldOf } from "./content.ts";

/** Runs a call that saves blocks. An error of the HTML or text made of them becomes that of the block of a part that it names. */
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
