import { html, raw } from "hono/html";
import { STYLE } from "./style.ts";

export type Markup = ReturnType<typeof html>;

/** Returns the HTML document around a page's content. `script` runs inline. */
export function frame(title: string, body: Markup, script = ""): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>${body}</main>
${script ? html`<script>${raw(script)}</script>` : ""}
</body>
</html>`;
}

/** Formats a size in bytes as B, KB or MB. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib.toFixed(kib < 10 ? 1 : 0)} KB` : `${(kib / 1024).toFixed(1)} MB`;
}

/** Formats a time of day, with the date if it is not today. */
export function formatTime(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const time = at.toLocaleTimeString("en-GB");
  if (at.toDateString() === now.toDateString()) return time;
  return `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" })}, ${time}`;
}
