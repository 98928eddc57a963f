import type { Hono } from "hono";
import { dispatcher } from "../../http/dispatch.ts";
import { type AppContext, type AppEnv, newRoutes } from "../../http/env.ts";
import { formsOfWorkspace } from "../../http/form-page.tsx";
import { needs } from "../../http/needs.ts";
import { readOpenApi } from "../../http/openapi-document.ts";
import { respondPage } from "../../http/page.tsx";
import { onPageError } from "../../http/page-errors.tsx";
import { readForm } from "../../http/page-routes.ts";
import { pageSession } from "../../http/page-session.ts";
import type { ApiCall } from "../../lib/api-call.ts";
import { AppError, notFound } from "../../lib/errors.ts";
import { type ApiDocument, type Contents, findOperation, type Operation, readNouns } from "./document.ts";
import { toExample } from "./examples.ts";
import { readGuides } from "./guides.ts";
import { IndexPage } from "./index-page.tsx";
import { ReferenceLayout } from "./layout.tsx";
import { isTryable } from "./operation-examples.tsx";
import { Operations } from "./operations.tsx";
import { GuidePage, NounPage } from "./pages.tsx";
import { search } from "./search.ts";
import { SearchPage } from "./search-page.tsx";
import { toSitemap } from "./sitemap.ts";
import { nounToMarkdown, toLlmsText } from "./to-markdown.ts";
import { tryOperation } from "./try-operation.ts";
import { fieldOf, TryPage } from "./try-page.tsx";

/** Options of a page that everybody sees alike. */
const INDEXED = { script: true, isIndexed: true };

/** Returns the pages of the API reference, which read the OpenAPI document of `app` and call its endpoints. */
export function referenceRoutes(app: Hono<AppEnv>) {
  const read = async (c: AppContext): Promise<Contents> => {
    const document = (await readOpenApi(app)) as unknown as ApiDocument;
    return { document, nouns: readNouns(document), guides: await readGuides(c.env.ASSETS) };
  };
  const readOperation = async (c: AppContext) => {
    const contents = await read(c);
    const operation = findOperation(contents.nouns, c.req.param("operation") ?? "");
    if (!operation || !isTryable(operation, needIn(c)(operation))) throw notFound("Operation");
    return { contents, operation };
  };
  /** HTML of the operations on each kind of resource, by its slug: the same for everybody, and at most about 300 KB. */
  const operations = new Map<string, string>();
  return newRoutes()
    .get("/sitemap.xml", needs("public"), async (c) =>
      c.body(toSitemap(await read(c), originOf(c)), 200, { "Content-Type": "application/xml; charset=utf-8" }),
    )
    .get("/llms.txt", needs("public"), async (c) =>
      respondMarkdown(c, toLlmsText(await read(c), c.get("ctx").settings)),
    )
    .get("/docs", needs("public"), async (c) => {
      const contents = await read(c);
      const query = (c.req.query("q") ?? "").trim();
      const page =
        query === "" ? (
          <IndexPage contents={contents} />
        ) : (
          <SearchPage contents={contents} query={query} found={search(contents, query)} />
        );
      return respondPage(c, page, { script: true, isIndexed: query === "" });
    })
    .get("/docs/:kind{guides|rules}/:file", needs("public"), async (c) => {
      const contents = await read(c);
      const { slug, isMarkdown } = readFileName(c.req.param("file"));
      const guide = contents.guides.find((one) => one.kind === c.req.param("kind") && one.slug === slug);
      if (!guide) throw notFound("Page");
      if (isMarkdown) return respondMarkdown(c, guide.markdown);
      return respondPage(c, <GuidePage contents={contents} guide={guide} />, INDEXED);
    })
    .get("/docs/:file", needs("public"), async (c) => {
      const contents = await read(c);
      const { slug, isMarkdown } = readFileName(c.req.param("file"));
      const noun = contents.nouns.find((one) => one.slug === slug);
      if (!noun) throw notFound("Page");
      const source = { document: contents.document, origin: originOf(c), needOf: needIn(c) };
      if (isMarkdown) return respondMarkdown(c, nounToMarkdown(source, noun));
      const html = operations.get(slug) ?? String(await (<Operations {...source} noun={noun} />));
      operations.set(slug, html);
      return respondPage(c, <NounPage contents={contents} noun={noun} html={html} />, INDEXED);
    })
    .get("/docs/try/:operation", pageSession, formsOfWorkspace, async (c) => {
      const { contents, operation } = await readOperation(c);
      const values = await firstValues(c, contents.document, operation, dispatcher(c, app));
      return respond(c, { contents, operation, values });
    })
    .post("/docs/try/:operation", pageSession, formsOfWorkspace, async (c) => {
      const { contents, operation } = await readOperation(c);
      const form = Object.fromEntries(await readForm(c));
      const values = { ...form, key: form.same_key ?? form.key ?? "" };
      const tried = await tryOperation(operation, values, dispatcher(c, app));
      return respond(c, { contents, operation, values, ...("error" in tried ? tried : { response: tried }) });
    })
    .onError(async (error, c) => {
      if (!(error instanceof AppError && error.status === 404)) return onPageError(error, c);
      const page = (
        <ReferenceLayout title="Not found" contents={await read(c)}>
          <p>{error.message}. Search, or choose a page of the menu.</p>
        </ReferenceLayout>
      );
      return respondPage(c, page, { script: true, status: 404 });
    });
}

/** Splits the last part of a path into the name of a page and whether its Markdown is asked for. */
function readFileName(file: string): { slug: string; isMarkdown: boolean } {
  const isMarkdown = file.endsWith(".md");
  return { slug: isMarkdown ? file.slice(0, -3) : file, isMarkdown };
}

/** Returns a text that a browser shows as it is, and that an assistant reads. */
const respondMarkdown = (c: AppContext, text: string) =>
  c.text(text, 200, { "Content-Type": "text/markdown; charset=utf-8", "X-Content-Type-Options": "nosniff" });

/** Returns the function that finds the scope of an operation. */
const needIn =
  (c: AppContext) =>
  ({ method, path }: Operation) =>
    c.get("routes").scopeOf(`${method} ${path.replace(/\{(\w+)\}/g, ":$1")}`);

const originOf = (c: AppContext) => c.get("ctx").settings.publicUrl;

/** Returns the form of an operation, with a new Idempotency-Key for the next call. */
const respond = (c: AppContext, page: Omit<Parameters<typeof TryPage>[0], "idempotencyKey">) =>
  respondPage(c, <TryPage {...page} idempotencyKey={crypto.randomUUID()} />, {
    status: page.error === undefined ? 200 : 422,
  });

/** Returns what the form of an operation shows first: the examples of its body and of required parameters. */
async function firstValues(c: AppContext, document: ApiDocument, operation: Operation, call: ApiCall) {
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const body = schema ? toExample(document, schema) : undefined;
  const required = (operation.parameters ?? []).filter((parameter) => parameter.in === "query" && parameter.required);
  return {
    ...Object.fromEntries(required.map((parameter) => [fieldOf(parameter), String(parameter.example ?? "")])),
    ...(body === undefined ? {} : { body: JSON.stringify(await withOwnAddresses(c, operation, body, call), null, 2) }),
  };
}

/** Returns the example of an email with a mailbox of the workspace as sender and a simulated recipient. */
async function withOwnAddresses(c: AppContext, operation: Operation, body: unknown, call: ApiCall): Promise<unknown> {
  if (operation.operationId !== "sendEmail" && operation.operationId !== "validateEmail") return body;
  const mailboxes = await call("GET", "/v1/mailboxes/", null, {});
  const addresses = mailboxes.ok ? await mailboxes.json<{ address: string; is_active: boolean }[]>() : [];
  const own = addresses.find(({ address, is_active }) => is_active && !address.startsWith("*"))?.address;
  return {
    ...(body as object),
    ...(own === undefined ? {} : { from_: { email: own } }),
    to: [{ email: `delivered@${c.get("ctx").settings.simulatorDomain}` }],
  };
}
