export { AttachmentDeletedError, toAttachmentSource } from "./attachment-source.ts";
export { ContentRanges } from "./content-ranges.ts";
export {
  type ContentDocument,
  type ContentPlace,
  contentPlace,
  putContent,
  putContents,
  putDocument,
  readContent,
  type StoredContent,
  type StoredDocument,
  type StoredRange,
} from "./documents.ts";
export { offloadSteps, rewindContentProgressStatement } from "./offload.ts";
export {
  blankExcept,
  blankUnset,
  hasPackedContentSql,
  MIN_PACKED_EMAILS,
  type MovedContent,
  packContents,
  setContentKeyStatement,
} from "./pack.ts";
export { contentPadding } from "./padding.ts";
export { SUBJECT_ISSUE, UNSUBSCRIBE_URL, UnrenderableError } from "./personalize.ts";
export { describeRaw, rawBodyOf } from "./raw-content.ts";
export { batchUpload, ContentUpload, discardingSink } from "./upload.ts";
