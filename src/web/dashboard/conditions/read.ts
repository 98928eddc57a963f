import { type Condition, Conditions } from "../../../audience/conditions/index.ts";
import { AppError, unprocessable } from "../../../lib/errors.ts";
import { type Built, change, type DraftGroup, fromDraft, placeOf, readDraft } from "./draft.ts";

/** Greatest body of a form with conditions, in bytes. */
export const CONDITION_FORM_BYTES = 262_144;

/** Returns the conditions of a form. `isChanged`: by a button of its rows, so that the page is shown again, and nothing is saved. */
export function readConditions(form: URLSearchParams, name: string): { draft: DraftGroup; isChanged: boolean } {
  const draft = readDraft(form, name);
  const changed = change(draft, name, form.get("action") ?? "", form);
  return { draft: changed ?? draft, isChanged: changed !== null };
}

/** Returns the checked conditions of a draft, undefined when it has none. Throws 422 whose errors name fields of the form. */
export function parseDraft(draft: DraftGroup, name: string): Condition | undefined {
  const { condition, places } = fromDraft(draft, name);
  if (condition === undefined) return undefined;
  const result = Conditions.safeParse(condition);
  if (result.success) return result.data;
  throw unprocessable(
    result.error.issues.map(({ path, message }) => ({
      loc: ["body", placeOf(places, path.map(toStep), name)],
      msg: message,
      type: "value_error",
    })),
  );
}

const toStep = (step: PropertyKey) => (typeof step === "number" ? step : String(step));

/** Runs what checks the conditions of a draft. Errors about them, at `name` in the body, name the fields of the form instead. */
export async function atPlaces<Result>(draft: DraftGroup, name: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw toPlaces(error, fromDraft(draft, name), name);
  }
}

function toPlaces(error: unknown, { places }: Built, name: string): unknown {
  if (!(error instanceof AppError) || !Array.isArray(error.detail)) return error;
  return unprocessable(
    error.detail.map((one) =>
      one.loc[1] === name && one.loc.length > 2
        ? { ...one, loc: ["body", placeOf(places, one.loc.slice(2), name)] }
        : one,
    ),
  );
}
