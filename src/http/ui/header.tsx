import type { CallerCtx } from "../../access/caller.ts";
import { Form } from "./form.tsx";
import { Icon, Mark } from "./icon.tsx";
import { initialsOf } from "./initials.ts";
import { MenuLink } from "./menu.tsx";
import { menuOf } from "./menu-entries.ts";
import { SearchField } from "./search-field.tsx";
import { toSentence } from "./status.tsx";

const MOST_UNREAD = 99;

/** The bar above each page of the dashboard: workspace, search, notifications and account. Its panels need no script. */
export const Header = ({ caller, query = "" }: { caller: CallerCtx; query?: string }) => (
  <header class="bar">
    <button class="bare menu" type="button" popovertarget="menu" aria-label="Menu">
      <Icon name="menu" />
    </button>
    <a class="home" href="/app" aria-label="Dashboard">
      <Mark />
    </a>
    <Switcher caller={caller} />
    <search>
      <Form method="get" action="/app/search">
        <SearchField
          label="Find anything"
          value={query}
          maxlength={200}
          placeholder="Find emails, contacts, domains, settings"
          isGlobal
        />
      </Form>
    </search>
    <a class="button bare narrow-only" href="/app/search" aria-label="Find">
      <Icon name="search" />
    </a>
    <Bell caller={caller} />
    <Account caller={caller} />
  </header>
);

/** The name of the workspace: behind it are the other ones of the user, and the pages about this one. */
function Switcher({ caller }: { caller: CallerCtx }) {
  const { actor, workspace, frame } = caller;
  const menu = menuOf(caller);
  return (
    <>
      <button class="bare switcher" type="button" popovertarget="workspaces" aria-label={`Workspace ${workspace.name}`}>
        <span>{workspace.name}</span>
        <Icon name="more" />
      </button>
      <div class="panel" id="workspaces" popover="auto">
        <p class="soft">Workspaces</p>
        {(frame?.workspaces ?? [workspace]).map(({ id, name }) =>
          id === workspace.id ? (
            <a href="/app" aria-current="true">
              <span>{name}</span>
              <Icon name="check" />
            </a>
          ) : (
            <Form action="/auth/workspace" fields={{ org_id: id }}>
              <button type="submit" aria-label={`Open ${name}`}>
                <span>{name}</span>
              </button>
            </Form>
          ),
        )}
        {actor.scopes.has("team:manage") ? (
          <MenuLink path="/app/workspaces/new" name="New workspace" icon="plus" />
        ) : null}
        <hr />
        {menu.workspace.map((entry) => (
          <MenuLink {...entry} />
        ))}
        {menu.platform.length > 0 ? <MenuLink path="/app/admin/accounts" name="Platform" icon="server" /> : null}
      </div>
    </>
  );
}

function Bell({ caller: { actor, frame } }: { caller: CallerCtx }) {
  if (!actor.scopes.has("notifications:view")) return null;
  const unread = frame?.unread ?? 0;
  const count = unread > MOST_UNREAD ? `${MOST_UNREAD}+` : String(unread);
  return (
    <a
      class="button bare bell"
      href="/app/notifications"
      aria-label={unread === 0 ? "Notifications" : `Notifications, ${count} unread`}
    >
      <Icon name="bell" />
      {unread === 0 ? null : <span class="count">{count}</span>}
    </a>
  );
}

const Account = ({ caller }: { caller: CallerCtx }) => (
  <>
    <button class="bare account" type="button" popovertarget="account" aria-label="Account">
      <span data-initials={initialsOf(caller.actor)} />
    </button>
    <div class="panel" id="account" popover="auto">
      <p>
        {caller.actor.name === null ? null : (
          <>
            <strong>{caller.actor.name}</strong>
            <br />
          </>
        )}
        <span class="soft">{caller.actor.email}</span>
        <br />
        <span class="soft">
          {toSentence(caller.actor.role)} of {caller.workspace.name}
        </span>
      </p>
      {menuOf(caller).account.map((entry) => (
        <MenuLink {...entry} />
      ))}
      <Form action="/auth/logout">
        <button type="submit">
          <Icon name="exit" />
          Sign out
        </button>
      </Form>
    </div>
  </>
);
