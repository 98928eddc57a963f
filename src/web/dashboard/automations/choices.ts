import type { CallerCtx } from "../../../access/caller.ts";
import { listLists } from "../../../audience/contacts/index.ts";
import { listWebhooks } from "../../../notices/webhooks/index.ts";
import { listTemplateNames } from "../../../sending/templates/index.ts";
import { listTopics } from "../../../sending/topics/index.ts";
import { listSenders } from "../senders.ts";

/** A choice of a select. */
export interface Choice {
  value: string;
  label: string;
}

/** The things that steps can name. */
export interface Choices {
  mailboxes: Choice[];
  templates: Choice[];
  lists: Choice[];
  topics: Choice[];
  webhooks: Choice[];
}

/** Most choices of a kind. */
const MAX = 200;

/** Returns what steps can name, as far as the caller may see it. */
export async function readChoices(caller: CallerCtx): Promise<Choices> {
  const may = (scope: "mailboxes:view" | "templates:view" | "contacts:view" | "webhooks:view") =>
    caller.actor.scopes.has(scope);
  const [mailboxes, templates, lists, topics, webhooks] = await Promise.all([
    may("mailboxes:view") ? listSenders(caller) : [],
    may("templates:view") ? listTemplateNames(caller, MAX) : [],
    may("contacts:view") ? listLists(caller) : [],
    may("contacts:view") ? listTopics(caller, { limit: MAX }) : [],
    may("webhooks:view") ? listWebhooks(caller, { includePaused: true }) : [],
  ]);
  const named = (rows: readonly { id: string; name: string }[]) =>
    rows.slice(0, MAX).map(({ id, name }) => ({ value: id, label: name }));
  return {
    mailboxes: mailboxes.map(({ id, address }) => ({ value: id, label: address })),
    ...{ templates: named(templates), lists: named(lists), topics: named(topics) },
    webhooks: webhooks.map(({ id, url }) => ({ value: id, label: url })),
  };
}

/** Returns the names of choices by id. */
export const namesOf = (choices: Choices): ReadonlyMap<string, string> =>
  new Map(Object.values(choices).flatMap((all: Choice[]) => all.map(({ value, label }) => [value, label])));
