export { parseMailboxes, parseOnlyMailbox } from "./address-fields.ts";
export { type BodySource, composeRaw, inlineBody, type RawContent } from "./compose.ts";
export { RawMessageError } from "./errors.ts";
export { binaryToText, fieldValue, parseFields } from "./fields.ts";
export type { RawPart } from "./part-list.ts";
export { replaceHtml } from "./replace-html.ts";
export { MessageScanner, type ScannedMessage } from "./scanner.ts";
export { readTextPart, textParts } from "./text-parts.ts";
