export { deletePicture, getPicture } from "./delete.ts";
export { findPicture } from "./find.ts";
export { listPictures } from "./list.ts";
export { limits as pictureLimits, readAddress } from "./rules.ts";
export { type PictureOut, pictureUrl } from "./schema.ts";
export { uploadPicture } from "./upload.ts";
