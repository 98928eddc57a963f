import { Field, Form, PostButton, Submit } from "../../../http/ui/index.ts";
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
              <PostButton
                to="/app/emails/searches/remove"
                label="Remove"
                kind="link"
                name={`Remove ${name}`}
                fields={{ id }}
              />
            </li>
          ))}
        </ul>
      )}
      {isSearch ? (
        <Form class="filter" action="/app/emails/searches" fields={{ id: crypto.randomUUID(), query: q, status }}>
          <Field name="name" label="Name of this search" maxlength={100} />
          <Submit label="Save" kind="quiet" />
        </Form>
      ) : null}
    </details>
  );
}
