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

/** One button; the page itself changes nothing, since scanners open links too (RFC 8058 3.1). */
export const askPage = () =>
  frame(
    "Unsubscribe?",
    html`<p>You will get no more mailings from this sender at this address.</p>
      <form method="post"><button>Unsubscribe</button></form>`,
  );

export const donePage = () =>
  frame("You are unsubscribed", html`<p>This sender's mailings will not reach you any more.</p>`);

export const unknownPage = () =>
  frame("This link does not work", html`<p>It may have been cut, or the mail it came with is too old.</p>`);
