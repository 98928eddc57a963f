import type { CallerCtx } from "../../context.ts";
import type { Fault } from "../../errors.ts";
import { type Checked, checkSends, reasonOf } from "../check.ts";
import type { SendIn } from "../schema.ts";

/** An item of a batch as it came in: its form is right, or what is wrong with it. `loc` begins with body and index. */
export type BatchItem = { input: SendIn } | { faults: Fault[] };

/** An item after all checks: fit to be sent, or why not. */
export type ReadItem = { checked: Checked } | { reason: string; faults: Fault[] };

/** Checks what items mean, as a single send does. One D1 batch for all of them. */
export async function readItems(ctx: CallerCtx, items: readonly BatchItem[]): Promise<ReadItem[]> {
  const inputs = items.flatMap((item) => ("input" in item ? [item.input] : []));
  const checked = inputs.length > 0 ? await checkSends(ctx, inputs) : [];
  const next = checked.values();
  return items.map((item, index): ReadItem => {
    if ("faults" in item) return { reason: sentence(item.faults), faults: item.faults };
    const result = next.next().value;
    if (!result) throw new Error("an item was not checked");
    if (result.issues.length === 0) return { checked: result };
    const faults = result.issues.map(({ loc, error, type }) => ({ loc: ["body", index, ...loc], msg: error, type }));
    return { reason: reasonOf(result.issues), faults };
  });
}

/** The first fault in words; where it is, below the item. */
function sentence([fault]: readonly Fault[]): string {
  if (!fault) return "";
  const place = fault.loc.slice(2);
  return place.length > 0 ? `${place.join(".")}: ${fault.msg}` : fault.msg;
}
