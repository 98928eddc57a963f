import type { Contents } from "./document.ts";
import { ReferenceLayout } from "./layout.tsx";
import type { Found, Place } from "./search.ts";

interface SearchPageProps {
  contents: Contents;
  query: string;
  found: readonly Found[];
}

/** The places that a search of the reference found, by kind. */
export const SearchPage = ({ contents, query, found }: SearchPageProps) => (
  <ReferenceLayout title={`Search for “${query.slice(0, 100)}”`} contents={contents} query={query}>
    {found.length === 0 ? (
      <p>
        Nothing in the reference has all these words. Try fewer, or <a href="/docs">see all operations</a>.
      </p>
    ) : (
      found.map(({ kind, places, total }) => (
        <section aria-label={kind} data-found="">
          <h2>{kind}</h2>
          <PlaceList places={places} />
          {total > places.length ? (
            <p class="hint">
              {places.length} of {total}. Add a word to see fewer.
            </p>
          ) : null}
        </section>
      ))
    )}
  </ReferenceLayout>
);

/** Links to places of the reference, each with its detail. */
export const PlaceList = ({ places }: { places: readonly Pick<Place, "title" | "href" | "detail">[] }) => (
  <ul class="operations">
    {places.map(({ title, href, detail }) => (
      <li>
        <a href={href}>{title}</a>
        <span class="detail">{/^[A-Z]+ \//.test(detail) ? <code>{detail}</code> : detail}</span>
      </li>
    ))}
  </ul>
);
