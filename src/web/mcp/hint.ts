import { isRepeatable, type Tool } from "./tool.ts";

/** A refused call: `errors` is what the API said, `retryAfter` the value of that header in seconds. */
interface Refusal {
  status: number;
  errors: string;
  retryAfter: string | null;
}

/** Returns what a model can do about an error, without a word that contradicts it. Pure. */
export function hintOf(tool: Tool, { status, errors, retryAfter }: Refusal): string {
  if (status === 400 || status === 413 || status === 422)
    return "Correct what the message names, then call the tool again.";
  if (status === 403) return "Do not repeat the call. Tell the user which permission or setting the message names.";
  // A 404 also says that a record is in another state (docs/contract/errors.md#statuses-of-errors).
  if (status === 404 && / not found$/.test(errors))
    return "This workspace has no such record. Find the right id with a list or search tool.";
  if (status === 409 && errors.includes("idempotency_key")) return hintOfKey(retryAfter);
  if (status === 404 || status === 409) return "Read the record that the message is about, then decide again.";
  if (status === 429) return `Wait ${retryAfter ?? "60"} seconds before the next call.`;
  return status >= 500 ? hintOfFailure(tool) : "";
}

const hintOfKey = (retryAfter: string | null) =>
  retryAfter === null
    ? "Use another idempotency_key for another action."
    : `Wait ${retryAfter} seconds, then repeat the same call.`;

function hintOfFailure(tool: Tool): string {
  if ("idempotency_key" in tool.input.shape)
    return "This is an error of the service. Repeat the call once with the same idempotency_key.";
  if (isRepeatable(tool)) return "This is an error of the service. Repeat the call once.";
  return "This is an error of the service. Find out whether the call had an effect before you repeat it.";
}
