import type { CallerCtx } from "../../access/caller.ts";
import { Icon, type IconName } from "./icon.tsx";
import { type MenuEntry, menuOf } from "./menu-entries.ts";

interface MenuProps {
  caller: CallerCtx;
  /** Path of the page, or of the entry that it belongs to. */
  at: string;
}

/** The menu: a column in wide windows, opened by a button of the header in narrow ones. Pages of the platform have their own. */
export function Menu({ caller, at }: MenuProps) {
  const { main, setup, platform } = menuOf(caller);
  const isPlatform = at.startsWith("/app/admin/") && platform.length > 0;
  return (
    <nav id="menu" popover="auto" aria-label="Main">
      {isPlatform ? (
        <>
          <div class="group">
            <MenuLink path="/app" name={caller.workspace.name} icon="back" />
          </div>
          <div class="group">
            <p>Platform</p>
            <Entries entries={platform} at={at} />
          </div>
        </>
      ) : (
        <div class="group">
          <Entries entries={main} at={at} />
          <Setup entries={setup} at={at} />
          {platform.length > 0 ? <MenuLink path="/app/admin/accounts" name="Platform" icon="server" /> : null}
        </div>
      )}
      <div class="group elsewhere">
        <MenuLink path="/mail" name="Webmail" icon="reply" />
        <MenuLink path="/docs" name="Reference" icon="book" />
      </div>
    </nav>
  );
}

/** The pages of the set-up, folded except on these pages. */
const Setup = ({ entries, at }: { entries: readonly MenuEntry[]; at: string }) =>
  entries.length === 0 ? null : (
    <details class="fold" open={entries.some((entry) => isAt(entry, at))}>
      <summary>
        <Icon name="grid" />
        Setup
        <Icon name="more" />
      </summary>
      <Entries entries={entries} at={at} />
    </details>
  );

const Entries = ({ entries, at }: { entries: readonly MenuEntry[]; at: string }) => (
  <>
    {entries.map((entry) => (
      <MenuLink {...entry} isCurrent={isAt(entry, at)} />
    ))}
  </>
);

/** Every path of the dashboard begins with that of its first page, which is current only on that page. */
const isAt = ({ path }: MenuEntry, at: string) => path === at || (path !== "/app" && at.startsWith(`${path}/`));

interface MenuLinkProps {
  path: string;
  name: string;
  icon: IconName;
  isCurrent?: boolean;
}

/** A link of a menu, with its icon. */
export const MenuLink = ({ path, name, icon, isCurrent = false }: MenuLinkProps) => (
  <a href={path} aria-current={isCurrent ? "page" : undefined}>
    <Icon name={icon} />
    {name}
  </a>
);
