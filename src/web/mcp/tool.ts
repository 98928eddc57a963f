import * as z from "zod";

/** The effect of a tool, for clients that ask the user before a call (MCP, tool annotations). */
type Effect =
  /** Changes nothing. */
  | "read"
  /** Adds or changes records of the workspace, which can be undone. */
  | "write"
  /** Sends, cancels or deletes: it cannot be undone. */
  | "final";

/** A tool of the MCP server: a call of one endpoint of the API. */
export interface Tool {
  name: string;
  title: string;
  /** Tells a model the purpose of the tool and when to use it. */
  description: string;
  /** Method and mounted path of the endpoint. Its scope is that of the tool. */
  route: `${"GET" | "POST" | "PATCH" | "DELETE"} ${string}`;
  /** Only an endpoint with GET goes without one: it reads. */
  effect?: Effect;
  /** Set when a repeated POST with the same arguments changes nothing more. With PATCH and DELETE this is always so. */
  repeatable?: true;
  /** The arguments: path parameters, then query parameters or fields of the body. */
  input: z.ZodObject;
}

/** A tool as it is written down: its input is without the ids of its path. */
export type DeclaredTool = Omit<Tool, "input"> & { input?: z.ZodRawShape };

/** Returns a tool with the ids of its path among its arguments. */
export function toTool({ input = {}, ...tool }: DeclaredTool): Tool {
  const names = Array.from(tool.route.matchAll(/:(\w+)_id\b/g), ([, name = ""]) => name);
  const ids = names.map((name) => [`${name}_id`, id(name === "list" ? "contact list" : name)]);
  return { ...tool, input: z.strictObject({ ...Object.fromEntries(ids), ...input }) };
}

export const id = (what: string) => z.string().max(64).describe(`Id of the ${what}.`);
export const limit = (max: number) => z.int().min(1).max(max).optional().describe("Greatest number of results.");
export const cursor = z.string().max(200).optional();

/** The arguments of a list that is read by pages. */
export const pageAfter = (max: number) => ({
  limit: limit(max),
  after: cursor.describe("Continues after this cursor (`next`)."),
});

/** Returns whether a tool changes nothing. */
export const isReading = ({ route, effect }: Tool): boolean => effect === "read" || route.startsWith("GET ");

/** Returns whether a repeated call with the same arguments changes nothing more. */
export const isRepeatable = (tool: Tool): boolean =>
  isReading(tool) || tool.repeatable === true || !tool.route.startsWith("POST ");

/** Returns whether a tool reads a page of a list. Its results have `next`, the cursor of the next page. */
export const hasCursor = ({ input }: Tool): boolean => "after" in input.shape || "before" in input.shape;

/** An argument that makes a call safe to repeat. It becomes the Idempotency-Key header. */
export const idempotencyKey = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .describe("Any text that is unique to this action. A call with the same text and arguments is run once only.");
