export { PROFILE_PATH } from "./paths.ts";
