/** Limits and choices of topics (docs/contract/topics.md#topics). Pure. */

export const limits = {
  nameCharacters: 200,
  descriptionCharacters: 1_000,
} as const;

/** States of a person in a topic. */
export const choices = ["subscribed", "unsubscribed"] as const;
export type Choice = (typeof choices)[number];

/** How a person came to a choice: by a link or an address of an email, on its page, by a user of the workspace, or by a step of an automation. */
export type ChoiceMethod = "one-click" | "mailto" | "page" | "api" | "automation";

/** A person of a workspace who chooses. `email` is in canonical form; `workspace` is the number of the workspace. */
export interface Chooser {
  workspace: number;
  email: string;
  method: ChoiceMethod;
}

/** A choice about a topic, by its id. Null: none, so that the default counts. */
export interface NewChoice {
  id: string;
  choice: Choice | null;
}

/** Returns the state of a person: the default of the topic until the person has a choice. */
export const choiceOf = (topic: { defaultChoice: Choice }, choice: Choice | null | undefined): Choice =>
  choice ?? topic.defaultChoice;
