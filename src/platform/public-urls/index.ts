export { checkPublicUrl } from "./check.ts";
export { MAX_URL_CHARACTERS, type ParsedUrl } from "./parse.ts";
export { type Answer, postTo } from "./post.ts";
