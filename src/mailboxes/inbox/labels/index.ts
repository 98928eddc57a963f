export { createLabel, deleteLabel, replaceLabels, updateLabel } from "./change.ts";
export { LabelIn, LabelPatch } from "./schema.ts";
