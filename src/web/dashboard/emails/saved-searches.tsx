import { Field, Form, PostLink, Submit } from "../../../http/ui/index.ts";
import type { SavedSearchesOut } from "../../../sending/emails/index.ts";
import { type EmailFilter, emailsPath } from "../emails-path.ts";

type SavedSearch = SavedSearchesOut["searches"][number];

/** Returns the filter of a saved search. Its range is the first and the last day, of which one may be empty. */
export function filterOf({ query, status, range }: Pick<SavedSearch, "query" | "status" | "range">): EmailFilter {
  const [from = "", to = ""] = (range ?? "").split("/");
  return { q: query ?? "", status: status ?? "", from, to };
}

/** The saved searches of the user, and the form that saves the one which is shown. */
export function SavedSearches({ searches, filter }: { searches: SavedSearchesOut["searches"]; filter: EmailFilter }) {
  const isSearch = emailsPath(filter) !== emailsPath({});
  const { q: query, status, from, to } = filter;
  const range = from === "" && to === "" ? "" : `${from}/${to}`;
  if (searches.length === 0 && !isSearch) return null;
  return (
    <details class="saved">
      <summary>Saved searches ({searches.length})</summary>
      {searches.length === 0 ? null : (
        <ul class="plain">
          {searches.map(({ id, name, ...saved }) => (
            <li>
              <a class="action" href={emailsPath(filterOf(saved))}>
                {name}
              </a>{" "}
              <PostLink to="/app/emails/searches/remove" label="Remove" name={`Remove ${name}`} fields={{ id }} />
            </li>
          ))}
        </ul>
      )}
      {isSearch ? (
        <Form class="filter" action="/app/emails/searches" fields={{ id: crypto.randomUUID(), query, status, range }}>
          <Field name="name" label="Name of this search" maxlength={100} />
          <Submit label="Save" kind="quiet" />
        </Form>
      ) : null}
    </details>
  );
}
