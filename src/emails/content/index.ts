export {
  type ContentDocument,
  type ContentPlace,
  contentPlace,
  findContent,
  putContent,
  putContents,
  putDocument,
  type StoredContent,
} from "./documents.ts";
export { batchUpload, ContentUpload, discardingSink } from "./upload.ts";
