import { html } from "hono/html";
import { renderPage } from "../http/page.ts";

/** Returns the page with the unsubscribe button. Loading it changes nothing: link scanners load it too (RFC 8058 3.1). */
export const confirmPage = () =>
  renderPage(
    "Unsubscribe?",
    html`<p>This sender will send no more mailings to your address.</p>
      <form method="post"><button>Unsubscribe</button></form>`,
  );

export const donePage = () =>
  renderPage("You are unsubscribed", html`<p>This sender will send no more mailings to your address.</p>`);

export const invalidLinkPage = () =>
  renderPage("This link does not work", html`<p>The link is incomplete, or the email is too old.</p>`);
