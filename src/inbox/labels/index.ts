export { replaceLabels } from "./change.ts";
