import { conditionLimits } from "../../../audience/conditions/index.ts";
import { Field, FieldError, GivenValues, Select, Submit } from "../../../http/ui/index.ts";
import type { ConditionChoices } from "./choices.ts";
import { ACTIVITIES, COMPARISONS } from "./describe.ts";
import { type Draft, type DraftGroup, type DraftLeaf, fromDraft, GROUPS, isGroup, LEAVES } from "./draft.ts";

interface FieldsProps {
  /** Begins the names of the fields; also that of the field of the API. */
  name: string;
  legend: string;
  hint?: string;
  draft: DraftGroup;
  choices: ConditionChoices;
  /** True where an event is at hand: in an automation. */
  hasEvent?: boolean;
}

/** The rows of a form of conditions. Its buttons submit it with `action`, and need no scripts. The form has `DefaultButton` first. */
export function ConditionFields(props: FieldsProps) {
  const { name, legend, hint, draft } = props;
  const { condition } = fromDraft(draft, name);
  const json = condition === undefined ? "" : JSON.stringify(condition, null, 2);
  return (
    <section class="conditions" aria-label={legend} id={name} tabindex={-1}>
      <h2>{legend}</h2>
      {hint === undefined ? null : <p class="hint">{hint}</p>}
      <FieldError name={name} />
      {/* The draft has what was filled in: the rows have other names once one was removed. */}
      <GivenValues>
        <Group {...props} draft={draft} path={name} level={1} label="" />
      </GivenValues>
      <details>
        <summary>As JSON</summary>
        <div class="field">
          <label for={`${name}.json`}>Conditions as JSON</label>
          <textarea class="code" id={`${name}.json`} name={`${name}.json`} rows={6}>{`\n${json}`}</textarea>
        </div>
        <Button value={`json ${name}`} label="Use this JSON" name={`Use this JSON: ${legend}`} />
      </details>
    </section>
  );
}

/** The button that Enter in a field presses: browsers take the first of a form, which would add or remove a row. */
export const DefaultButton = () => (
  <button class="hidden quiet" type="submit" tabindex={-1}>
    Save
  </button>
);

const Button = ({ value, label, name }: { value: string; label: string; name: string }) => (
  <Submit label={label} kind="quiet" action={value} name={name} isUnchecked />
);

type PartProps<Part extends Draft> = Omit<FieldsProps, "draft"> & {
  draft: Part;
  path: string;
  /** Of groups in groups, from 1 on. */
  level: number;
  /** Number of the row, such as `2.1`; empty for the outermost group. */
  label: string;
};

function Group(props: PartProps<DraftGroup>) {
  const { draft, path, level, label, hasEvent = false } = props;
  const of = label === "" ? "" : ` to ${label}`;
  const kinds = Object.entries(LEAVES).filter(([kind]) => hasEvent || kind !== "event");
  return (
    <fieldset class="group">
      <legend class="hidden">{label === "" ? props.legend : `Group ${label}`}</legend>
      <Select
        name={`${path}.kind`}
        label={label === "" ? "The person passes" : `${label}. The person passes`}
        value={draft.kind}
        options={GROUPS}
      />
      {draft.parts.map((part, index) => {
        const inner = { ...props, path: `${path}.${index}`, label: `${label === "" ? "" : `${label}.`}${index + 1}` };
        return isGroup(part) ? <Group {...inner} draft={part} level={level + 1} /> : <Leaf {...inner} draft={part} />;
      })}
      <div class="actions">
        <Select
          name={`${path}.add`}
          label={`Kind of condition${of}`}
          value="field"
          options={Object.fromEntries(kinds)}
        />
        <Button value={`add ${path}`} label="Add" name={`Add a condition${of}`} />
        {level < conditionLimits.depth - 1 ? (
          <Button value={`group ${path}`} label="Add a group" name={`Add a group${of}`} />
        ) : null}
        {label === "" ? null : <Button value={`remove ${path}`} label="Remove group" name={`Remove group ${label}`} />}
      </div>
    </fieldset>
  );
}

function Leaf(props: PartProps<DraftLeaf>) {
  const { draft, path, label } = props;
  return (
    <fieldset class="condition" id={`${path}.kind`} tabindex={-1}>
      <legend>
        {label}. {LEAVES[draft.kind]}
      </legend>
      <input type="hidden" name={`${path}.kind`} value={draft.kind} />
      <div class="fields">
        <LeafFields {...props} />
        <Submit
          label="Remove"
          kind="bare"
          icon="trash"
          action={`remove ${path}`}
          name={`Remove condition ${label}`}
          isUnchecked
        />
      </div>
      <FieldError name={`${path}.kind`} />
    </fieldset>
  );
}

const { same: _, ...FIELD_COMPARISONS } = COMPARISONS;

/** The names that fields offer while a person types: of fields (`list="known-fields"`) and of events (`list="known-events"`). */
export const KnownNames = ({ of: { fields, events } }: { of: ConditionChoices["known"] }) => (
  <>
    {Object.entries({ fields, events }).map(([kind, names]) => (
      <datalist id={`known-${kind}`}>
        {names.map((name) => (
          <option value={name} />
        ))}
      </datalist>
    ))}
  </>
);

function LeafFields({ draft: { kind, values }, path, choices }: PartProps<DraftLeaf>) {
  const text = (field: string, label: string, isRequired = true, more: { type?: "number"; list?: string } = {}) => (
    <Field
      name={`${path}.${field}`}
      label={label}
      {...more}
      required={isRequired}
      value={values[field] ?? ""}
      maxlength={conditionLimits.valueCharacters}
    />
  );
  const choose = (field: string, label: string, words: Readonly<Record<string, string>>) => (
    <Select name={`${path}.${field}`} label={label} value={values[field] ?? ""} options={words} />
  );
  const named = (field: Exclude<keyof ConditionChoices, "known">, label: string, none: string) => {
    const value = values[field] ?? "";
    const known = choices[field];
    // Deleted, or beyond those that are offered: it stays chosen.
    const isOther = value !== "" && !known.some((choice) => choice.value === value);
    const options = isOther ? [...known, { value, label: `Other: ${value}` }] : known;
    return <Select name={`${path}.${field}`} label={label} value={value} options={options} none={none} />;
  };
  switch (kind) {
    case "field":
    case "event":
      return (
        <>
          {kind === "field" ? text(kind, "Field", true, { list: "known-fields" }) : text(kind, "Path in the data")}
          {choose("is", "Comparison", kind === "field" ? FIELD_COMPARISONS : COMPARISONS)}
          {text("value", "Value", false)}
        </>
      );
    case "list":
      return named("list", "The person is in the list", "Choose a list");
    case "segment":
      return named("segment", "The person is in the segment", "Choose a segment");
    case "topic":
      return (
        <>
          {choose("subscribed", "The person is", { true: "Subscribed to", false: "Not subscribed to" })}
          {named("topic", "Topic", "Choose a topic")}
        </>
      );
    case "activity":
      return (
        <>
          {choose("activity", "The person", ACTIVITIES)}
          {text("within_days", "Within days", false, { type: "number" })}
          {named("broadcast_id", "Of the broadcast", "Any email")}
        </>
      );
    case "added_within_days":
      return text("added_within_days", "Added within days", true, { type: "number" });
  }
}
