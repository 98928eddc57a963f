import type { Child } from "hono/jsx";
import { Document, files, Mark } from "../../http/ui/index.ts";
import type { Noun } from "./document.ts";

const NAME = "API reference";

interface ReferenceLayoutProps {
  title: string;
  nouns: readonly Noun[];
  /** Slug of the kind of resource that the page is about. */
  current?: string;
  /** The text of the search. */
  query?: string;
  children?: Child;
}

/** The layout of the pages of the API reference: bar, search, menu of the kinds of resources, content. */
export const ReferenceLayout = ({ title, nouns, current, query = "", children }: ReferenceLayoutProps) => (
  <Document title={title} of={title === NAME ? undefined : NAME} script={files.script} styles={[files.referenceStyle]}>
    <header class="bar">
      <a class="home" href="/" aria-label="Start">
        <Mark />
      </a>
      <nav aria-label="Main">
        <a href="/docs">API reference</a>
        <a href="/openapi.json">OpenAPI document</a>
        <a href="/app">Dashboard</a>
        <a href="/mail">Webmail</a>
      </nav>
    </header>
    <div class="docs">
      <div>
        <search>
          <form class="search" method="get" action="/docs">
            <input
              type="search"
              name="q"
              value={query}
              aria-label="Find an operation"
              placeholder="Find an operation"
            />
            <button type="submit" class="quiet">
              Find
            </button>
          </form>
        </search>
        <nav class="nouns" aria-label="Resources">
          {nouns.map(({ slug, name }) => (
            <a href={`/docs/${slug}`} aria-current={slug === current ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
      </div>
      <main id="main">
        <h1>{title}</h1>
        {children}
      </main>
    </div>
  </Document>
);
