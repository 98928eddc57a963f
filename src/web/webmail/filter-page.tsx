import { ButtonLink, Check, CheckGroup, Field, Form, Select, Submit } from "../../http/ui/index.ts";
import { FIELDS, type FilterForm, OPERATIONS } from "./filter-form.ts";
import type { OpenPage } from "./layout.tsx";
import { folderTitle, settingsPath } from "./paths.ts";
import { SettingsLayout } from "./settings-layout.tsx";

/** Rows without a value that the form offers, and the most that it has. */
const [EMPTY_ROWS, MAX_ROWS] = [2, 20];

const MODES = { all: "All must hold", any: "Any must hold" };

/** The form of a filter. Empty rows are left out, so that it needs no script. */
export const FilterPage = ({ page, form, isNew }: { page: OpenPage; form: FilterForm; isNew: boolean }) => (
  <SettingsLayout page={page} at="filters">
    <h3>{isNew ? "New filter" : "Change the filter"}</h3>
    <Form>
      <Field name="name" label="Name" value={form.name} required={false} maxlength={320} />
      <Conditions form={form} />
      <Actions page={page} form={form} />
      <Check name="is_active" label="The filter is on" checked={form.isActive} />
      <div class="actions">
        <Submit label="Save filter" action="save" />
        <ButtonLink to={settingsPath(page.mailbox.id, "filters")} label="Cancel" kind="quiet" />
      </div>
    </Form>
  </SettingsLayout>
);

function Conditions({ form }: { form: FilterForm }) {
  const filled = form.conditions.filter(({ value }) => value !== "");
  const empty = Array.from({ length: Math.min(EMPTY_ROWS, MAX_ROWS - filled.length) }, () => ({
    field: "from",
    op: "contains",
    value: "",
  }));
  return (
    <div class="conditions">
      <Select name="mode" label="Conditions" value={form.mode} options={MODES} />
      {[...filled, ...empty].map(({ field, op, value }, index) => {
        const path = `condition.${index}`;
        return (
          <fieldset class="condition">
            <legend>Condition {index + 1}</legend>
            <div class="fields">
              <Select name={`${path}.field`} label="Field" value={field} options={FIELDS} />
              <Select name={`${path}.op`} label="Comparison" value={op} options={OPERATIONS} />
              <Field name={`${path}.value`} label="Value" value={value} maxlength={998} required={false} />
            </div>
          </fieldset>
        );
      })}
      <p class="hint">
        Empty conditions are left out; save to get more of them. A size is written as 500 KB or 2 MB. Letter case does
        not matter.
      </p>
    </div>
  );
}

function Actions({ page, form }: { page: OpenPage; form: FilterForm }) {
  const places = [
    { value: "", label: "It stays where it arrives" },
    ...page.folders.map(({ name }) => ({ value: `in:${name}`, label: `Move to ${folderTitle(name)}` })),
    { value: "discard", label: "Discard: move to Trash" },
  ];
  // A folder that was deleted stays chosen, so that saving does not change the filter unseen.
  if (!places.some(({ value }) => value === form.place))
    places.push({ value: form.place, label: `Deleted: ${form.place.slice(3)}` });
  return (
    <fieldset>
      <legend>What happens with the message</legend>
      <Select name="place" label="Place" value={form.place} options={places} />
      {page.labels.length === 0 ? null : (
        <CheckGroup
          name="label"
          legend="Labels"
          id="labels"
          chosen={form.labels}
          options={page.labels.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      <Check name="flag" label="Flag it" checked={form.flag} />
      <Check name="mark_read" label="Mark it as read" checked={form.read} />
      <Field
        name="forwards"
        label="Forward to"
        value={form.forwards}
        required={false}
        maxlength={2600}
        placeholder="ada@example.org, …"
        hint="An address outside this workspace gets an email and has to confirm first."
      />
      <Check name="stop" label="Apply no further filters" checked={form.stop} />
    </fieldset>
  );
}
