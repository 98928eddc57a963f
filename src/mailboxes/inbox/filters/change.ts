import type { CallerCtx } from "../../../access/caller.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { conflict, invalidField, notFound, requireFound } from "../../../lib/errors.ts";
import { parseUuid } from "../../../lib/ids.ts";
import { auditStatement } from "../../../platform/audit/record.ts";
import { mailboxBudgets } from "../../../platform/budgets/objects.ts";
import { requestConfirmation } from "../../forwarding-rules/index.ts";
import type { Filter, FilterActionIn, FilterMaker, FilterResult, FilterRun } from "../../mailbox-store/index.ts";
import { keepResponse, type OpenMailbox, type ReadableMailbox } from "../open.ts";
import { findForwarding, refuseForwardByOauth } from "./queries.ts";
import { type FilterActionField, type FilterFields, type FilterOut, type FilterPatch, toFilter } from "./schema.ts";

/**
 * Creates a filter, whose forwards end with the caller's right. An outside address that it forwards to gets an email with a link and
 * receives nothing before it has confirmed (docs/contract/inbound.md#forwarding-rules). Throws 409 beyond 100 filters, 422 for a folder or
 * label that does not exist and for an address that is not valid, 403 for a forward by an OAuth token, and as `requestConfirmation`.
 */
export async function createFilter(ctx: CallerCtx, mailbox: OpenMailbox, input: FilterFields): Promise<FilterOut> {
  refuseForwardByOauth(ctx, input.actions);
  const { match, is_active: isActive, position = null, name = null } = input;
  const { actions, ask } = await prepare(ctx, mailbox, input.actions);
  const id = ctx.newId();
  const filter = toSaved(await mailbox.store.createFilter({ id, name, match, actions, position, isActive }));
  await ask(id);
  return keepResponse(ctx, await withConfirmed(ctx, mailbox, filter));
}

/** Changes the given fields of a filter. Throws 404, and as `createFilter`. */
export async function updateFilter(
  ctx: CallerCtx,
  mailbox: OpenMailbox,
  filterId: string,
  patch: FilterPatch,
): Promise<FilterOut> {
  const { id, actions: known } = await getFilter(mailbox, filterId);
  refuseForwardByOauth(ctx, [...known, ...(patch.actions ?? [])]);
  const { actions, ask } = patch.actions
    ? await prepare(ctx, mailbox, patch.actions)
    : { actions: undefined, ask: async () => {} };
  const { name, match, position, is_active: isActive } = patch;
  const changes = { name, match, position, isActive, actions, maker: makerOf(ctx) };
  const filter = toSaved(await mailbox.store.updateFilter(id, changes));
  await ask(id);
  return withConfirmed(ctx, mailbox, filter);
}

/** Deletes a filter. What it has forwarded already, and has not left yet, is not sent. Throws 404. */
export async function deleteFilter({ store }: OpenMailbox, filterId: string): Promise<void> {
  const id = parseUuid(filterId);
  if (id === null || !(await store.deleteFilter(id))) throw notFound("Filter");
}

/** Moves a filter one place up or down. Throws 404. */
export async function shiftFilter({ store }: OpenMailbox, filterId: string, by: -1 | 1): Promise<void> {
  const id = parseUuid(filterId);
  if (id === null || !(await store.shiftFilter(id, by))) throw notFound("Filter");
}

/** Returns a filter. Throws 404. */
export async function getFilter({ store }: ReadableMailbox, filterId: string): Promise<Filter> {
  const id = parseUuid(filterId);
  return requireFound(id === null ? null : await store.findFilter(id), "Filter");
}

/** Starts to apply the filters to the messages of a folder. Throws 404 for the folder, 409 while another run goes on. */
export async function startFilterRun({ store }: OpenMailbox, folder: string): Promise<FilterRun> {
  const result = await store.startFilterRun(folder);
  if ("run" in result) return result.run;
  if (result.refused === "running") throw conflict("The filters are applied to a folder already; wait for its end");
  throw notFound("Folder");
}

/** Returns a filter as the API shows it. One D1 call when it forwards. */
export async function withConfirmed(ctx: CallerCtx, mailbox: ReadableMailbox, filter: Filter): Promise<FilterOut> {
  return toFilter(filter, await findForwarding(ctx, mailbox, [filter]));
}

/** Returns the actions as they are stored, and the function that asks the outside addresses of forwards after the filter was stored. */
async function prepare(ctx: CallerCtx, mailbox: OpenMailbox, fields: readonly FilterActionField[]) {
  const actions = fields.map((action) => toAction(ctx, action));
  const targets = actions.flatMap((action) => (action.type === "forward" ? [action] : []));
  const addresses = new Map(targets.map(({ key, address }) => [key, address]));
  const requests = await Promise.all(
    Array.from(addresses, ([targetKey, target]) => requestConfirmation(ctx, { action: "address", target, targetKey })),
  );
  const ask = async (filter: string) => {
    if (targets.length === 0) return;
    const detail = { filter, forwards: targets.map(({ address }) => address) };
    await ctx.db.batch([
      ...requests.flatMap(({ statements }) => statements),
      auditStatement(ctx, { action: "mailbox.filter_forwards", target: mailbox.id, detail }),
    ]);
    await Promise.all(requests.map((request) => request.send()));
  };
  return { actions, ask };
}

function toAction(ctx: CallerCtx, action: FilterActionField): FilterActionIn {
  if (action.type === "label") return { type: "label", labelId: action.label_id };
  if (action.type !== "forward") return action;
  const parsed = parseAddress(action.address.trim());
  if (!parsed) throw invalidField("actions", "The address of a forward must be a valid email address");
  const { address, key } = parsed;
  return { type: "forward", address, key, workspace: ctx.workspace.number, maker: makerOf(ctx) };
}

/** Returns with whose right the forwards of a filter end that the caller saves. Null: a session of the mailbox, which is no person. */
const makerOf = ({ actor }: CallerCtx): FilterMaker | null =>
  actor.kind === "mailbox"
    ? null
    : { userId: actor.userId, apiKeyId: actor.kind === "api_key" ? actor.credentialId : null };

function toSaved(result: FilterResult): Filter {
  if ("filter" in result) return result.filter;
  if (result.refused === "unknown") throw notFound("Filter");
  if (result.refused === "too-many") throw conflict(`A mailbox has at most ${mailboxBudgets.filters.rows} filters`);
  throw invalidField(
    "actions",
    result.refused === "no-folder"
      ? "The folder of a move must be a folder of this mailbox"
      : "label_id must be the id of a label of this mailbox",
  );
}
