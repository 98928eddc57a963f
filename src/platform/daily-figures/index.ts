export { addFigures } from "./counters.ts";
export { readFigures, saveFigures } from "./save.ts";
