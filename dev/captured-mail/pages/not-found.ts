import { html } from "hono/html";
import { frame } from "./frame.ts";

/** For an address that leads nowhere. */
export function notFoundPage() {
  return frame(
    "Not found",
    html`<header class="top"><h1>Not found</h1></header>
<p class="empty">There is no such mail here. <a href="/">Back to all captured mail</a></p>`,
  );
}
