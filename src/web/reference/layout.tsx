import type { Child } from "hono/jsx";
import { Document, Form, files, Mark, SearchField } from "../../http/ui/index.ts";
import type { Contents } from "./document.ts";
import { type Guide, pathOf } from "./guides.ts";

const NAME = "API reference";

interface ReferenceLayoutProps {
  title: string;
  contents: Contents;
  /** Slug of the kind of resource, or path of the guide, that the page is about. */
  current?: string;
  query?: string;
  /** Path of the content as Markdown. */
  markdown?: string;
  children?: Child;
}

/** The layout of the pages of the API reference: bar, search, menu of guides, rules and resources, content. */
export const ReferenceLayout = ({ title, contents, current, query = "", markdown, children }: ReferenceLayoutProps) => (
  <Document title={title} of={title === NAME ? undefined : NAME} script={files.script} styles={[files.referenceStyle]}>
    <header class="bar">
      <a class="home" href="/" aria-label="Start">
        <Mark />
      </a>
      <nav aria-label="Main">
        <a href="/docs">API reference</a>
        <a href="#contents">Contents</a>
        <a href="/openapi.json">OpenAPI</a>
        <a href="/app">Dashboard</a>
        <a href="/mail">Webmail</a>
      </nav>
    </header>
    <div class="docs">
      <div class="side">
        <search>
          <Form class="search" method="get" action="/docs">
            <SearchField label="Search the reference" value={query} maxlength={200} placeholder="Search" isGlobal />
          </Form>
        </search>
        <Menu contents={contents} current={current} />
      </div>
      <main id="main">
        <div class="title">
          <h1>{title}</h1>
          {markdown === undefined ? null : (
            <a class="quiet" href={markdown} data-copy-from="">
              View as Markdown
            </a>
          )}
        </div>
        {children}
      </main>
    </div>
  </Document>
);

const Menu = ({ contents: { nouns, guides }, current }: { contents: Contents; current: string | undefined }) => (
  <nav class="contents" id="contents" aria-label="Contents">
    <GuideLinks label="Guides" guides={guides.filter(({ kind }) => kind === "guides")} current={current} />
    <GuideLinks label="Rules of the API" guides={guides.filter(({ kind }) => kind === "rules")} current={current} />
    <details open={current !== undefined && !current.startsWith("/")}>
      <summary>Operations</summary>
      {nouns.map(({ slug, name, operations }) => (
        <>
          <a href={`/docs/${slug}`} aria-current={slug === current ? "page" : undefined}>
            {name}
          </a>
          {slug === current
            ? operations.map(({ operationId, summary }) => (
                <a class="below" href={`#${operationId}`}>
                  {summary}
                </a>
              ))
            : null}
        </>
      ))}
    </details>
  </nav>
);

interface GuideLinksProps {
  label: string;
  guides: readonly Guide[];
  current: string | undefined;
}

const GuideLinks = ({ label, guides, current }: GuideLinksProps) => (
  <details open={guides.some((guide) => pathOf(guide) === current)}>
    <summary>{label}</summary>
    {guides.map((guide) => (
      <a href={pathOf(guide)} aria-current={pathOf(guide) === current ? "page" : undefined}>
        {guide.title}
      </a>
    ))}
  </details>
);
