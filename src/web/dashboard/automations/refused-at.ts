/** Where a page shows the errors of an automation: the API names a place in its JSON. */

/** Returns the id of a step on the page of its automation. */
export const stepId = (path: string) => `step-${path}`;

/** Returns the path of the step that an error is about, such as `1.then_steps.0`; null: it is about none. */
export function stepOf([, field, ...rest]: readonly (string | number)[]): string | null {
  if (field !== "steps" || !isIndex(rest[0])) return null;
  const path = [String(rest[0])];
  for (let at = 1; rest[at] === "then_steps" || rest[at] === "else_steps"; at += 2) {
    if (!isIndex(rest[at + 1])) break;
    path.push(String(rest[at]), String(rest[at + 1]));
  }
  return path.join(".");
}

const isIndex = (value: string | number | undefined) => /^\d+$/.test(String(value ?? ""));
