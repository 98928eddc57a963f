import { html } from "hono/html";

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 28rem; margin: 15vh auto; padding: 0 1rem; color: #1c1c1c; }
  h1 { font-size: 1.25rem; }
  button { font: inherit; padding: .6rem 1.2rem; border: 0; border-radius: .4rem; background: #1c1c1c; color: #fff; cursor: pointer; }
  button:focus-visible { outline: 3px solid #4a90d9; outline-offset: 2px; }`;

const frame = (title: string, content: ReturnType<typeof html>) => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>${title}</title>
    <style>${style}</style>
  </head>
  <body><main><h1>${title}</h1>${content}</main></body>
</html>`;

/** Page with the unsubscribe button. Loading it changes nothing, because link scanners load it too (RFC 8058 3.1). */
export const confirmPage = () =>
  frame(
    "Unsubscribe?",
    html`<p>This sender will send no more mailings to your address.</p>
      <form method="post"><button>Unsubscribe</button></form>`,
  );

export const donePage = () =>
  frame("You are unsubscribed", html`<p>This sender will send no more mailings to your address.</p>`);

export const invalidLinkPage = () =>
  frame("This link does not work", html`<p>The link is incomplete, or the email is too old.</p>`);
