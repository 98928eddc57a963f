/** Returns a text as HTML (docs/contract/inbox.md#inbox-sends). */
export function wrapText(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  // `pre-wrap` shows a line break of the source too, so there is none.
  return `<div style="white-space: pre-wrap">${escaped.replace(/\r\n?|\n/g, "<br>")}</div>`;
}
