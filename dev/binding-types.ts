/** Arguments of wrangler that write bindings.d.ts. Without `--env-file` it would have the names of .dev.vars. */
export const BINDING_TYPES = ["types", "bindings.d.ts", "--include-runtime=false", "--env-file=/dev/null"];
