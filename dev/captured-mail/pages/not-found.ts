import { html } from "hono/html";
import { frame } from "./frame.ts";

/** Returns the 404 page. */
export function notFoundPage() {
  return frame(
    "Not found",
    html`<header class="top"><h1>Not found</h1></header>
<p class="empty">No captured mail has this id. <a href="/">All captured mail</a></p>`,
  );
}
