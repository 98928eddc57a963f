import type { CallerCtx } from "../../../access/caller.ts";
import { findContacts } from "../../../audience/contacts/index.ts";
import { findDomains } from "../../../domains/domains/index.ts";
import { newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { attempt, pageFor } from "../../../http/page-routes.ts";
import { type MenuEntry, menuOf, openable } from "../../../http/ui/index.ts";
import { searchEmails } from "../../../sending/emails/index.ts";
import { SearchPage } from "./page.tsx";
import { SETTINGS } from "./settings.ts";

/** Most results of each kind. */
const SHOWN = 5;
/** Longest text that is searched for, in characters. */
const MAX_QUERY = 200;

export const everythingPages = newRoutes().get("/app/search", ...pageFor("GET /v1/me"), (c) => {
  const caller = c.get("caller");
  const q = (c.req.query("q") ?? "").trim().slice(0, MAX_QUERY);
  const entries = findEntries(caller, q);
  const show = () => respondPage(c, <SearchPage q={q} emails={[]} contacts={[]} domains={[]} entries={entries} />);
  return attempt(c, show, async () =>
    respondPage(c, <SearchPage q={q} {...(await findAll(caller, q))} entries={entries} />),
  );
});

/** Reads what the role may see of each kind, all at the same time. */
async function findAll(caller: CallerCtx, q: string) {
  const may = (scope: Parameters<typeof caller.actor.scopes.has>[0]) => q !== "" && caller.actor.scopes.has(scope);
  const search = { q, direction: "outbound" as const, page: 0, limit: SHOWN };
  const [emails, contacts, domains] = await Promise.all([
    may("emails:view") ? searchEmails(caller, search).then(({ rows }) => rows) : [],
    may("contacts:view") ? findContacts(caller, q, SHOWN) : [],
    may("domains:view") ? findDomains(caller, q, SHOWN) : [],
  ]);
  return { emails, contacts, domains };
}

/** Returns the pages and settings whose words contain the text: all of them for an empty one. */
function findEntries(caller: CallerCtx, q: string): MenuEntry[] {
  const { groups, workspace, account, platform } = menuOf(caller);
  const words = q.toLowerCase();
  const pages = [...groups.flatMap(({ entries }) => entries), ...workspace, ...account, ...platform];
  const found = pages.filter(({ name }) => name.toLowerCase().includes(words));
  return q === ""
    ? pages
    : [...found, ...openable(caller.actor, SETTINGS).filter(({ name }) => name.toLowerCase().includes(words))];
}
