import type { CallerCtx } from "../../../access/caller.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { invalidField } from "../../../lib/errors.ts";
import { iso } from "../../../lib/time.ts";
import { evaluate } from "../../conditions/index.ts";
import { conditionsOf, type Definition } from "../definition.ts";
import { findWorkspaces, readPeople } from "../engine/index.ts";
import { toLines } from "../history.ts";
import { getAutomation } from "../queries.ts";
import type { DryRunIn, DryRunOut } from "./schema.ts";
import { simulate } from "./simulate.ts";

/** Shows what a run of an automation as edited last would do for a person. Throws 404, 422 for an address of no contact. */
export async function dryRun(ctx: CallerCtx, id: string, input: DryRunIn): Promise<DryRunOut> {
  const row = await getAutomation(ctx, id);
  const definition = JSON.parse(row.definition) as Definition;
  const key = parseAddress(input.email)?.key;
  if (key === undefined) throw invalidField("email", "Not a valid email address");
  const { workspace } = ctx;
  const [{ people, segments }, states] = await Promise.all([
    readPeople(ctx, workspace.number, [key], conditionsOf(definition)),
    findWorkspaces(ctx, [{ workspace: workspace.number }]),
  ]);
  const person = people.get(key);
  if (!person) throw invalidField("email", "No contact of the workspace has this address");
  const zone = states.get(workspace.number)?.timeZone ?? "UTC";
  const start = input.at === undefined ? ctx.now() : Date.parse(input.at);
  const { filter } = definition.trigger;
  if (filter && !evaluate(filter, person, { now: start, segments, event: input.data }))
    return { enters: false, history: [], emails: [], ends_at: null };
  const events = input.events.map(({ name, at, data }) => ({ name, at: Date.parse(at), data }));
  const { history, emails, endsAt } = simulate({
    definition,
    person,
    segments,
    zone,
    runId: row.id,
    start,
    data: input.data,
    events,
  });
  return {
    enters: true,
    history: toLines(history),
    emails: emails.map(({ at, step, subject }) => ({ at: iso(at), step, subject })),
    ends_at: iso(endsAt),
  };
}
