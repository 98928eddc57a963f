import { html } from "hono/html";

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 28rem; margin: 15vh auto; padding: 0 1rem; color: #1c1c1c; }
  h1 { font-size: 1.25rem; }
  .url { padding: .6rem; border-radius: .4rem; background: #f2f2f2; overflow-wrap: anywhere; max-height: 9rem; overflow-y: auto; }
  button, .button { display: inline-block; font: inherit; padding: .6rem 1.2rem; border: 0; border-radius: .4rem;
    background: #1c1c1c; color: #fff; cursor: pointer; text-decoration: none; max-width: 100%; box-sizing: border-box;
    overflow-wrap: anywhere; }
  button:focus-visible, .button:focus-visible { outline: 3px solid #4a90d9; outline-offset: 2px; }`;

/** Headers of a page for recipients: not stored, not indexed, not framed, no scripts, no referrer. */
export const pageHeaders = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Robots-Tag": "noindex",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
};

/** Returns a page for recipients of email. */
export const renderPage = (title: string, content: ReturnType<typeof html>) => html`<!doctype html>
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
