import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { page, pagesOf, post } from "../../../http/page-actions.tsx";
import { attempt, parseFields, readForm, textOf, toRefusal } from "../../../http/page-routes.ts";
import {
  findFailureReasons,
  getSavedSearches,
  putSavedSearches,
  SavedSearchesIn,
  type SavedSearchesOut,
  type Status,
  searchEmails,
  statuses,
} from "../../../sending/emails/index.ts";
import { type EmailFilter, emailsPath, idsOfDays, NO_FILTER } from "../emails-path.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { EmailsPage } from "./list.tsx";
import { filterOf } from "./saved-searches.tsx";

/** Statuses of rows that say why. */
const FAILED = ["bounced", "rejected", "failed"];

/** The list of emails with search, and the saved searches of the user. */
export const searchPages = pagesOf(
  "search",
  page("/app/emails", "GET /v1/emails/search", (c) => showEmails(c, c.req.query())),
  post("/app/emails/searches", "PUT /v1/emails/saved-searches", async (c) => {
    const form = await readForm(c);
    const [query, status, range] = [textOf(form, "query"), textOf(form, "status"), textOf(form, "range")];
    const entry = { id: form.get("id") ?? "", name: form.get("name") ?? "", query, status, range };
    return changeSearches(c, filterOf(entry), (searches) => [...searches.filter(({ id }) => id !== entry.id), entry]);
  }),
  post("/app/emails/searches/remove", "PUT /v1/emails/saved-searches", async (c) => {
    const removed = (await readForm(c)).get("id");
    return changeSearches(c, NO_FILTER, (searches) => searches.filter(({ id }) => id !== removed));
  }),
);

const changeSearches = (
  c: AppContext,
  shown: EmailFilter,
  change: (searches: SavedSearchesOut["searches"]) => unknown[],
) =>
  attempt(
    c,
    () => showEmails(c, shown),
    async () => {
      const { searches } = await getSavedSearches(c.get("caller"));
      await putSavedSearches(c.get("caller"), parseFields(SavedSearchesIn, { searches: change(searches) }));
      return emailsPath(shown);
    },
  );

async function showEmails(c: AppContext, { before, ...query }: Partial<EmailFilter> & { before?: string }) {
  const caller = c.get("caller");
  const { q, status, from, to } = { ...NO_FILTER, ...query };
  const filter = { q, status, from, to };
  const found = search(c, filter, before?.toLowerCase());
  const [{ rows: emails, next }, { searches }] = await Promise.all([found, getSavedSearches(caller)]);
  const failed = emails.filter((row) => FAILED.includes(row.status)).map(({ id }) => id);
  const reasons = await findFailureReasons(caller, failed);
  const shown = <EmailsPage emails={emails} reasons={reasons} searches={searches} filter={filter} />;
  return respondPage(c, shown, { next });
}

/** Returns a page of emails, and the URL of the next one. A search that is refused has none, and the page says why. */
async function search(c: AppContext, filter: EmailFilter, before: string | undefined) {
  const caller = c.get("caller");
  const { q, status } = filter;
  try {
    const input = {
      q,
      direction: "outbound" as const,
      ...idsOfDays(filter, caller.now()),
      before,
      page: 0,
      limit: PAGE_SIZE,
    };
    const { rows, next } = await searchEmails(caller, { ...input, ...(isStatus(status) ? { status } : {}) });
    return { rows, next: next?.before === undefined ? null : emailsPath({ ...filter, before: next.before }) };
  } catch (error) {
    if (!c.get("refusal")) c.set("refusal", toRefusal(error));
    return { rows: [], next: null };
  }
}

const isStatus = (text: string): text is Status => (statuses as readonly string[]).includes(text);
