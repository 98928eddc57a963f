export { createLabel, deleteLabel, replaceLabels, updateLabel } from "./change.ts";
export { LabelIn } from "./schema.ts";
