export { deletePicture } from "./delete.ts";
export { findPicture, getPicture, listPictures } from "./queries.ts";
export { limits as pictureLimits, readAddress } from "./rules.ts";
export { type PictureOut, pictureUrl } from "./schema.ts";
export { uploadPicture } from "./upload.ts";
