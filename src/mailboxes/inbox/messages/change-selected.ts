import type { CallerCtx } from "../../../access/caller.ts";
import { folderName, type SelectedResult, saveUsedBytes } from "../../mailbox-store/index.ts";
import { authorOf, isShared, type OpenMailbox } from "../open.ts";
import { toChange, unknownFolder, unknownLabel } from "./change.ts";
import type { SelectionIn } from "./schema.ts";

/** The result of a change of selected messages. */
export interface Changed {
  /** Messages that were changed. Those that were so before are not among them. */
  count: number;
  /** The places of messages that were changed, and the changes that undo this one. */
  undo: SelectionIn[];
}

/** Changes selected messages of folders, at most 500 of each, in one transaction. Throws 422 for an unknown folder or label. */
export async function changeSelected(
  ctx: CallerCtx,
  mailbox: OpenMailbox,
  inputs: readonly SelectionIn[],
): Promise<Changed> {
  const selections = inputs.map((input) => ({
    selection: { ...input, upTo: input.up_to ?? null },
    change: toChange(input),
  }));
  const { results, usedBytes } = await mailbox.store.changeSelected(
    selections,
    isShared(mailbox) ? authorOf(ctx) : null,
  );
  if (selections.some(({ change }) => change.type === "expunge")) await saveUsedBytes(ctx, mailbox, usedBytes);
  for (const [index, result] of results.entries())
    if ("unknown" in result)
      throw result.unknown === "label" ? unknownLabel() : unknownFolder("to_folder", inputs[index]?.to_folder ?? "");
  return {
    count: results.reduce((sum, result) => sum + ("unknown" in result ? 0 : result.count), 0),
    undo: inputs.flatMap((input, index) => toUndo(input, results[index])),
  };
}

/** Returns the changes that undo one. A deletion for good has none. */
function toUndo(input: SelectionIn, result: SelectedResult | undefined): SelectionIn[] {
  if (!result || "unknown" in result) return [];
  return result.changed.map(({ folder, uids }) => ({ ...contraryOf(input), folder, uids, threads: [] }));
}

const CONTRARIES = {
  seen: "unseen",
  unseen: "seen",
  flag: "unflag",
  unflag: "flag",
  label: "unlabel",
  unlabel: "label",
} as const;

function contraryOf({ action, folder, label_id }: SelectionIn): Pick<SelectionIn, "action" | "to_folder" | "label_id"> {
  if (action in CONTRARIES) return { action: CONTRARIES[action as keyof typeof CONTRARIES], label_id };
  return { action: "move", to_folder: folderName(folder) };
}
