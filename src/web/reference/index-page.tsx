import { Facts, useViewer } from "../../http/ui/index.ts";
import type { Contents } from "./document.ts";
import { pathOf } from "./guides.ts";
import { ReferenceLayout } from "./layout.tsx";
import { PlaceList } from "./search-page.tsx";

/** The first page of the reference: what holds for every call, the guides, and all operations. */
export const IndexPage = ({ contents }: { contents: Contents }) => (
  <ReferenceLayout title="API reference" contents={contents} markdown="/llms.txt">
    <Introduction />
    <section aria-labelledby="guides">
      <h2 id="guides">Guides</h2>
      <PlaceList
        places={contents.guides
          .filter(({ kind }) => kind === "guides")
          .map((guide) => ({ title: guide.title, href: pathOf(guide), detail: "" }))}
      />
    </section>
    {contents.nouns.map((noun) => (
      <section aria-labelledby={noun.slug}>
        <h2 id={noun.slug}>{noun.name}</h2>
        <PlaceList
          places={noun.operations.map(({ summary, operationId, method, path }) => ({
            title: summary,
            href: `/docs/${noun.slug}#${operationId}`,
            detail: `${method} ${path}`,
          }))}
        />
      </section>
    ))}
  </ReferenceLayout>
);

const Introduction = () => (
  <article>
    <h2>Every call</h2>
    <Facts
      of={{
        "Base URL": { code: useViewer().origin },
        Authentication: (
          <>
            The header <code>Authorization: Bearer &lt;API key&gt;</code>. Make a key on the page{" "}
            <a href="/app/api-keys">API keys</a>. A key has scopes; each operation names the scope that it needs.
          </>
        ),
        Bodies: (
          <>
            JSON with <code>Content-Type: application/json</code>. Unknown fields are ignored. Times are ISO 8601 in
            UTC.
          </>
        ),
        Errors: (
          <>
            <code>{'{"detail": "…"}'}</code>. With status 422, <code>detail</code> is an array of{" "}
            <code>{'{"loc", "msg", "type"}'}</code>, one for each field that is not valid.
          </>
        ),
        "Repeated calls": (
          <>
            Send <code>Idempotency-Key</code> with a POST. The first successful response is stored for 24 hours, and a
            repeated call gets it again instead of a second email: <a href="/docs/try/sendEmail">try it</a>.
          </>
        ),
        Lists: (
          <>
            The header <code>Link</code> with <code>rel="next"</code> leads to the next page.
          </>
        ),
        Limits: (
          <>
            600 calls a minute, and 6,000 that send. Beyond them the response is 429, and <code>Retry-After</code> says
            how many seconds to wait.
          </>
        ),
        Support: (
          <>
            Every response has an <code>X-Request-Id</code>, which is in the log of the service too.
          </>
        ),
      }}
    />
  </article>
);
