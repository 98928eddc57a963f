export { isPublicAddress } from "./addresses.ts";
export { checkPublicUrl } from "./check.ts";
export { MAX_URL_CHARACTERS } from "./parse.ts";
export { postTo } from "./post.ts";
