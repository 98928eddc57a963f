import type { Step } from "../../../audience/automations/index.ts";
import { readBlocks } from "../../../sending/templates/index.ts";

/** Changes of nested steps by their paths, as `1.then_steps.0` (docs/contract/automations.md#steps). Pure. */

type Change = (list: readonly Step[], index: number) => Step[];

/** Returns the steps with one list changed at the end of a path, or null for a path that leads nowhere. */
function changeAt(steps: readonly Step[], path: string, change: Change): Step[] | null {
  const [first = "", branch, ...rest] = path.split(".");
  const index = Number(first);
  if (!/^\d{1,3}$/.test(first) || index > steps.length) return null;
  if (branch === undefined) return change(steps, index);
  const step = steps[index];
  if (!step || !("then_steps" in step) || (branch !== "then_steps" && branch !== "else_steps")) return null;
  const inner = changeAt(step[branch], rest.join("."), change);
  return inner && steps.with(index, { ...step, [branch]: inner });
}

/** Returns the steps with another at a place, before the one that is there. */
export const insertStep = (steps: readonly Step[], path: string, step: Step): Step[] | null =>
  changeAt(steps, path, (list, index) => list.toSpliced(index, 0, step));

/** Returns the steps with one replaced by that of a form, which does not have its branches, nor the data of another editor. */
export const replaceStep = (steps: readonly Step[], path: string, step: Step): Step[] | null =>
  changeAt(steps, path, (list, index) => {
    const before = list[index];
    return before ? list.with(index, { ...step, ...keptOf(before, step) }) : [...list];
  });

function keptOf(before: Step, step: Step) {
  if ("then_steps" in before && "then_steps" in step)
    return { then_steps: before.then_steps, else_steps: before.else_steps };
  if (before.kind !== "send_email" || step.kind !== "send_email" || !before.blocks_json) return {};
  return readBlocks(before.blocks_json) === null && !step.blocks_json ? { blocks_json: before.blocks_json } : {};
}

/** Returns the steps without one and its branches. */
export const removeStep = (steps: readonly Step[], path: string): Step[] | null =>
  changeAt(steps, path, (list, index) => list.toSpliced(index, 1));

/** Returns the steps with one moved up or down in its list; the first stays first, and the last stays last. */
export const moveStep = (steps: readonly Step[], path: string, by: -1 | 1): Step[] | null =>
  changeAt(steps, path, (list, index) => {
    const step = list[index];
    const to = index + by;
    if (!step || to < 0 || to >= list.length) return [...list];
    return list.toSpliced(index, 1).toSpliced(to, 0, step);
  });

/** Returns the step at a path, or null. */
export function stepAt(steps: readonly Step[], path: string): Step | null {
  let found: Step | null = null;
  changeAt(steps, path, (list, index) => {
    found = list[index] ?? null;
    return [...list];
  });
  return found;
}

/** Returns the path of the place before or behind a step, in its list. */
export function siblingOf(path: string, by: -1 | 1): string {
  const parts = path.split(".");
  return parts.with(-1, String(Number(parts.at(-1)) + by)).join(".");
}
