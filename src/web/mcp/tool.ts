import * as z from "zod";
import type { Endpoint } from "../../lib/api-call.ts";

/** The effect of a tool, for clients that ask the user before a call (MCP, tool annotations). */
type Effect =
  /** Changes nothing. */
  | "read"
  /** Adds or changes records of the workspace, which can be undone. */
  | "write"
  /** Sends, cancels or deletes: it cannot be undone. */
  | "final";

/** A tool as it is written down: a call of one endpoint of the API, whose arguments and results are those of the endpoint. */
export interface DeclaredTool {
  name: string;
  title: string;
  /** Tells a model the purpose of the tool and when to use it. */
  description: string;
  /** Method and mounted path of the endpoint. Its scope is that of the tool. */
  route: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} ${string}`;
  /** Only an endpoint with GET goes without one: it reads. */
  effect?: Effect;
  /** Set when a repeated POST with the same arguments changes nothing more. With PUT, PATCH and DELETE this is always so. */
  repeatable?: true;
  /** Set when its results have words of people outside, whose orders are none for a model. */
  isForeign?: true;
  /** Names of the fields of the endpoint that the tool does not take. */
  without?: readonly string[];
  /** Fields that the tool describes or requires otherwise than the endpoint. */
  fields?: z.ZodRawShape;
}

/** Tools by their names. */
export type ToolsByName = Readonly<Record<string, Omit<DeclaredTool, "name">>>;

/** A tool of the MCP server. */
export interface Tool extends Omit<DeclaredTool, "without" | "fields"> {
  /** The arguments: path parameters, then query parameters or fields of the body. */
  input: z.ZodObject;
  /** Checks the arguments that are not fields of the endpoint, and the names of all. The endpoint checks its own fields. */
  check: z.ZodObject;
  /** Of the endpoint's response; null: it has no body. */
  response: z.ZodType | null;
}

/** Returns a tool with the arguments that its endpoint takes. */
export function toTool({ without = [], fields = {}, ...tool }: DeclaredTool, endpoint: Endpoint): Tool {
  const taken = { ...shapeOf(endpoint.query), ...shapeOf(endpoint.body) };
  // A cursor continues a list at any depth.
  for (const name of ["page", ...without]) delete taken[name];
  const cursors = Object.keys(taken).filter((name) => name === "after" || name === "before");
  const own = {
    ...idsOf(tool.route),
    ...Object.fromEntries(cursors.map((name) => [name, cursor])),
    ...(endpoint.isOnce ? { idempotency_key: idempotencyKey } : {}),
    ...fields,
  };
  const unchecked = Object.fromEntries(Object.keys(taken).map((name) => [name, z.unknown().optional()]));
  const input = z.strictObject({ ...taken, ...own });
  return { ...tool, input, check: z.strictObject({ ...unchecked, ...own }), response: endpoint.response };
}

const shapeOf = (schema: z.ZodType | null): z.ZodRawShape =>
  schema instanceof z.ZodObject ? { ...(schema.shape as z.ZodRawShape) } : {};

function idsOf(route: string): z.ZodRawShape {
  const names = Array.from(route.matchAll(/:(\w+)_id\b/g), ([, name = ""]) => name);
  return Object.fromEntries(names.map((name) => [`${name}_id`, id(name === "list" ? "contact list" : name)]));
}

const id = (what: string) => z.string().max(64).describe(`Id of the ${what}.`);
const cursor = z.string().max(200).optional().describe("Continues after this cursor (`next`).");

/** An argument that makes a call safe to repeat. It becomes the Idempotency-Key header. */
const idempotencyKey = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .describe("Any text that is unique to this action. A call with the same text and arguments is run once only.");

/** Returns whether a tool changes nothing. */
export const isReading = ({ route, effect }: Tool): boolean => effect === "read" || route.startsWith("GET ");

/** Returns whether a repeated call with the same arguments changes nothing more. */
export const isRepeatable = (tool: Tool): boolean =>
  isReading(tool) || tool.repeatable === true || !tool.route.startsWith("POST ");

/** Returns whether a tool reads a page of a list. Its results have `next`, the cursor of the next page. */
export const hasCursor = ({ input }: Tool): boolean => "after" in input.shape || "before" in input.shape;
