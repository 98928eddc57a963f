export { createMagicLink } from "./magic-links/index.ts";
