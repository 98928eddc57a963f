import { type AppContext, newRoutes } from "../../http/env.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { parseFields, submitForm } from "../../http/page-routes.ts";
import { badRequest } from "../../lib/errors.ts";
import {
  createFilter,
  deleteFilter,
  FilterFields,
  findForwarding,
  getFilter,
  shiftFilter,
  startFilterRun,
  toFilterOut,
  updateFilter,
} from "../../mailboxes/inbox/index.ts";
import { type FilterForm, newFilterForm, readFilterForm, toFilterForm, toFilterInput } from "./filter-form.ts";
import { FilterPage } from "./filter-page.tsx";
import { FiltersPage } from "./filters-page.tsx";
import type { OpenPage } from "./layout.tsx";
import { openPage } from "./open-page.tsx";
import { settingsPath } from "./paths.ts";

/** Greatest form of a filter, in bytes: 20 conditions of 998 characters, percent-encoded. */
const MAX_FORM_BYTES = 262_144;

const notices: Readonly<Record<string, string>> = {
  saved: "The filter is saved.",
  on: "The filter is on.",
  off: "The filter is off.",
  moved: "The order is changed.",
  deleted: "The filter is deleted.",
  started: "The filters are applied in the background.",
};

/** The pages of the filters of a mailbox. */
export const filterPages = newRoutes()
  .get("/mail/filters/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/filters"), showFilters)
  .post("/mail/filters/:mailbox_id", ...webmailFor("POST /v1/inbox/:mailbox_id/filters"), (c) =>
    submitForm(c, showFilters, async (fields) => {
      const page = await openPage(c);
      return settingsPath(page.mailbox.id, "filters", { done: await changeFilters(page, fields) });
    }),
  )
  .get("/mail/filters/:mailbox_id/:filter_id", ...webmailFor("GET /v1/inbox/:mailbox_id/filters"), showFilter)
  .post("/mail/filters/:mailbox_id/:filter_id", ...webmailFor("POST /v1/inbox/:mailbox_id/filters"), (c) =>
    submitForm(c, { show: showFilter, maxBytes: MAX_FORM_BYTES }, async (fields) => {
      const { caller, mailbox } = await openPage(c);
      const id = c.req.param("filter_id");
      const input = parseFields(FilterFields, toFilterInput(readFilterForm(fields)));
      if (id === "new") await createFilter(caller, mailbox, input);
      else {
        const { name = null, match, actions, is_active } = input;
        await updateFilter(caller, mailbox, id, { name, match, actions, is_active });
      }
      return settingsPath(mailbox.id, "filters", { done: "saved" });
    }),
  );

/** Runs an action of the list. Returns the name of what it says afterwards. */
async function changeFilters({ caller, mailbox }: OpenPage, fields: URLSearchParams): Promise<string> {
  const id = fields.get("filter_id") ?? "";
  const action = fields.get("action");
  switch (action) {
    case "run":
      await startFilterRun(mailbox, fields.get("folder") ?? "");
      return "started";
    case "up":
    case "down":
      await shiftFilter(mailbox, id, action === "up" ? -1 : 1);
      return "moved";
    case "on":
    case "off":
      await updateFilter(caller, mailbox, id, { is_active: action === "on" });
      return action;
    case "delete":
      await deleteFilter(mailbox, id);
      return "deleted";
    default:
      throw badRequest("The form has no known action");
  }
}

async function storedForm({ caller, mailbox }: OpenPage, id: string): Promise<FilterForm> {
  const filter = await getFilter(mailbox, id);
  return toFilterForm(toFilterOut(filter, await findForwarding(caller, mailbox, [filter])));
}

async function showFilter(c: AppContext) {
  const page = await openPage(c);
  const id = c.req.param("filter_id") ?? "";
  const isNew = id === "new";
  const fields = c.get("form");
  const form = fields ? readFilterForm(fields) : isNew ? newFilterForm(c.req.query()) : await storedForm(page, id);
  return respondPage(c, <FilterPage page={page} form={form} isNew={isNew} />);
}

async function showFilters(c: AppContext) {
  const page = await openPage(c);
  const { store } = page.mailbox;
  const [stored, run] = await Promise.all([store.listFilters(), store.filterRun()]);
  const forwarding = await findForwarding(page.caller, page.mailbox, stored);
  const filters = stored.map((filter) => toFilterOut(filter, forwarding));
  return respondPage(c, <FiltersPage page={page} filters={filters} run={run} />, { notices });
}
