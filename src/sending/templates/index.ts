export {
  BLOCK_FIELDS,
  BLOCK_TYPES,
  type Block,
  type BlockType,
  BUTTON_COLOR,
  blockLimits,
  columnsOf,
  languageOf,
  readBlocks,
  toBlock,
  toBlocksJson,
} from "./blocks/blocks.ts";
export { blockIssue, liquidIssue } from "./blocks/issues.ts";
export { renderBlocks } from "./blocks/render.ts";
export { BODY_COLUMNS, type ContentColumns, fillContents } from "./contents.ts";
export { createTemplate } from "./create.ts";
export { deleteTemplate } from "./delete.ts";
export { duplicateTemplate } from "./duplicate.ts";
export { examine, readParts } from "./examine.ts";
export { getTemplate, listTemplateNames, listTemplates, type TemplateName } from "./queries.ts";
export {
  type BodyParts,
  NO_PARTS,
  type ParsedTemplate,
  parseTemplate,
  renderTemplate,
  type TemplateContent,
  UNFIT_VARIABLE,
  unfitVariable,
} from "./render.ts";
export { Blocks, TemplateIn, type TemplateOut, TemplatePatch, toTemplate, Variables } from "./schema.ts";
export { updateTemplate } from "./update.ts";
