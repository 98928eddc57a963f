import type { Child } from "hono/jsx";
import { ErrorSummary, type IconName, MenuLink, Toast, useViewer } from "../../http/ui/index.ts";
import { type OpenPage, WebmailLayout } from "./layout.tsx";
import { foldersAndLabelsPath, importPath, type SettingsPage, settingsPath } from "./paths.ts";

type Section = SettingsPage | "folders-and-labels" | "import";

const SECTIONS: readonly { name: Section; icon: IconName; label: string; path: (id: string) => string }[] = [
  { name: "signature", icon: "edit", label: "Signature", path: (id) => settingsPath(id, "signature") },
  { name: "auto-reply", icon: "reply", label: "Automatic reply", path: (id) => settingsPath(id, "auto-reply") },
  { name: "filters", icon: "settings", label: "Filters", path: (id) => settingsPath(id, "filters") },
  { name: "aliases", icon: "mail", label: "Aliases", path: (id) => settingsPath(id, "aliases") },
  { name: "blocked-senders", icon: "ban", label: "Blocked senders", path: (id) => settingsPath(id, "blocked-senders") },
  { name: "folders-and-labels", icon: "tag", label: "Folders and labels", path: foldersAndLabelsPath },
  { name: "import", icon: "upload", label: "Import and export", path: importPath },
  { name: "password", icon: "key", label: "Password", path: (id) => settingsPath(id, "password") },
  { name: "mail-programs", icon: "plug", label: "Mail programs", path: (id) => settingsPath(id, "mail-programs") },
  { name: "keyboard", icon: "grid", label: "Keyboard shortcuts", path: (id) => settingsPath(id, "keyboard") },
];

/** The layout of the settings of a mailbox: a list of their pages, and one of them. */
export function SettingsLayout({ page, at, children }: { page: OpenPage; at: Section; children?: Child }) {
  const { notice } = useViewer();
  const title = SECTIONS.find(({ name }) => name === at)?.label ?? "Settings";
  return (
    <WebmailLayout {...page} title={title} current="settings">
      <h1>Settings</h1>
      {notice === undefined ? null : <Toast>{notice}</Toast>}
      <div class="settings">
        <nav aria-label="Settings">
          {SECTIONS.map(({ name, icon, label, path }) => (
            <MenuLink path={path(page.mailbox.id)} name={label} icon={icon} isCurrent={name === at} />
          ))}
        </nav>
        <section aria-labelledby="section">
          <h2 id="section">{title}</h2>
          <ErrorSummary />
          {children}
        </section>
      </div>
    </WebmailLayout>
  );
}
