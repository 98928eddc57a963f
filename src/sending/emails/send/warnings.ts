import { isClose } from "../../../lib/close-names.ts";
import { MAX_WARNINGS, SendIn } from "../schema.ts";

const FIELDS = Object.keys(SendIn.shape);

/** Returns a request with a warning for each field of its body that is ignored and whose name is close to one that is not. Pure. */
export function withWarnings(input: SendIn, body: unknown): SendIn {
  const ignored = Object.keys(Object(body)).filter((name) => !FIELDS.includes(name) && name.length <= 64);
  const warnings = ignored.slice(0, MAX_WARNINGS).flatMap((name) => {
    const meant = FIELDS.find((known) => isClose(name, known));
    return meant === undefined ? [] : [`\`${name}\` is no field and was ignored; did you mean \`${meant}\`?`];
  });
  return { ...input, warnings };
}

/** Returns the warnings of a request, at most `most`. Undefined when there are none. */
export const warningsOf = ({ warnings = [] }: SendIn, most = MAX_WARNINGS): string[] | undefined =>
  warnings.length > 0 && most > 0 ? warnings.slice(0, most) : undefined;
