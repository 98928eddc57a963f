import { findTargetHandler } from "hono/utils/handler";
import type { Outliving } from "../access/accounts/outlives.ts";
import type { RequiredScope } from "../access/accounts/scopes.ts";
import type { Endpoint } from "../lib/api-call.ts";

export const DECLARED = Symbol("declared");

/** The declaration of one handler of a route. */
export interface Declared {
  scope: RequiredScope;
  /** Outlives the credential, and is made or read by the route. Null: nothing does. */
  outliving: Outliving | null;
  /** Absent: the route is not one of the API. */
  endpoint?: Endpoint;
}

/** Returns what a handler declares of its route. Undefined for a handler that declares nothing. */
export const declaredBy = (handler: Parameters<typeof findTargetHandler>[0]): Declared | undefined =>
  (findTargetHandler(handler) as { [DECLARED]?: Declared })[DECLARED];
