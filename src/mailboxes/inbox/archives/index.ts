export { exportMailbox } from "./export.ts";
export { importArchive, listImports } from "./import.ts";
export { runImports } from "./run-imports.ts";
