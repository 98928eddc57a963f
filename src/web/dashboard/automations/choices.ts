import type { CallerCtx } from "../../../access/caller.ts";
import type { Choice } from "../../../http/ui/index.ts";
import { listWebhooks } from "../../../notices/webhooks/index.ts";
import { listTemplateNames } from "../../../sending/templates/index.ts";
import { namesOfChoices, readConditionChoices } from "../conditions/index.ts";
import { listSenders } from "../senders.ts";

/** The things that steps can name. */
export type Choices = Awaited<ReturnType<typeof readChoices>>;

/** Most choices of a kind. */
const MAX = 200;

/** Returns what steps can name, as far as the caller may see it. */
export async function readChoices(caller: CallerCtx) {
  const may = (scope: "mailboxes:view" | "templates:view" | "webhooks:view") => caller.actor.scopes.has(scope);
  const [mailboxes, templates, conditions, webhooks] = await Promise.all([
    may("mailboxes:view") ? listSenders(caller) : [],
    may("templates:view") ? listTemplateNames(caller, MAX) : [],
    readConditionChoices(caller),
    may("webhooks:view") ? listWebhooks(caller, { includePaused: true }) : [],
  ]);
  return {
    mailboxes: mailboxes.map(({ id, address }) => ({ value: id, label: address })),
    templates: templates.slice(0, MAX).map(({ id, name }) => ({ value: id, label: name })),
    lists: conditions.list,
    topics: conditions.topic,
    conditions,
    webhooks: webhooks.map(({ id, url }) => ({ value: id, label: url })),
  };
}

/** Returns the names of choices by id. */
export function namesOf({ conditions, ...choices }: Choices): ReadonlyMap<string, string> {
  const own = Object.values(choices).flatMap((all: Choice[]) =>
    all.map(({ value, label }): [string, string] => [value, label]),
  );
  return new Map([...own, ...namesOfChoices(conditions)]);
}
