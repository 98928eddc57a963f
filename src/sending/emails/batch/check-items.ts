import type { CallerCtx } from "../../../access/caller.ts";
import type { ValidationError } from "../../../lib/errors.ts";
import { MAX_WARNINGS, type SendIn } from "../schema.ts";
import {
  check,
  findSendRecords,
  firstReason,
  parse,
  resolveTemplates,
  type Sendable,
  toValidationErrors,
  warningsOf,
} from "../send/index.ts";

/** An item of a batch after the check of its form. `loc` of its errors begins with body and index. */
export type BatchItem = { input: SendIn } | { errors: ValidationError[] };

/** An item that may be sent, with its index in the batch. */
export type SendableItem = Sendable & { index: number; warnings?: string[] };

/** An item that must not be sent: its index, one sentence for the result, and every error. */
export interface RefusedItem {
  index: number;
  reason: string;
  errors: ValidationError[];
}

/** Characters of a result's reason, which may contain a header name. The response is stored for the Idempotency-Key. */
const REASON_CHARACTERS = 500;

/** Checks items as single sends are checked, with one D1 batch for all of them. */
export async function checkItems(
  ctx: CallerCtx,
  items: readonly BatchItem[],
  source = "batch",
): Promise<{ sendable: SendableItem[]; refused: RefusedItem[] }> {
  const now = ctx.now();
  const refused: RefusedItem[] = [];
  const inputs = items.flatMap((item, index) => ("input" in item ? [{ index, input: item.input }] : []));
  const given = inputs.map(({ input }) => input);
  const resolved = await resolveTemplates(ctx, given);
  const resolvedOf = new Map(inputs.map(({ index }, position) => [index, resolved[position]]));
  let mostWarnings = MAX_WARNINGS;
  const requests = items.flatMap((item, index) => {
    if ("input" in item) {
      const { input, issues } = resolvedOf.get(index) ?? { input: item.input, issues: [] };
      const warnings = warningsOf(input, mostWarnings);
      mostWarnings -= warnings?.length ?? 0;
      return [{ index, request: parse(input, now, issues), warnings }];
    }
    refused.push({ index, reason: shorten(firstError(item.errors)), errors: item.errors });
    return [];
  });
  if (requests.length === 0) return { sendable: [], refused };
  const parsed = requests.map(({ request }) => request);
  const records = await findSendRecords(ctx, parsed);
  const sendable: SendableItem[] = [];
  for (const { index, request, warnings } of requests) {
    const checked = check(ctx, request, records, { source, isRetry: false });
    if ("email" in checked) sendable.push({ ...checked, index, warnings });
    else refused.push({ index, ...describe(checked.issues, index) });
  }
  return { sendable, refused };
}

function describe(issues: Parameters<typeof firstReason>[0], index: number): Omit<RefusedItem, "index"> {
  return { reason: shorten(firstReason(issues)), errors: toValidationErrors(issues, ["body", index]) };
}

function shorten(reason: string): string {
  if (reason.length <= REASON_CHARACTERS) return reason;
  return `${reason.slice(0, REASON_CHARACTERS).toWellFormed()}…`;
}

/** Returns the first error as a sentence that begins with its path in the item. */
function firstError([error]: readonly ValidationError[]): string {
  if (!error) return "";
  const path = error.loc.slice(2);
  return path.length > 0 ? `${path.join(".")}: ${error.msg}` : error.msg;
}
