export { createFolder, deleteFolder, renameFolder } from "./change.ts";
export { FolderIn } from "./schema.ts";
