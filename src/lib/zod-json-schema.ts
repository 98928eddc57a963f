/**
 * Replaces `zod/v4/core` where only its JSON schemas are wanted (wrangler.toml, alias): an import of the whole package would
 * take its error messages in fifty languages into the bundle.
 */
export { toJSONSchema } from "zod";
