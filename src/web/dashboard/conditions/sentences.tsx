import type { Condition } from "../../../audience/conditions/index.ts";
import { describeCondition, type Names } from "./describe.ts";
import { GROUPS } from "./draft.ts";

/** Conditions as sentences; those of groups are lists inside. */
export const Sentences = ({ of, names }: { of: Condition; names: Names }) => (
  <ul>
    <Sentence of={of} names={names} />
  </ul>
);

const Sentence = ({ of, names }: { of: Condition; names: Names }) => {
  const parts = partsOf(of);
  if (parts === null)
    return (
      <li>
        {"field" in of ? "The field" : "event" in of ? "The data" : "The person"} {describeCondition(of, names)}.
      </li>
    );
  return (
    <li>
      {GROUPS[parts.kind]}:
      <ul>
        {parts.of.map((part) => (
          <Sentence of={part} names={names} />
        ))}
      </ul>
    </li>
  );
};

function partsOf(condition: Condition): { kind: keyof typeof GROUPS; of: Condition[] } | null {
  if ("all" in condition) return { kind: "all", of: condition.all };
  if ("any" in condition) return { kind: "any", of: condition.any };
  if (!("not" in condition)) return null;
  const { not } = condition;
  return { kind: "none", of: "any" in not ? not.any : [not] };
}
