import type { Child } from "hono/jsx";
import { Icon, type IconName, MenuLink, Submit } from "../../http/ui/index.ts";
import type { Label } from "../../mailboxes/mailbox-store/index.ts";
import { Dot, type OpenPage } from "./layout.tsx";
import { folderTitle, settingsPath } from "./paths.ts";

interface ToolbarProps {
  page: OpenPage;
  /** The folder of the messages, which they are not moved to. Null: they may be in several. */
  folder: string | null;
  /** The object of the question before a deletion for good. */
  what: string;
  /** Labels and star of the one conversation that is open. Null: several may be selected. */
  open: { labels: readonly string[]; flagged: boolean } | null;
}

/** The actions on messages as one row of icons, in a form that selects the messages. */
export const Toolbar = ({ page, folder, what, open }: ToolbarProps) => (
  <>
    {folder === "Archive" ? null : (
      <Submit kind="bare" icon="archive" label="Archive" action="move:Archive" hotkey="e" />
    )}
    <Submit
      kind="bare"
      icon="trash"
      label={folder === "Trash" ? "Delete for good" : "Delete"}
      action="delete"
      hotkey="#"
      ask={folder === "Trash" ? `Delete ${what} for good?` : undefined}
    />
    {open === null ? <Submit kind="bare" icon="read" label="Mark as read" action="seen" hotkey="I" /> : null}
    <Submit kind="bare" icon="mail" label="Mark as unread" action="unseen" hotkey="U" />
    <Menu id="move-menu" icon="folder" label="Move to…" hotkey="v">
      {page.folders
        .filter(({ name }) => name !== folder)
        .map(({ name }) => (
          <button type="submit" name="action" value={`move:${name}`}>
            <span>{folderTitle(name)}</span>
          </button>
        ))}
    </Menu>
    <LabelMenu page={page} own={open?.labels ?? null} />
    <Menu id="more-menu" icon="dots" label="More actions">
      <button type="submit" name="action" value={folder === "Spam" ? "not-spam" : "spam"} data-key="!">
        <Icon name={folder === "Spam" ? "inbox" : "alert"} />
        <span>{folder === "Spam" ? "This is not spam" : "Move to Spam"}</span>
      </button>
      {open?.flagged === true ? null : <StarButton value="flag" label="Add a star" hotkey="s" />}
      {open?.flagged === false ? null : (
        <StarButton value="unflag" label="Remove the star" hotkey={open === null ? undefined : "s"} />
      )}
    </Menu>
  </>
);

/** A first button for the Enter key that does nothing, so that Enter in a field archives nothing, and removes no file. */
export const NoDefault = () => <button type="submit" disabled hidden />;

const StarButton = ({ value, label, hotkey }: { value: string; label: string; hotkey: string | undefined }) => (
  <button type="submit" name="action" value={value} data-key={hotkey}>
    <Icon name="star" />
    <span>{label}</span>
  </button>
);

interface MenuProps {
  id: string;
  icon: IconName;
  label: string;
  hotkey?: string;
  children?: Child;
}

/** An icon that opens a list of actions, which needs no script. */
export const Menu = ({ id, icon, label, hotkey, children }: MenuProps) => (
  <>
    <button
      type="button"
      class="bare"
      popovertarget={id}
      aria-label={label}
      title={hotkey === undefined ? label : `${label} (${hotkey})`}
      data-key={hotkey}
    >
      <Icon name={icon} />
    </button>
    <div class="panel menu" id={id} popover="auto">
      <p class="soft">{label}</p>
      {children}
    </div>
  </>
);

/** Adds labels and removes them: those that an open conversation has not, and those that it has. */
function LabelMenu({ page, own }: { page: OpenPage; own: readonly string[] | null }) {
  const added = page.labels.filter(({ id }) => own === null || !own.includes(id));
  const removed = page.labels.filter(({ id }) => own === null || own.includes(id));
  const button = (action: string, verb: string, { id, name, color }: Label) => (
    <button type="submit" name="action" value={`${action}:${id}`}>
      <Dot color={color} />
      <span>{`${verb} ${name}`}</span>
    </button>
  );
  return (
    <Menu id="label-menu" icon="tag" label="Labels" hotkey="l">
      {added.map((label) => button("label", "Add", label))}
      {removed.map((label) => button("unlabel", "Remove", label))}
      <MenuLink path={settingsPath(page.mailbox.id, "folders")} name="New label" icon="plus" />
    </Menu>
  );
}
