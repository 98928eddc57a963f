import type { Child } from "hono/jsx";
import { ErrorSummary, type IconName, MenuLink, Toast, useViewer } from "../../http/ui/index.ts";
import { type OpenPage, WebmailLayout } from "./layout.tsx";
import { type SettingsPage, settingsPath } from "./paths.ts";

const SECTIONS: readonly { name: SettingsPage; icon: IconName; label: string }[] = [
  { name: "signature", icon: "edit", label: "Signature" },
  { name: "saved-replies", icon: "template", label: "Saved replies" },
  { name: "auto-reply", icon: "reply", label: "Automatic reply" },
  { name: "filters", icon: "settings", label: "Filters" },
  { name: "aliases", icon: "mail", label: "Aliases" },
  { name: "blocked-senders", icon: "ban", label: "Blocked senders" },
  { name: "folders", icon: "tag", label: "Folders and labels" },
  { name: "import", icon: "upload", label: "Import and export" },
  { name: "password", icon: "key", label: "Password" },
  { name: "mail-programs", icon: "plug", label: "Mail programs" },
  { name: "keyboard", icon: "grid", label: "Keyboard shortcuts" },
];

interface SettingsLayoutProps {
  page: OpenPage;
  at: SettingsPage;
  /** The row whose form was refused, on a page with a form for each. */
  row?: string | undefined;
  children?: Child;
}

/** The layout of the settings of a mailbox: a list of their pages, and one of them. */
export function SettingsLayout({ page, at, row, children }: SettingsLayoutProps) {
  const { notice } = useViewer();
  const title = SECTIONS.find(({ name }) => name === at)?.label ?? "Settings";
  return (
    <WebmailLayout {...page} title={title} current="settings">
      <h1>Settings</h1>
      {notice === undefined ? null : <Toast>{notice}</Toast>}
      <div class="settings">
        <nav aria-label="Settings">
          {SECTIONS.map(({ name, icon, label }) => (
            <MenuLink path={settingsPath(page.mailbox.id, name)} name={label} icon={icon} isCurrent={name === at} />
          ))}
        </nav>
        <section aria-labelledby="section">
          <h2 id="section">{title}</h2>
          <ErrorSummary row={row} />
          {children}
        </section>
      </div>
    </WebmailLayout>
  );
}
