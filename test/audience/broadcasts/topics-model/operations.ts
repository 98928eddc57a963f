import fc from "fast-check";

/** The persons, topics and lists of one sequence. */
export const PEOPLE = [0, 1, 2];
/** The last of the topics is one that persons must join; the second is internal. */
export const TOPICS = [0, 1, 2];
export const LISTS = [0, 1];

export type Choice = "subscribed" | "unsubscribed";
export const DEFAULTS: readonly Choice[] = ["subscribed", "subscribed", "unsubscribed"];

/** A person as a request names them: in capital letters or not. */
export interface Spelling {
  person: number;
  isCapital: boolean;
}

const person = fc.constantFrom(...PEOPLE);
const topic = fc.constantFrom(...TOPICS);
const list = fc.constantFrom(...LISTS);
const who = fc.record({ person, isCapital: fc.boolean() });
/** How far an erasure goes on: over the contacts, the emails, or to its end. */
const until = fc.constantFrom("started" as const, "contacts" as const, "emails" as const, "end" as const);
export type Until = typeof until extends fc.Arbitrary<infer Value> ? Value : never;

const operation = fc.oneof(
  fc.record({
    do: fc.constant("choose" as const),
    who,
    topic,
    choice: fc.constantFrom("subscribed" as const, "unsubscribed" as const, null),
  }),
  // By the link of a new email to the person, or by that of the last one.
  fc.record({ do: fc.constant("one-click" as const), person, topic: fc.option(topic), isNew: fc.boolean() }),
  fc.record({
    do: fc.constant("save" as const),
    person,
    topic: fc.option(topic),
    isNew: fc.boolean(),
    checked: fc.subarray([0, 2]),
  }),
  fc.record({ do: fc.constant("leave all" as const), who }),
  fc.record({ do: fc.constant("remove all" as const), who }),
  fc.record({ do: fc.constant("leave by list" as const), who, topic }),
  fc.record({ do: fc.constant("remove by list" as const), who, topic }),
  fc.record({
    do: fc.constant("import" as const),
    list,
    people: fc.uniqueArray(who, { minLength: 1, selector: ({ person: each }) => each }),
  }),
  fc.record({ do: fc.constant("add" as const), list, who }),
  fc.record({ do: fc.constant("put" as const), list, who }),
  // The contact gets the address of another person, who may be in the same list, in the other one, or in none.
  fc.record({ do: fc.constant("merge" as const), list, person, into: who }),
  fc.record({ do: fc.constant("delete contact" as const), list, person }),
  fc.record({ do: fc.constant("delete list" as const), list }),
  fc.record({ do: fc.constant("erase" as const), who, until }),
  fc.record({ do: fc.constant("erase" as const), who, until }),
);
export type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

const operations = (maxLength: number) => fc.array(operation, { maxLength });

/** A send to one list, or a broadcast to both. */
const send = fc.record({
  lists: fc.constantFrom([0], [1], [0, 1], [1, 0]),
  topic: fc.option(topic),
});
export type Send = typeof send extends fc.Arbitrary<infer Value> ? Value : never;

/** Operations on the persons of a sequence: before a send, before its emails are made, and before they leave. */
export const sequence = fc.record({ before: operations(8), send, meanwhile: operations(3), after: operations(3) });
export type Sequence = typeof sequence extends fc.Arbitrary<infer Value> ? Value : never;
