import * as z from "zod";
import { idField } from "../../../lib/id-field.ts";
import { named, serialize, timestamp } from "../../../lib/serialize.ts";
import { checkName } from "../../../lib/text-fields.ts";
import { type Filter, type FilterAction, type FilterRun, filterLimits, textFields } from "../../mailbox-store/index.ts";

const TextCondition = z.object({
  field: z
    .enum(textFields)
    .describe(
      "`to` has the recipient of the envelope, those in To and in Cc. `list_id` is the List-Id field (RFC 2919).",
    ),
  op: z
    .enum(["contains", "is"])
    .describe("Letter case does not matter. Of people the name and the address are compared."),
  value: z.string().min(1).max(filterLimits.valueCharacters),
});

const SizeCondition = z.object({
  field: z.enum(["size"]),
  op: z.enum(["over", "under"]),
  value: z.int().min(0).max(1_000_000_000).describe("Bytes."),
});

const Match = z.object({
  mode: z.enum(["all", "any"]).default("all").describe("Whether all conditions must hold, or any."),
  conditions: z
    .array(z.union([TextCondition, SizeCondition]))
    .min(1)
    .max(filterLimits.conditions),
});

const move = z.object({
  type: z.enum(["move"]),
  folder: z.string().min(1).max(255).describe("Name of a folder. A folder that is renamed stays that of the filter."),
});
const label = z.object({ type: z.enum(["label"]), label_id: idField() });
const simple = z.object({ type: z.enum(["flag", "mark_read", "discard", "stop"]) });
const forward = z.object({
  type: z.enum(["forward"]),
  address: z.string().min(1).max(1000).meta({ maxLength: 254, pattern: "@" }),
});

const Actions = z
  .array(z.union([move, label, forward, simple]))
  .min(1)
  .max(filterLimits.actions)
  .describe("`discard` moves to Trash. `stop` ends the evaluation of further filters.");

const fields = {
  name: z.string().max(1000).superRefine(checkName).meta({ maxLength: 320 }).nullable(),
  match: Match,
  actions: Actions,
  position: z.int().min(0).max(1_000_000).describe("Filters are applied in this order."),
  is_active: z.boolean(),
};

const example = {
  name: "Bills",
  match: {
    mode: "all" as const,
    conditions: [{ field: "subject" as const, op: "contains" as const, value: "invoice" }],
  },
  actions: [{ type: "move" as const, folder: "Archive" }, { type: "stop" as const }],
};

export const FilterFields = z
  .object({
    name: fields.name.optional(),
    match: fields.match,
    actions: fields.actions,
    position: fields.position.nullish().describe("The end of the list when absent."),
    is_active: fields.is_active.default(true),
  })
  .meta(named("InboxFilterCreate", example));
export type FilterFields = z.output<typeof FilterFields>;

export const FilterPatch = z
  .object(fields)
  .partial()
  .meta(named("InboxFilterUpdate", { is_active: false }));
export type FilterPatch = z.output<typeof FilterPatch>;

export type FilterActionField = z.output<typeof Actions>[number];

const outExample = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a91",
  ...example,
  position: 0,
  is_active: true,
  created_at: "2026-11-21T14:00:00.000Z",
  updated_at: "2026-11-21T14:00:00.000Z",
};

export const FilterOut = z
  .object({
    id: z.uuid(),
    name: z.string().nullable(),
    match: z.object({
      mode: z.enum(["all", "any"]),
      conditions: z.array(z.union([TextCondition, SizeCondition])),
    }),
    actions: z.array(
      z.union([
        move,
        label,
        forward.extend({
          is_confirmed: z
            .boolean()
            .describe(
              "Whether mail is forwarded: the address has confirmed, and who saved the filter may open the mailbox.",
            ),
          maker_id: z
            .uuid()
            .nullable()
            .describe("The user who saved the filter last. Null: a session of the mailbox, or not known."),
        }),
        simple,
      ]),
    ),
    position: z.int(),
    is_active: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta(named("InboxFilter", outExample));
export type FilterOut = z.output<typeof FilterOut>;

/** Serializes a filter. `forwarding`: the actions by which it forwards now. */
export const toFilter = (filter: Filter, forwarding: ReadonlySet<FilterAction>): FilterOut =>
  serialize(FilterOut, { ...filter, actions: filter.actions.map((action) => toAction(action, forwarding)) });

function toAction(action: FilterAction, forwarding: ReadonlySet<FilterAction>): FilterOut["actions"][number] {
  if (action.type === "move") return { type: "move", folder: action.folder };
  if (action.type === "label") return { type: "label", label_id: action.labelId };
  if (action.type !== "forward") return { type: action.type };
  const { address, maker } = action;
  return { type: "forward", address, is_confirmed: forwarding.has(action), maker_id: maker?.userId ?? null };
}

export const RunIn = z
  .object({ folder: z.string().min(1).max(255).default("INBOX") })
  .meta(named("InboxFilterRunCreate", { folder: "INBOX" }));

export const RunOut = z
  .object({
    folder: z.string(),
    status: z.enum(["running", "done"]),
    checked: z.int().describe("Messages that were compared with the filters."),
    changed: z.int().describe("Those that a filter changed or moved."),
    total: z.int().describe("Messages of the folder when the run began."),
    started_at: timestamp,
    updated_at: timestamp,
  })
  .meta(
    named("InboxFilterRun", {
      folder: "INBOX",
      status: "running" as const,
      checked: 200,
      changed: 12,
      total: 1_000,
      started_at: "2026-11-21T14:00:00.000Z",
      updated_at: "2026-11-21T14:00:01.000Z",
    }),
  );

/** Serializes a run. */
export const toRun = (run: FilterRun) => serialize(RunOut, run);
