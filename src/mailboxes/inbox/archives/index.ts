export { exportMailbox } from "./export.ts";
export { importArchive } from "./import.ts";
export { listImports } from "./read-imports.ts";
export { runImports } from "./run-imports.ts";
