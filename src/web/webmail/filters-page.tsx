import { ButtonLine, Empty, Form, Select, Submit } from "../../http/ui/index.ts";
import type { FilterOut } from "../../mailboxes/inbox/index.ts";
import type { FilterRun, Label } from "../../mailboxes/mailbox-store/index.ts";
import { FIELDS, OPERATIONS, writeBytes } from "./filter-form.ts";
import type { OpenPage } from "./layout.tsx";
import { filterPath, folderTitle, settingsPath } from "./paths.ts";
import { SettingsLayout } from "./settings-layout.tsx";

interface FiltersPageProps {
  page: OpenPage;
  filters: readonly FilterOut[];
  run: FilterRun | null;
}

/** The page of the filters of a mailbox, in their order, and of their run over a folder. */
export const FiltersPage = ({ page, filters, run }: FiltersPageProps) => (
  <SettingsLayout page={page} at="filters">
    <p class="hint">
      Filters apply to mail that arrives, from the top, except to spam. The first that moves or discards a message
      decides where it is.
    </p>
    <ButtonLine to={filterPath(page.mailbox.id, "new")} label="New filter" icon="plus" />
    {filters.length === 0 ? (
      <Empty>There are no filters.</Empty>
    ) : (
      <ol class="folders-and-labels">
        {filters.map((filter, index) => (
          <FilterRow page={page} filter={filter} index={index} isLast={index === filters.length - 1} />
        ))}
      </ol>
    )}
    {filters.length === 0 && run === null ? null : <Run page={page} run={run} />}
  </SettingsLayout>
);

interface FilterRowProps {
  page: OpenPage;
  filter: FilterOut;
  index: number;
  isLast: boolean;
}

function FilterRow({ page, filter, index, isLast }: FilterRowProps) {
  const title = titleOf(filter);
  const button = (value: string, label: string, name: string) => (
    <Submit label={label} kind="link" action={value} name={name} />
  );
  return (
    <li>
      <Form fields={{ filter_id: filter.id }}>
        <p>
          <a href={filterPath(page.mailbox.id, filter.id)}>{title}</a>
          {filter.is_active ? null : <span class="soft"> (off)</span>}
          <br />
          <span class="soft">
            {describeMatch(filter)}: {describeActions(filter, page.labels)}
          </span>
        </p>
        {index === 0 ? null : button("up", "Up", `Move ${title} up`)}
        {isLast ? null : button("down", "Down", `Move ${title} down`)}
        {filter.is_active
          ? button("off", "Turn off", `Turn off ${title}`)
          : button("on", "Turn on", `Turn on ${title}`)}
        <Submit
          label="Delete"
          kind="danger"
          action="delete"
          name={`Delete ${title}`}
          ask={`Delete the filter ${title}?`}
        />
      </Form>
    </li>
  );
}

const titleOf = (filter: FilterOut) => filter.name ?? describeMatch(filter);

function describeMatch({ match: { mode, conditions } }: FilterOut): string {
  const texts = conditions.map(({ field, op, value }) => {
    const shown = typeof value === "number" ? writeBytes(value) : `“${cut(value)}”`;
    return `${FIELDS[field]} ${OPERATIONS[op]} ${shown}`;
  });
  return texts.join(mode === "all" ? " and " : " or ");
}

/** Characters of a value that the list shows. */
const MAX_SHOWN = 60;

const cut = (text: string) => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text);

function describeActions({ actions }: FilterOut, labels: readonly Label[]): string {
  const texts = actions.map((action) => {
    if (action.type === "move") return `move to ${folderTitle(action.folder)}`;
    if (action.type === "forward")
      return `forward to ${action.address}${action.is_confirmed ? "" : " (waits for its confirmation, or ended with the right of who saved it)"}`;
    if (action.type === "label")
      return `label ${labels.find(({ id }) => id === action.label_id)?.name ?? "that was deleted"}`;
    return { discard: "move to Trash", flag: "flag", mark_read: "mark as read", stop: "stop" }[action.type];
  });
  return texts.join(", ");
}

function Run({ page, run }: Pick<FiltersPageProps, "page" | "run">) {
  const folders = page.folders.map(({ name }) => ({ value: name, label: folderTitle(name) }));
  return (
    <section aria-labelledby="run">
      <h3 id="run">Mail that is here already</h3>
      <Form class="filter">
        <Select name="folder" label="Folder" value={run?.folder ?? "INBOX"} options={folders} />
        <Submit label="Apply filters" kind="quiet" icon="play" action="run" />
      </Form>
      <p class="hint">Nothing is forwarded.</p>
      {run === null ? null : (
        <p role="status">
          {folderTitle(run.folder)}: {run.checked} of {run.total} messages compared, {run.changed} changed.
          {run.status === "done" ? " Done." : null}{" "}
          {run.status === "done" ? null : <a href={settingsPath(page.mailbox.id, "filters")}>Show the progress</a>}
        </p>
      )}
    </section>
  );
}
