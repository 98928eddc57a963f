export { exportMailbox } from "./export.ts";
export { importArchive } from "./import.ts";
export { runImports } from "./run-imports.ts";
