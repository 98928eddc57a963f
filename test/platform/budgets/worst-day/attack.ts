import type { CountedTable } from "../../../../src/platform/budgets/spent.ts";
import type { TestWorkspace } from "../../../support/workspace.ts";

/** Makes the next call, with its number from 0. Calls that only prepare it are not counted. */
type Call = (n: number) => Promise<Response>;

/** How a workspace calls one operation with the largest valid body, again and again. */
export interface Attack {
  /** `METHOD /path/:parameter`. */
  operation: string;
  /** The way in which it calls, when an operation has several. */
  way?: string;
  /** Most calls, in place of the usual number: fewer when each is large, more to reach a limit. */
  calls?: number;
  /** Requests that one call takes, when it prepares something each time. Default: 1. */
  requests?: number;
  /** Rows to which budgets of the workspace are lowered. */
  budgets?: Partial<Record<CountedTable, number>>;
  /** Creates what the calls need and returns the function that makes one. */
  prepare: (attacker: TestWorkspace) => Promise<Call>;
  /** Runs work that the calls have left for later, such as deliveries. */
  finish?: (attacker: TestWorkspace) => Promise<void>;
}

export const nameOf = ({ operation, way }: Pick<Attack, "operation" | "way">) =>
  way === undefined ? operation : `${operation}, ${way}`;

/** Returns a text of `bytes` bytes that no other call has. */
export const textOf = (bytes: number) => `${crypto.randomUUID()} ${"x".repeat(bytes)}`.slice(0, bytes);

/** Returns an address that no other call has. */
export const anAddress = () => `p${crypto.randomUUID()}@example.org`;

/** Returns an attack whose calls post to a path of its operation that has no parameters. */
export const posting = (
  operation: string,
  body: (attacker: TestWorkspace, n: number) => unknown,
  more: Omit<Attack, "operation" | "prepare"> = {},
): Attack => ({
  operation,
  prepare: async (attacker) => (n) => {
    const [method = "", path = ""] = operation.split(" ");
    return attacker.call(method, path, body(attacker, n));
  },
  ...more,
});

/** Returns an attack that creates a record first. Its calls post to the path that `path` returns. */
export const postingTo = (
  operation: string,
  create: (attacker: TestWorkspace) => Promise<string>,
  body: (attacker: TestWorkspace, n: number) => unknown = () => undefined,
  more: Omit<Attack, "operation" | "prepare"> = {},
): Attack => ({
  operation,
  prepare: async (attacker) => {
    const path = await create(attacker);
    const [method = ""] = operation.split(" ");
    return (n) => attacker.call(method, path, body(attacker, n));
  },
  ...more,
});
