export { atBlocks } from "./at-blocks.ts";
export { type BlocksChange, changeOf } from "./change.ts";
export { contentValues, readContent, type StoredContent, toContent, toTexts, type WrittenContent } from "./content.ts";
export { ContentFields, EditorChoice } from "./content-fields.tsx";
export { editedContent, showContent } from "./on-page.tsx";
