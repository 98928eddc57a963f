/**
 * Replaces the part of the MCP SDK that depends on the runtime (wrangler.toml, alias). The SDK's own for Workers contains a
 * validator of JSON schemas, for results that clients return to a server and for tools whose schemas are not of zod, which
 * do not exist here, and builds every schema of the protocol when the Worker starts, also in isolates that never serve MCP.
 */
export class DefaultJsonSchemaValidator {
  /** Throws: no schema reaches it. */
  getValidator(): never {
    throw new Error("JSON schemas of the MCP SDK are not validated here");
  }
}
