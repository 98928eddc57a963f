import type { CallerCtx } from "../../access/caller.ts";
import { Icon } from "./icon.tsx";
import { type MenuEntry, type MenuGroup, menuOf } from "./menu-entries.ts";

/** The menu: a column in wide windows, opened by a button of the header in narrow ones. Pages of the platform have their own. */
export function Menu({ caller, at }: { caller: CallerCtx; at: string }) {
  const { groups, platform } = menuOf(caller);
  const isPlatform = at.startsWith("/app/admin/") && platform.length > 0;
  return (
    <nav id="menu" popover="auto" aria-label="Main">
      {isPlatform ? (
        <>
          <div class="group">
            <MenuLink path="/app" name={caller.workspace.name} icon="back" />
          </div>
          <Group name="Platform" entries={platform} at={at} />
        </>
      ) : (
        groups.map((group) => <Group {...group} at={at} />)
      )}
      <div class="group elsewhere">
        <MenuLink path="/mail" name="Webmail" icon="reply" />
        <MenuLink path="/docs" name="Reference" icon="book" />
      </div>
    </nav>
  );
}

const Group = ({ name, entries, at }: MenuGroup & { at: string }) => (
  <div class="group">
    {name === null ? null : <p>{name}</p>}
    {entries.map((entry) => (
      <MenuLink {...entry} isCurrent={isAt(entry, at)} />
    ))}
  </div>
);

/** Every path of the dashboard begins with that of its first page, which is current only on that page. */
const isAt = ({ path }: MenuEntry, at: string) => path === at || (path !== "/app" && at.startsWith(`${path}/`));

/** A link of a menu, with its icon. */
export const MenuLink = ({ path, name, icon, isCurrent = false }: MenuEntry & { isCurrent?: boolean }) => (
  <a href={path} aria-current={isCurrent ? "page" : undefined}>
    <Icon name={icon} />
    <span>{name}</span>
  </a>
);
