import { AppError, unprocessable } from "../../../lib/errors.ts";

/** Where a page shows the errors of an automation: the API names a place in its JSON. */

type Loc = readonly (string | number)[];

/** Returns the id of a step on the page of its automation. */
export const stepId = (path: string) => `step-${path}`;

/** Returns the path of the step that an error is about, such as `1.then_steps.0`; null: it is about none. */
export function stepOf([, field, ...rest]: Loc): string | null {
  if (field !== "steps" || !isIndex(rest[0])) return null;
  const path = [String(rest[0])];
  for (let at = 1; rest[at] === "then_steps" || rest[at] === "else_steps"; at += 2) {
    if (!isIndex(rest[at + 1])) break;
    path.push(String(rest[at]), String(rest[at + 1]));
  }
  return path.join(".");
}

const isIndex = (value: string | number | undefined) => /^\d+$/.test(String(value ?? ""));

/** Runs a change. Its errors name the fields of the page that `fieldOf` returns; those of one field become one. */
export async function refusedAt<Result>(run: () => Promise<Result>, fieldOf: (loc: Loc) => string): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AppError) || !Array.isArray(error.detail)) throw error;
    const messages = new Map<string, string[]>();
    for (const { loc, msg } of error.detail) {
      const field = fieldOf(loc);
      messages.set(field, [...(messages.get(field) ?? []), msg]);
    }
    throw unprocessable(
      [...messages].map(([field, all]) => ({ loc: ["body", field], msg: all.join("; "), type: "value_error" })),
    );
  }
}
