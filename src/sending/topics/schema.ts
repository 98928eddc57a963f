import * as z from "zod";
import { uuidText } from "../../lib/id-field.ts";
import { serialize, timestamp } from "../../lib/serialize.ts";
import { limitedText, lineField } from "../../lib/text-fields.ts";
import { budgetOf } from "../../platform/budgets/spent.ts";
import type { PersonTopicRow, TopicRow } from "./queries.ts";
import { choiceOf, choices, limits } from "./rules.ts";

/** Request and response schemas of topics. */

const Fields = {
  name: lineField("name", limits.nameCharacters).describe("Recipients see it on the page behind the unsubscribe link."),
  description: limitedText("description", limits.descriptionCharacters)
    .nullish()
    .meta({ maxLength: limits.descriptionCharacters })
    .describe("Shown below the name on that page."),
  is_public: z
    .boolean()
    .describe(
      "Recipients of any mail may join and leave a public topic on that page; an internal one only its own mail names.",
    ),
};

const Default = z.enum(choices).describe("State of persons without a choice of their own. It cannot be changed later.");

export const TopicIn = z
  .object({ ...Fields, is_public: Fields.is_public.default(false), default: Default.default("subscribed") })
  .meta({
    ref: "TopicCreate",
    example: {
      name: "Product news",
      description: "New products, once a month",
      default: "subscribed",
      is_public: true,
    },
  });
export type TopicIn = z.output<typeof TopicIn>;

export const TopicPatch = z
  .object({
    ...Fields,
    default: z
      .unknown()
      .refine(
        (value) => value === undefined,
        "default cannot be changed: persons without a choice would change their state; create another topic",
      )
      .optional()
      .meta({ not: {} }),
  })
  .partial()
  .meta({ ref: "TopicUpdate", example: { name: "News about products" } });
export type TopicPatch = z.output<typeof TopicPatch>;

const example = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a20",
  name: "Product news",
  description: "New products, once a month",
  default: "subscribed" as const,
  is_public: true,
  created_at: "2026-11-21T14:00:00.000Z",
};

export const TopicOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    default: z.enum(choices),
    is_public: z.boolean(),
    created_at: timestamp,
  })
  .meta({ ref: "Topic", examples: [example] });
export type TopicOut = z.output<typeof TopicOut>;

/** Serializes a topic. */
export const toTopic = (row: Omit<TopicRow, "n">): TopicOut =>
  serialize(TopicOut, { ...row, default: row.defaultChoice, isPublic: row.isPublic === 1 });

const personExample = {
  id: example.id,
  name: example.name,
  is_public: true,
  default: "subscribed" as const,
  choice: "unsubscribed" as const,
  state: "unsubscribed" as const,
  chosen_at: "2026-11-21T14:00:00.000Z",
  method: "one-click",
};

const PersonTopic = z
  .object({
    id: z.uuid(),
    name: z.string(),
    is_public: z.boolean(),
    default: z.enum(choices),
    choice: z.enum(choices).nullable().describe("null: the person has not chosen, and the default counts."),
    state: z.enum(choices).describe("The choice, or the default without one."),
    chosen_at: timestamp.nullable(),
    method: z
      .string()
      .nullable()
      .describe("How the person chose: `one-click`, `mailto`, `page` (behind the unsubscribe link) or `api`."),
  })
  .meta({ ref: "PersonTopic", examples: [personExample] });

export const PersonTopicsOut = z
  .object({
    email: z.string().describe("The address in its canonical form."),
    unsubscribed_from_all: z
      .boolean()
      .describe("The person has unsubscribed from all bulk mail: no topic mails them, whatever the state says."),
    topics: z.array(PersonTopic),
  })
  .meta({
    ref: "PersonTopics",
    examples: [{ email: "ada@example.org", unsubscribed_from_all: false, topics: [personExample] }],
  });
export type PersonTopicsOut = z.output<typeof PersonTopicsOut>;

/** Serializes the topics of a person. */
export function toPersonTopics(
  email: string,
  { isUnsubscribed, topics }: { isUnsubscribed: boolean; topics: readonly PersonTopicRow[] },
): PersonTopicsOut {
  return {
    email,
    unsubscribed_from_all: isUnsubscribed,
    topics: topics.map((row) =>
      serialize(PersonTopic, {
        ...row,
        isPublic: row.isPublic === 1,
        default: row.defaultChoice,
        state: choiceOf(row, row.choice),
      }),
    ),
  };
}

export const PersonTopicsIn = z
  .object({
    topics: z
      .array(
        z.object({
          id: uuidText(),
          choice: z.enum(choices).nullable().describe("null removes the choice, so that the default counts."),
        }),
      )
      .max(budgetOf("topics").rows)
      .refine((topics) => new Set(topics.map(({ id: topic }) => topic)).size === topics.length, "names a topic twice")
      .describe("The choices to set. Topics that are not named keep theirs."),
  })
  .meta({
    ref: "PersonTopicsUpdate",
    example: { topics: [{ id: example.id, choice: "unsubscribed" }] },
  });
export type PersonTopicsIn = z.output<typeof PersonTopicsIn>;
