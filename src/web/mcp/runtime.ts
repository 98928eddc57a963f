/** Replaces the MCP SDK's part for this runtime (wrangler.toml, alias), which builds every schema of the protocol at each start. */
export class DefaultJsonSchemaValidator {
  /** Throws: no schema reaches it. */
  getValidator(): never {
    throw new Error("JSON schemas of the MCP SDK are not validated here");
  }
}
