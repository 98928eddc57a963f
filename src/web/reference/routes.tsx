import type { Context } from "hono";
import { Hono } from "hono";
import { raw } from "hono/html";
import { dispatcher } from "../../http/dispatch.ts";
import type { AppEnv } from "../../http/env.ts";
import { readForm } from "../../http/fields.ts";
import { needs } from "../../http/needs.ts";
import { readOpenApi } from "../../http/openapi-document.ts";
import { respondPage } from "../../http/page.tsx";
import { onPageError } from "../../http/page-errors.tsx";
import { pageSession } from "../../http/page-session.ts";
import type { ApiCall } from "../../lib/api-call.ts";
import { notFound } from "../../lib/errors.ts";
import { type ApiDocument, findOperation, type Operation, readNouns } from "./document.ts";
import { toExample } from "./examples.ts";
import { IndexPage } from "./index-page.tsx";
import { ReferenceLayout } from "./layout.tsx";
import { isTryable, Operations } from "./operations.tsx";
import { StartPage } from "./start-page.tsx";
import { tryOperation } from "./try-operation.ts";
import { fieldOf, TryPage } from "./try-page.tsx";

/** Returns the pages of the API reference, which read the OpenAPI document of `app` and call its endpoints. */
export function referenceRoutes(app: Hono<AppEnv>) {
  const read = async () => {
    const document = (await readOpenApi(app)) as unknown as ApiDocument;
    return { document, nouns: readNouns(document) };
  };
  const readOperation = async (c: Context<AppEnv>) => {
    const { document, nouns } = await read();
    const operation = findOperation(nouns, c.req.param("operation") ?? "");
    if (!operation || !isTryable(operation, needIn(c)(operation))) throw notFound("Operation");
    return { document, nouns, operation };
  };
  /** HTML of the operations on each kind of resource, by its slug: the same for everybody, and at most about 200 KB. */
  const operations = new Map<string, string>();
  return new Hono<AppEnv>()
    .get("/", needs("public"), (c) => respondPage(c, <StartPage />))
    .get("/docs", needs("public"), async (c) => {
      const { nouns } = await read();
      return respondPage(c, <IndexPage nouns={nouns} origin={originOf(c)} query={c.req.query("q") ?? ""} />, {
        script: true,
      });
    })
    .get("/docs/:noun", needs("public"), async (c) => {
      const { document, nouns } = await read();
      const noun = nouns.find(({ slug }) => slug === c.req.param("noun"));
      if (!noun) throw notFound("Page");
      const html =
        operations.get(noun.slug) ??
        String(await (<Operations document={document} noun={noun} origin={originOf(c)} needOf={needIn(c)} />));
      operations.set(noun.slug, html);
      const page = (
        <ReferenceLayout title={noun.name} nouns={nouns} current={noun.slug}>
          {raw(html)}
        </ReferenceLayout>
      );
      return respondPage(c, page, { script: true });
    })
    .get("/docs/try/:operation", pageSession, async (c) => {
      const { document, nouns, operation } = await readOperation(c);
      const values = await firstValues(c, document, operation, dispatcher(c, app));
      return respond(c, { nouns, operation, values });
    })
    .post("/docs/try/:operation", pageSession, async (c) => {
      const { nouns, operation } = await readOperation(c);
      const values = Object.fromEntries(await readForm(c));
      const tried = await tryOperation(operation, { values, idempotencyKey: values.key ?? "" }, dispatcher(c, app));
      return respond(c, { nouns, operation, values, ...("error" in tried ? tried : { response: tried }) });
    })
    .onError(onPageError);
}

/** Returns the function that finds the scope of an operation. */
const needIn =
  (c: Context<AppEnv>) =>
  ({ method, path }: Operation) =>
    c.get("routes").scopeOf(`${method} ${path.replace(/\{(\w+)\}/g, ":$1")}`);

const originOf = (c: Context<AppEnv>) => c.get("ctx").settings.publicUrl;

type Reply = Omit<Parameters<typeof TryPage>[0], "idempotencyKey">;

/** Returns the form of an operation, with a new Idempotency-Key for the next call. */
const respond = (c: Context<AppEnv>, page: Reply) =>
  respondPage(c, <TryPage {...page} idempotencyKey={crypto.randomUUID()} />, {
    status: page.error === undefined ? 200 : 422,
  });

/** Returns what the form of an operation shows first: the examples of its body and of required parameters. */
async function firstValues(
  c: Context<AppEnv>,
  document: ApiDocument,
  operation: Operation,
  call: ApiCall,
): Promise<Record<string, string>> {
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const body = schema ? toExample(document, schema) : undefined;
  const required = (operation.parameters ?? []).filter((parameter) => parameter.in === "query" && parameter.required);
  return {
    ...Object.fromEntries(required.map((parameter) => [fieldOf(parameter), String(parameter.example ?? "")])),
    ...(body === undefined ? {} : { body: JSON.stringify(await withOwnAddresses(c, operation, body, call), null, 2) }),
  };
}

/** Returns the example of an email with a mailbox of the workspace as sender and a simulated recipient. */
async function withOwnAddresses(
  c: Context<AppEnv>,
  operation: Operation,
  body: unknown,
  call: ApiCall,
): Promise<unknown> {
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
