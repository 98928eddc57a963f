export { describeEnvelope, describeNode, type PartStart, plainStructure, StructureBudget } from "./describe.ts";
export { findPart } from "./find-part.ts";
export { renderBody, renderEnvelope } from "./render.ts";
export { toInnerMessage } from "./shift.ts";
export type { MessageStructure, PartNode } from "./types.ts";
