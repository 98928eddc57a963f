import type { Hono, MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type DescribeRouteOptions, describeRoute } from "hono-openapi";
import type * as z from "zod";
import type { Outliving } from "../access/accounts/outlives.ts";
import type { RequiredScope } from "../access/accounts/scopes.ts";
import type { CallerCtx, SessionActor } from "../access/caller.ts";
import { parseUid } from "../lib/ids.ts";
import { type AppContext, type AppEnv, type Middleware, newRoutes } from "./env.ts";
import { idempotent } from "./idempotency.ts";
import { noBody } from "./json-body.ts";
import { declaring } from "./needs.ts";
import { type Problems, type Responses, responsesOf, schemaOf } from "./openapi.ts";
import { bodySchemaOf, body as readBody, query as readQuery } from "./validate.ts";

export { outlives } from "../access/accounts/outlives.ts";

/** The parameters of a path. A UID that is none is 0, which no message has. */
type Parameters<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Parameter<Name> & Parameters<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Parameter<Name>
    : unknown;
type Parameter<Name extends string> = { [Key in Name]: Name extends "uid" ? number : string };

/** The schema of a JSON body, or the two middlewares that read and validate another one (validate.ts). */
type Body = z.ZodType | readonly [Middleware, object] | undefined;
type ValueOf<Read extends Body> = Read extends z.ZodType
  ? { body: z.output<Read> }
  : Read extends readonly [Middleware, MiddlewareHandler<infer _Env, string, infer Validated>]
    ? Validated extends { out: { json: infer Value } }
      ? { body: Value }
      : unknown
    : unknown;
type QueryOf<Query> = Query extends z.ZodType ? { query: z.output<Query> } : unknown;

type CallerOf<Scope extends RequiredScope> = Scope extends "public"
  ? undefined
  : Scope extends "session" | "platform_admin"
    ? CallerCtx & { actor: SessionActor }
    : CallerCtx;

type Described = Pick<DescribeRouteOptions, "parameters" | "requestBody" | "tags"> & {
  summary: string;
  description?: string;
};

/** A route, beside its path, name and right. */
interface Route<Path extends string, Scope extends RequiredScope, Read extends Body, Query, Given> extends Described {
  query?: Query;
  /** A schema: a JSON body with these fields. */
  body?: Read;
  /** Runs before the body is read. */
  before?: Middleware;
  /** False for a POST that does not honour Idempotency-Key, because its repetition changes nothing more. Default true. */
  once?: false;
  /** Its successes, by status. The first is that of a value that `run` returns. */
  returns: Responses;
  /** Statuses of its errors that do not follow from what is declared here. */
  errors?: readonly number[];
  /** Schemas of errors that say more than their `detail`, by status. */
  problems?: Problems;
  /** Returns the value of the response, or a response. */
  run: (
    caller: CallerOf<Scope>,
    input: Parameters<Path> & ValueOf<Read> & QueryOf<Query> & Given,
    c: AppContext,
  ) => unknown;
}

/** The common part of the routes of an area. */
interface Common<Given, ToRead> {
  /** Reads what each route is given beside its input. It decides, too, to whom a stored response is replayed. */
  given?: (c: AppContext) => Promise<Given>;
  /** Reads the same for a route that needs the right to read only. Default: `given`. */
  givenToRead?: (c: AppContext) => Promise<ToRead>;
  before?: Middleware;
  errors?: readonly number[];
  problems?: Problems;
}

/** The part of the input of a route with this scope that `given` has read. */
type GivenTo<Scope extends RequiredScope, Given, ToRead> = Scope extends `${string}:read` ? ToRead : Given;

type Reads<Given, ToRead> = <
  Path extends string,
  Scope extends RequiredScope,
  Query extends z.ZodType | undefined = undefined,
>(
  path: Path,
  name: string,
  scope: Scope,
  /** `reads`: what outlives its credential in the response. */
  route: Route<Path, Scope, undefined, Query, GivenTo<Scope, Given, ToRead>> & { reads?: Outliving },
) => ApiRoutes<Given, ToRead>;

type Writes<Given, ToRead> = <
  Path extends string,
  Scope extends RequiredScope,
  Read extends Body = undefined,
  Query extends z.ZodType | undefined = undefined,
>(
  path: Path,
  name: string,
  scope: Scope,
  outliving: Outliving | null,
  route: Route<Path, Scope, Read, Query, GivenTo<Scope, Given, ToRead>>,
) => ApiRoutes<Given, ToRead>;

export interface ApiRoutes<Given, ToRead> extends Record<"post" | "put" | "patch" | "delete", Writes<Given, ToRead>> {
  app: Hono<AppEnv>;
  get: Reads<Given, ToRead>;
}

/**
 * Returns routes of the API, to which each method adds one: its path, its name in the OpenAPI document, the scope that `authenticate`
 * enforces before any handler runs, and what it makes that outlives its credential. `tag`: its group in the document.
 */
export function apiRoutes<Given extends object = object, ToRead extends object = Given>(
  tag: string,
  common: Common<Given, ToRead> = {},
): ApiRoutes<Given, ToRead> {
  const app = newRoutes();
  const add = (method: string, right: Right, path: string, route: AnyRoute) => {
    app.on(method, [path], ...handlersOf(method, right, { path, tag }, route, common));
    return routes;
  };
  const writes =
    (method: string): Writes<Given, ToRead> =>
    (path, name, scope, outliving, route) =>
      add(method, { name, scope, outliving }, path, route as unknown as AnyRoute);
  const routes: ApiRoutes<Given, ToRead> = {
    app,
    get: (path, name, scope, { reads = null, ...route }) =>
      add("GET", { name, scope, outliving: reads }, path, route as unknown as AnyRoute),
    post: writes("POST"),
    put: writes("PUT"),
    patch: writes("PATCH"),
    delete: writes("DELETE"),
  };
  return routes;
}

interface Right {
  name: string;
  scope: RequiredScope;
  outliving: Outliving | null;
}

type AnyRoute = Omit<Route<string, RequiredScope, Body, z.ZodType | undefined, object>, "run"> & {
  run: (caller: CallerCtx | undefined, input: object, c: AppContext) => unknown;
};

/** Returns the handlers of a route, in the order in which they run. */
function handlersOf(
  method: string,
  { name, scope, outliving }: Right,
  { path, tag }: { path: string; tag: string },
  { query, body, before, once, returns, errors, problems, run, ...described }: AnyRoute,
  common: Common<object, object>,
): Middleware[] {
  const isOnce = method === "POST" && once === undefined && scope !== "public";
  const status = Number(Object.keys(returns)[0]);
  const given = oncePerRequest((scope.endsWith(":read") && common.givenToRead) || common.given);
  const statuses = [
    ...(scope === "any" || scope === "public" ? [] : [403]),
    ...(path.includes(":") ? [404] : []),
    ...(isOnce ? [409] : []),
    ...(body ? [413, 415] : []),
    ...(common.errors ?? []),
    ...(errors ?? []),
  ];
  const responses = responsesOf(returns, statuses, problems ?? common.problems);
  const description = describeRoute({ tags: [tag], operationId: name, ...described, responses });
  const endpoint = { query: query ?? null, body: bodySchemaOf(body), response: schemaOf(returns), isOnce };
  // Validators are typed by the schema, which is not known here.
  const validators = [...(query ? [readQuery(query)] : [])] as unknown as Middleware[];
  const readers = (body ? [...("parse" in body ? readBody(body) : body)] : []) as unknown as Middleware[];
  return [
    declaring({ scope, outliving, endpoint }, description),
    ...(common.before ? [common.before] : []),
    ...validators,
    // Before a file is read, which is a body too.
    ...(body ? [] : [noBody]),
    ...(before ? [before] : []),
    ...readers,
    ...(isOnce ? [idempotent(status as ContentfulStatusCode, given)] : []),
    async (c: AppContext) => {
      const input = { ...parametersOf(c), ...validated(c), ...(await given(c)) };
      const result = await run(c.get("caller"), input, c);
      if (result instanceof Response) return result;
      return status === 204 ? c.body(null, 204) : c.json(result as object, status as ContentfulStatusCode);
    },
  ];
}

/** Returns a function that reads what a route is given, once for each request: for a stored response, and for its handler. */
const oncePerRequest =
  (read: (c: AppContext) => Promise<object> = async () => ({})) =>
  async (c: AppContext): Promise<object> => {
    const given = c.get("given") ?? (await read(c));
    c.set("given", given);
    return given;
  };

/** The values that the validators of a route have set. */
interface Validated {
  json: unknown;
  query: unknown;
}

const validated = (c: AppContext) => {
  const valid = (target: keyof Validated) => c.req.valid(target as never) as unknown;
  return { body: valid("json"), query: valid("query") };
};

/** Returns the parameters of the path. A UID is a number. */
function parametersOf(c: AppContext): Record<string, unknown> {
  const parameters: Record<string, string> = c.req.param();
  const { uid } = parameters;
  return uid === undefined ? parameters : { ...parameters, uid: parseUid(uid) };
}
