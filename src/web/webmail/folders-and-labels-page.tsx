import { ButtonLink, counted, Field, Form, Submit } from "../../http/ui/index.ts";
import type { Folder, Label } from "../../mailboxes/mailbox-store/index.ts";
import { Dot, type OpenPage, WebmailLayout } from "./layout.tsx";
import { folderTitle, settingsPath } from "./paths.ts";
import { SettingsLayout } from "./settings-layout.tsx";

/** The page that creates, renames and deletes the folders and labels of a mailbox. */
export const FoldersAndLabelsPage = ({ page }: { page: OpenPage }) => {
  const own = page.folders.filter(({ role }) => role === null);
  const labelsPath = `/mail/labels/${page.mailbox.id}`;
  return (
    <SettingsLayout page={page} at="folders">
      <section aria-labelledby="own-folders">
        <h3 id="own-folders">Folders</h3>
        <p class="hint">A message is in one folder. {page.folders.length - own.length} folders are always there.</p>
        {own.length === 0 ? (
          <p>You have no folders of your own.</p>
        ) : (
          <ul class="folders-and-labels">
            {own.map((folder) => (
              <FolderRow folder={folder} path={settingsPath(page.mailbox.id, "folders")} />
            ))}
          </ul>
        )}
        <Form action={settingsPath(page.mailbox.id, "folders")} class="filter" refills={false}>
          <Field name="name" label="New folder" maxlength={255} />
          <Submit label="Create folder" action="create" />
        </Form>
      </section>
      <section aria-labelledby="own-labels">
        <h3 id="own-labels">Labels</h3>
        <p class="hint">A message can have many labels, in whichever folder it is.</p>
        {page.labels.length === 0 ? (
          <p>You have no labels.</p>
        ) : (
          <ul class="folders-and-labels">
            {page.labels.map((label) => (
              <LabelRow label={label} path={labelsPath} />
            ))}
          </ul>
        )}
        <Form action={labelsPath} class="filter" refills={false}>
          <Field name="label_name" label="New label" maxlength={255} />
          <ColorField
            id="new-color"
            name="Colour of the new label"
            value={COLORS[page.labels.length % COLORS.length]}
          />
          <Submit label="Create label" action="create" />
        </Form>
      </section>
    </SettingsLayout>
  );
};

/** Colours that a new label gets by turns. */
const COLORS = ["#1f5fbf", "#14693a", "#a4262c", "#b26a00", "#6b3fa0", "#00708a"] as const;

const FolderRow = ({ folder: { name, total }, path }: { folder: Folder; path: string }) => (
  <li>
    <Form action={path} fields={{ folder: name }}>
      <input type="text" name="name" value={name} aria-label={`Name of ${name}`} maxlength={255} required />
      <Submit label="Rename" kind="quiet" action="rename" name={`Rename ${name}`} />
      {total === 0 ? (
        <Submit label="Delete" kind="danger" action="delete" name={`Delete ${name}`} />
      ) : (
        <span class="soft">{counted(total, "message")}</span>
      )}
    </Form>
  </li>
);

const LabelRow = ({ label: { id, name, color }, path }: { label: Label; path: string }) => (
  <li>
    <Form action={path}>
      <Dot color={color} />
      <input type="hidden" name="label_id" value={id} />
      <input type="text" name="label_name" value={name} aria-label={`Name of ${name}`} maxlength={255} required />
      <ColorField id={`color-${id}`} name={`Colour of ${name}`} value={color} />
      <Submit label="Save" kind="quiet" action="update" name={`Save ${name}`} />
      <Submit
        label="Delete"
        kind="danger"
        action="delete"
        name={`Delete ${name}`}
        ask={`Delete the label ${name}? Its messages stay.`}
        confirmed="Delete label"
      />
    </Form>
  </li>
);

const ColorField = ({ id, name, value }: { id: string; name: string; value: string | undefined }) => (
  <input type="color" id={id} name="color" value={value} aria-label={name} />
);

/** The page that asks before a label is deleted. With the script, a dialog asks instead. */
export const DeleteLabelPage = ({ page, label }: { page: OpenPage; label: Label }) => (
  <WebmailLayout {...page} title={`Delete ${label.name}?`} current="settings">
    <h1>Delete {label.name}?</h1>
    <p>The label is taken from its messages. The messages stay in their folders.</p>
    <Form class="actions" fields={{ confirmed: "yes", label_id: label.id }}>
      <Submit label="Delete label" kind="danger" action="delete" />
      <ButtonLink to={settingsPath(page.mailbox.id, "folders")} label="Cancel" kind="quiet" />
    </Form>
  </WebmailLayout>
);

/** Returns what the page says after a change of a folder or label, by the `done` of its query. */
export const foldersAndLabelsNotice = (done: string | undefined, name: string) =>
  done === "folder-created"
    ? `The folder ${folderTitle(name)} was created.`
    : done === undefined
      ? undefined
      : NOTICES[done];

const NOTICES: Readonly<Record<string, string>> = {
  "folder-renamed": "The folder was renamed.",
  "folder-deleted": "The folder was deleted.",
  "label-created": "The label was created.",
  "label-saved": "The label was saved.",
  "label-deleted": "The label was deleted. Its messages stay.",
};
