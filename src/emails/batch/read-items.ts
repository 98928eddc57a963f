import type { CallerCtx } from "../../context.ts";
import { type Fault, MAX_FAULTS } from "../../errors.ts";
import type { SendIn } from "../schema.ts";
import { type Checked, checkSends, reasonOf } from "../send/index.ts";

/** An item of a batch as it came in: its form is right, or what is wrong with it. `loc` begins with body and index. */
export type BatchItem = { input: SendIn } | { faults: Fault[] };

/** An item after all checks: fit to be sent, or why not. */
export type ReadItem = { checked: Checked } | { reason: string; faults: Fault[] };

/** Characters of a reason. It tells of names that callers make up, and 500 of them are kept as one value. */
const REASON_CHARACTERS = 500;

/** Checks what items mean, as a single send does. One D1 batch for all of them. */
export async function readItems(ctx: CallerCtx, items: readonly BatchItem[]): Promise<ReadItem[]> {
  const inputs = items.flatMap((item) => ("input" in item ? [item.input] : []));
  const checked = (inputs.length > 0 ? await checkSends(ctx, inputs) : []).values();
  return items.map((item, index) => ("input" in item ? judged(checked.next().value, index) : unread(item.faults)));
}

function judged(checked: Checked | undefined, index: number): ReadItem {
  if (!checked) throw new Error("an item was not checked");
  if (checked.issues.length === 0) return { checked };
  const told = checked.issues.slice(0, MAX_FAULTS);
  const faults = told.map(({ loc, error, type }) => ({ loc: ["body", index, ...loc], msg: error, type }));
  return { reason: short(reasonOf(checked.issues)), faults };
}

const unread = (faults: Fault[]): ReadItem => ({ reason: short(sentence(faults)), faults });

function short(reason: string): string {
  if (reason.length <= REASON_CHARACTERS) return reason;
  return `${reason.slice(0, REASON_CHARACTERS).toWellFormed()}…`;
}

/** The first fault in words; where it is, below the item. */
function sentence([fault]: readonly Fault[]): string {
  if (!fault) return "";
  const place = fault.loc.slice(2);
  return place.length > 0 ? `${place.join(".")}: ${fault.msg}` : fault.msg;
}
