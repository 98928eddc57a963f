import { type Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import type { CallerCtx } from "../access/caller.ts";
import { type FormValues, requireVersion } from "../lib/form-version.ts";
import { type AppContext, type AppEnv, newRoutes } from "./env.ts";
import { respondPage } from "./page.tsx";
import { attempt, onceForForm, pageFor, refusedAt, type Show, submitForm } from "./page-routes.ts";
import { ConfirmPage } from "./ui/index.ts";

/** Declares pages of the dashboard, and what their forms and buttons do. */

/** An operation. It gets the parameters of the path, in its order. */
type Operation<Args extends unknown[], Result> = (caller: CallerCtx, ...args: Args) => Promise<Result>;

type IdsOf<Path extends string> = Path extends `${string}/:${string}/${infer Rest}`
  ? [string, ...IdsOf<`/${Rest}`>]
  : Path extends `${string}/:${string}`
    ? [string]
    : [];

/** Texts of notices by their names in the URL. */
type Done = Readonly<Record<string, string>>;

interface Action<Result> {
  /**
   * Where it leads: a path, in which `:name` is that parameter of its own path and `:id` the id of the result, or a page of the
   * result. Default: the page that it stands on, or the list of what it deletes.
   */
  to?: string | ((result: Result, c: AppContext) => string | Response | Promise<string | Response>);
  /** The notice of the next page, by its name in the URL. Default: that the object is created, changed or deleted. */
  done?: Done;
  /** Shows why it was refused. Default: the page that it stands on, which is the nearest `page` at its path or above; or the question. */
  show?: Show;
}

interface ButtonAction<Ids extends string[], Result> extends Action<Result> {
  run: Operation<Ids, Result>;
  /** True when it acts once for each Idempotency-Key. */
  once?: boolean;
}

interface FormAction<Ids extends string[], Input, Result> extends Action<Result> {
  /** Reads the input of the operation, as `inputOf` does. */
  read: (fields: URLSearchParams, c: AppContext) => Input | Promise<Input>;
  run: Operation<[...Ids, Input], Result>;
  /** The values of the form, which has a `VersionField`, by label: those that are stored, and those that were entered. */
  version?: { stored: Operation<Ids, FormValues>; entered: (input: Input, c: AppContext) => FormValues };
  /** Returns the field of the page for the location of an error. Default: the field of the call. */
  fieldOf?: (loc: readonly (string | number)[]) => string;
  /** Greatest body of the form, in bytes. */
  maxBytes?: number;
}

/** A text, or a function that returns the text about an object. */
type About<Row, Text> = Text | ((row: Row) => Text);

interface Question<Ids extends string[], Row, Result> extends ButtonAction<Ids, Result> {
  /** Reads the object that the question is about. */
  of: Operation<Ids, Row>;
  title: About<Row, string>;
  /** Text of the button that does it. Default: that it deletes the object. */
  button?: About<Row, string>;
  /** Names the things that end or are deleted. */
  text: About<Row, Child>;
  /** False when nothing is deleted or ends. */
  isFinal?: false;
}

/** The surroundings of an action, which it has from the routes that are declared with it. */
interface Place {
  noun: string;
  /** The page that it stands on. Absent: an error of the action is a page of its own. */
  page: { path: string; show: Show } | undefined;
  /** The name of its notice; empty: it has none. */
  done: string;
}

interface PageRoute {
  methods: string[];
  path: string;
  /** The API route whose scope and rate limit it has. */
  right: string;
  handle: (c: AppContext, place: Place) => Response | Promise<Response>;
  /** True for a page, on which actions may stand. */
  isPage?: boolean;
  done?: Done | undefined;
  /** Participle of what it does to an object. */
  deed?: string | undefined;
}

/** Returns pages and their actions as routes. `noun`: the name of one of the objects that they are about. */
export function pagesOf(noun: string, ...entries: (PageRoute | Hono<AppEnv>)[]): Hono<AppEnv> {
  const app = newRoutes();
  const routes = entries.flatMap((entry) => (entry instanceof Hono ? [] : [entry]));
  const notices = Object.assign({}, ...routes.map((route) => noticesOf(route, noun))) as Record<string, string>;
  for (const entry of entries) {
    if (entry instanceof Hono) {
      app.route("/", entry);
      continue;
    }
    const place = placeOf(entry, noun, routes);
    app.on(entry.methods, entry.path, ...pageFor(entry.right), (c) => {
      c.set("notices", notices);
      return entry.handle(c, place);
    });
  }
  return app;
}

const noticesOf = ({ done, deed }: PageRoute, noun: string) =>
  done ?? (deed === undefined ? {} : { [deed]: `The ${noun} is ${deed}.` });

function placeOf(route: PageRoute, noun: string, routes: readonly PageRoute[]): Place {
  const above = routes.filter(({ isPage, path }) => isPage && `${route.path}/`.startsWith(`${path}/`));
  const [nearest] = above.toSorted((a, b) => b.path.length - a.path.length);
  const page = nearest && { path: nearest.path, show: (c: AppContext) => nearest.handle(c, place) };
  const place: Place = { noun, page, done: Object.keys(noticesOf(route, noun))[0] ?? "" };
  return place;
}

type Handle<Path extends string> = (c: Context<AppEnv, Path>) => Response | Promise<Response>;
type Declare = <Path extends string>(path: Path, right: string, handle: Handle<Path>, done?: Done) => PageRoute;

const declared =
  (method: "GET" | "POST", isPage = false): Declare =>
  (path, right, handle, done) => ({ methods: [method], path, right, handle, isPage, done });

/** Declares a page. Actions at its path, or below it, stand on it. `done`: notices that actions declared elsewhere lead to. */
export const page = declared("GET", true);

/** Declares a response that is no page, such as a download. */
export const get = declared("GET");

/** Declares an action of another kind than those below. `done`: the notices that it leads to. */
export const post = declared("POST");

const formAction =
  (deed: string, once: boolean) =>
  <Path extends string, Input, Result>(
    path: Path,
    right: string,
    { read, run, version, fieldOf, maxBytes, ...action }: FormAction<IdsOf<Path>, Input, Result>,
  ): PageRoute => ({
    methods: ["POST"],
    path,
    right,
    done: action.done,
    deed,
    handle: (c, place) =>
      submitForm(c, { show: action.show ?? place.page?.show, maxBytes }, async (fields) => {
        const ids = idsOf<Path>(c);
        const save = async () => {
          const input = await read(fields, c);
          const stored = await version?.stored(c.get("caller"), ...ids);
          if (version && stored) requireVersion(fields.get("version") ?? "", stored, version.entered(input, c));
          return call(c, once, (ctx) => run(ctx, ...ids, input));
        };
        return next(c, place, action, fieldOf ? await refusedAt(save, fieldOf) : await save());
      }),
  });

/** Declares a form that creates an object, once for each Idempotency-Key. */
export const creation = formAction("created", true);

/** Declares a form that changes the object of the path. */
export const change = formAction("changed", false);

/** Declares a button that does something to the object of the path. */
export const button = <Path extends string, Result>(
  path: Path,
  right: string,
  action: ButtonAction<IdsOf<Path>, Result>,
): PageRoute => ({
  methods: ["POST"],
  path,
  right,
  done: action.done ?? {},
  handle: (c, place) => press<Path, Result>(c, place, action),
});

const asking =
  (deed?: string) =>
  <Path extends string, Row, Result>(
    path: Path,
    right: string,
    action: Question<IdsOf<Path>, Row, Result>,
  ): PageRoute => ({
    methods: ["GET", "POST"],
    path,
    right,
    done: action.done,
    deed,
    handle: (c, place) =>
      c.req.method === "POST"
        ? press<Path, Result>(c, place, {
            to: listOf(path),
            show: () => ask<Path, Row, Result>(c, place, action),
            ...action,
          })
        : attempt(c, action.show, () => ask<Path, Row, Result>(c, place, action)),
  });

/** Declares a page that asks before something is done to the object of the path. */
export const question = asking();

/** Declares a page that asks before the object of the path is deleted. */
export const deletion = asking("deleted");

const press = <Path extends string, Result>(
  c: AppContext,
  place: Place,
  { run, once = false, ...action }: ButtonAction<IdsOf<Path>, Result>,
) =>
  (once ? submitForm : attempt)(c, action.show ?? place.page?.show, async () =>
    next(c, place, action, await call(c, once, (ctx) => run(ctx, ...idsOf<Path>(c)))),
  );

const call = <Result,>(c: AppContext, once: boolean, run: (ctx: CallerCtx) => Promise<Result>) =>
  once ? onceForForm(c, run) : run(c.get("caller"));

async function ask<Path extends string, Row, Result>(
  c: AppContext,
  { noun, page }: Place,
  { of, once = false, ...question }: Question<IdsOf<Path>, Row, Result>,
) {
  const row = await of(c.get("caller"), ...idsOf<Path>(c));
  const tell = <Text,>(about: About<Row, Text>) =>
    typeof about === "function" ? (about as (row: Row) => Text)(row) : about;
  const title = tell(question.title);
  const button = tell(question.button ?? `Delete ${noun}`);
  return respondPage(
    c,
    <ConfirmPage
      title={title}
      button={button}
      back={fill(c, page?.path ?? "/app")}
      isFinal={question.isFinal}
      once={once}
    >
      {tell(question.text)}
    </ConfirmPage>,
  );
}

/** Returns the path of the list of an object: what comes before the last parameter. */
const listOf = (path: string) => path.slice(0, path.lastIndexOf("/:"));

const idsOf = <Path extends string>(c: AppContext) => Object.values(c.req.param()) as IdsOf<Path>;

const fill = (c: AppContext, path: string, id = "") => {
  const values: Record<string, string> = { ...c.req.param(), id };
  return path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? "");
};

function next<Result>(
  c: AppContext,
  { page, done }: Place,
  { to = page?.path ?? "/app" }: Action<Result>,
  result: Result,
) {
  if (typeof to === "function") return to(result, c);
  const { id } = Object(result) as { id?: string };
  return fill(c, to, id) + (done === "" ? "" : `?done=${done}`);
}
