import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import { hasCursor, type Tool } from "./tool.ts";

type JsonSchema = Record<string, unknown>;

/** JSON schemas by tool. They follow from the source, and each takes about a millisecond to make. */
const made = { input: new Map<string, JsonSchema>(), output: new Map<string, JsonSchema>() };

/** Returns the schema of a tool's arguments. Those that are fields of the endpoint are validated by it alone. */
export const inputSchemaOf = (tool: Tool): StandardSchemaWithJSON =>
  standardSchema(tool, "input", tool.input, (args) => tool.check["~standard"].validate(args));

/** Returns the schema of a tool's results, which only tests validate: no result becomes an error after the email was sent. */
export const outputSchemaOf = (tool: Tool): StandardSchemaWithJSON =>
  standardSchema(tool, "output", resultOf(tool), (value) => ({ value }));

function standardSchema(
  { name }: Tool,
  io: "input" | "output",
  type: z.ZodType,
  validate: StandardSchemaWithJSON["~standard"]["validate"],
): StandardSchemaWithJSON {
  const schema = () => {
    const known = made[io].get(name) ?? toJson(type, io);
    made[io].set(name, known);
    return known;
  };
  return {
    "~standard": {
      version: 1,
      vendor: "email-delivery-service",
      validate,
      jsonSchema: { input: schema, output: schema },
    },
  };
}

const toJson = (type: z.ZodType, io: "input" | "output") =>
  z.toJSONSchema(type, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema }) => simplify(jsonSchema, io),
  }) as JsonSchema;

const next = z.string().nullable().describe("Cursor of the next page; null on the last one.");

/** Returns the schema of what call-tool.ts makes of a response. */
function resultOf(tool: Tool): z.ZodType {
  const { response } = tool;
  if (response === null) return z.object({ done: z.literal(true) });
  if (response instanceof z.ZodArray) return z.object({ items: response, next });
  return hasCursor(tool) && response instanceof z.ZodObject ? response.extend({ next }) : response;
}

/** Removes what fills the context of a model: names, examples and patterns; from results also the ban on fields of later versions. */
function simplify(schema: JsonSchema, io: "input" | "output"): void {
  delete schema.ref;
  delete schema.pattern;
  delete schema.example;
  delete schema.examples;
  if (io === "output" && schema.additionalProperties === false) delete schema.additionalProperties;
}
