export {
  type ContentDocument,
  type ContentPlace,
  contentPlace,
  findContent,
  putContent,
  putContents,
  putDocument,
} from "./documents.ts";
export { batchUpload, ContentUpload, discardingSink } from "./upload.ts";
