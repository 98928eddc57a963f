import { Facts } from "../../http/ui/index.ts";
import { type Noun, type Operation, searchOperations } from "./document.ts";
import { ReferenceLayout } from "./layout.tsx";

interface IndexPageProps {
  nouns: readonly Noun[];
  /** URL of the service. */
  origin: string;
  /** The visitor's search. Empty: show all operations. */
  query: string;
}

/** The first page of the reference: what holds for every call, and all operations or those that a search found. */
export const IndexPage = ({ nouns, origin, query }: IndexPageProps) =>
  query.trim() === "" ? (
    <ReferenceLayout title="API reference" nouns={nouns}>
      <Introduction origin={origin} />
      {nouns.map((noun) => (
        <section aria-labelledby={noun.slug}>
          <h3 id={noun.slug}>{noun.name}</h3>
          <OperationList found={noun.operations.map((operation) => ({ noun, operation }))} />
        </section>
      ))}
    </ReferenceLayout>
  ) : (
    <ReferenceLayout title={`Operations with “${query.slice(0, 100)}”`} nouns={nouns} query={query}>
      <Found found={searchOperations(nouns, query)} />
    </ReferenceLayout>
  );

interface FoundProps {
  found: readonly { noun: Noun; operation: Operation }[];
}

const Found = ({ found }: FoundProps) =>
  found.length === 0 ? (
    <p>
      No operation has these words in its name, path or summary. <a href="/docs">Show all operations</a>
    </p>
  ) : (
    <OperationList found={found} />
  );

const OperationList = ({ found }: FoundProps) => (
  <ul class="operations">
    {found.map(({ noun, operation }) => (
      <li>
        <a href={`/docs/${noun.slug}#${operation.operationId}`}>{operation.summary}</a>
        <code>
          {operation.method} {operation.path}
        </code>
      </li>
    ))}
  </ul>
);

const Introduction = ({ origin }: { origin: string }) => (
  <article>
    <h2>Every call</h2>
    <Facts
      of={{
        "Base URL": (
          <>
            <code>{origin}</code>
          </>
        ),
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
            repeated call gets it again instead of a second email.
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
