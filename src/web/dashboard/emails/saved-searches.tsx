import { Field } from "../../../http/ui/index.ts";
import type { SavedSearchesOut } from "../../../sending/emails/index.ts";
import { emailsPath } from "./path.ts";

interface SavedSearchesProps {
  searches: SavedSearchesOut["searches"];
  q: string;
  status: string;
}

/** The saved searches of the user, and the form that saves the one which is shown. */
export function SavedSearches({ searches, q, status }: SavedSearchesProps) {
  const isSearch = q !== "" || status !== "";
  if (searches.length === 0 && !isSearch) return null;
  return (
    <details class="saved">
      <summary>Saved searches ({searches.length})</summary>
      {searches.length === 0 ? null : (
        <ul class="plain">
          {searches.map(({ id, name, query, status: wanted }) => (
            <li>
              <a class="action" href={emailsPath({ q: query ?? "", status: wanted ?? "" })}>
                {name}
              </a>{" "}
              <form class="inline" method="post" action="/app/emails/searches/remove">
                <input type="hidden" name="id" value={id} />
                <button class="link" type="submit" aria-label={`Remove ${name}`}>
                  Remove
                </button>
              </form>
            </li>
          ))}
        </ul>
      )}
      {isSearch ? (
        <form class="filter" method="post" action="/app/emails/searches">
          <input type="hidden" name="id" value={crypto.randomUUID()} />
          <input type="hidden" name="query" value={q} />
          <input type="hidden" name="status" value={status} />
          <Field name="name" label="Name of this search" maxlength={100} />
          <button class="quiet" type="submit">
            Save
          </button>
        </form>
      ) : null}
    </details>
  );
}
