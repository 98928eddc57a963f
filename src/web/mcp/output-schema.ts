import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import { hasCursor, type Tool } from "./tool.ts";

type JsonSchema = Record<string, unknown>;

/** Returns the schema of the JSON body of a route's success, or null for one without. */
export type ResponseOf = (route: string) => z.ZodType | null;

/** JSON schemas by tool. They follow from the source, and each takes about a millisecond to make. */
const made = new Map<string, JsonSchema>();

/**
 * Returns the schema of a tool's results, made from that of the endpoint's response. Results are not validated against it: a
 * result that the endpoint returned must not become an error after the email was sent. Tests validate them.
 */
export function outputSchemaOf(tool: Tool, responseOf: ResponseOf): StandardSchemaWithJSON {
  const schema = () => made.get(tool.name) ?? make(tool, responseOf);
  return {
    "~standard": {
      version: 1,
      vendor: "email-delivery-service",
      validate: (value) => ({ value }),
      jsonSchema: { input: schema, output: schema },
    },
  };
}

function make(tool: Tool, responseOf: ResponseOf): JsonSchema {
  const schema = z.toJSONSchema(resultOf(tool, responseOf(tool.route)), {
    io: "output",
    unrepresentable: "any",
    override: ({ jsonSchema }) => simplify(jsonSchema),
  }) as JsonSchema;
  made.set(tool.name, schema);
  return schema;
}

const next = z.string().nullable().describe("Cursor of the next page; null on the last one.");

/** Returns the schema of what call-tool.ts makes of a response. */
function resultOf(tool: Tool, response: z.ZodType | null): z.ZodType {
  if (response === null) return z.object({ done: z.literal(true) });
  if (response instanceof z.ZodArray) return z.object({ items: response, next });
  return hasCursor(tool) && response instanceof z.ZodObject ? response.extend({ next }) : response;
}

/**
 * Removes what a client has no use for: the names and examples of OpenAPI, and the ban on fields that a later version adds,
 * since a client may keep the list of tools.
 */
function simplify(schema: JsonSchema): void {
  delete schema.ref;
  delete schema.example;
  delete schema.examples;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
}
