import type { MenuEntry } from "../../../http/ui/index.ts";

/** Parts of pages that people look for by other names than those of the menu. */
export const SETTINGS: readonly MenuEntry[] = [
  { path: "/app/settings", name: "Time zone", icon: "clock", scope: "team:view" },
  { path: "/app/settings", name: "Name of the workspace", icon: "settings", scope: "team:view" },
  { path: "/app/settings", name: "Pause sending", icon: "pause", scope: "team:view" },
  { path: "/app/settings", name: "Open and click tracking", icon: "eye", scope: "team:view" },
  { path: "/app/settings/brand", name: "Brand", icon: "settings", scope: "team:manage" },
  { path: "/app/settings/brand", name: "Logo", icon: "image", scope: "team:manage" },
  { path: "/app/settings/brand", name: "Postal address", icon: "mail", scope: "team:manage" },
  { path: "/app/pictures", name: "Pictures", icon: "image", scope: "templates:view" },
  { path: "/app/workspaces/new", name: "New workspace", icon: "plus", scope: "team:manage" },
  { path: "/app/settings/delete", name: "Delete the workspace", icon: "trash", scope: "team:manage" },
  {
    path: "/app/notifications/preferences",
    name: "Notification preferences",
    icon: "bell",
    scope: "notifications:view",
  },
  { path: "/app/notifications/preferences", name: "Slack", icon: "bell", scope: "notifications:view" },
  { path: "/app/security", name: "Two-factor authentication", icon: "shield" },
  { path: "/app/security", name: "Sessions and devices", icon: "shield" },
  { path: "/app/team", name: "Invite a member", icon: "user", scope: "team:manage" },
  { path: "/app/emails/new", name: "New email", icon: "edit", scope: "emails:send" },
  { path: "/app/emails/scheduled", name: "Scheduled emails", icon: "clock", scope: "emails:view" },
  { path: "/app/broadcasts/new", name: "New broadcast", icon: "broadcast", scope: "broadcasts:manage" },
  { path: "/app/templates/new", name: "New template", icon: "template", scope: "templates:manage" },
  { path: "/app/webhooks/new", name: "New webhook", icon: "link", scope: "webhooks:manage" },
];
