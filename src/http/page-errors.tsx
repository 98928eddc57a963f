import type { ContentfulStatusCode } from "hono/utils/http-status";
import { AppError, conflict } from "../lib/errors.ts";
import { ConcurrencyError } from "../platform/db/batch.ts";
import { findSetupIssue } from "../platform/settings/setting-issues.ts";
import type { AppContext } from "./env.ts";
import { respondPage } from "./page.tsx";
import { AppLayout, ButtonLine, Layout } from "./ui/index.ts";
import { viewerOf } from "./viewer.ts";

const titles: Readonly<Record<number, string>> = {
  403: "Not allowed",
  404: "Not found",
  409: "This was changed meanwhile",
  429: "Too many requests",
};

/** Turns the error of a page into a page. An unexpected error is logged with its stack and shown with the request id only. */
export function onPageError(error: Error, c: AppContext): Response | Promise<Response> {
  // The page of a form could not be shown again, and this page is about another error.
  c.set("refusal", undefined);
  const known = error instanceof ConcurrencyError ? conflict("Another request changed it. Try again") : error;
  const ctx = c.get("ctx");
  if (!(known instanceof AppError)) {
    ctx.log("request.failed", { stack: error.stack ?? String(error) });
    const issue = findSetupIssue(c.env, error);
    const title = issue === null ? "Something went wrong" : "The service is not set up";
    const page = <ErrorPage context={c} title={title} {...(issue !== null && { message: issue, isSetUp: false })} />;
    return respondPage(c, page, { status: issue === null ? 500 : 503 });
  }
  for (const [name, value] of Object.entries(known.extra.headers ?? {})) c.header(name, value);
  const page = (
    <ErrorPage context={c} title={titles[known.status] ?? "This did not work"} message={`${known.message}.`} />
  );
  return respondPage(c, page, { status: known.status as ContentfulStatusCode });
}

interface ErrorPageProps {
  context: AppContext;
  title: string;
  message?: string;
  /** False where every other page has the same error. */
  isSetUp?: boolean;
}

function ErrorPage({ context, title, message = "The service failed. Try again.", isSetUp = true }: ErrorPageProps) {
  const { path } = context.req;
  const { recipient } = viewerOf(context);
  const content = (
    <>
      <p>{message}</p>
      <p class="hint">
        Request <span class="code">{context.get("ctx").requestId}</span>
      </p>
      {isSetUp && !recipient ? <ButtonLine to={path.startsWith("/mail") ? "/mail" : "/app"} label="Home" /> : null}
    </>
  );
  return context.get("caller") && /^\/app(\/|$)/.test(path) ? (
    <AppLayout title={title} at="">
      {content}
    </AppLayout>
  ) : (
    <Layout title={title}>{content}</Layout>
  );
}
