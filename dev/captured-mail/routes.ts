import { type Context, Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import type { CapturedMail, MailStore } from "./mail-store.ts";
import { listPage } from "./pages/list.ts";
import { mailPage } from "./pages/mail.ts";
import { notFoundPage } from "./pages/not-found.ts";
import { htmlForFrame, openReader } from "./reader.ts";

const PAGE_SIZE = 50;
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'";
/** Policy for content of a mail: no script runs, nothing is loaded from other hosts, links open in a new tab. */
const MAIL_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'";

/** Returns the app of the captured mail port: pages and JSON. */
export function capturedMailApp(store: MailStore) {
  const app = new Hono();
  const reader = openReader(store);
  const withMail = (response: (c: Context, mail: CapturedMail) => Response | Promise<Response>) => (c: Context) => {
    const mail = store.find(c.req.param("id") ?? "");
    return mail ? response(c, mail) : notFound(c);
  };

  app.use(
    secureHeaders({ strictTransportSecurity: false, xFrameOptions: "SAMEORIGIN", referrerPolicy: "no-referrer" }),
  );
  app.use(async (c, next) => {
    await next();
    c.res.headers.set("Cache-Control", "no-store");
  });

  app.get("/messages", (c) => {
    const limit = Number(c.req.query("limit") ?? Number.POSITIVE_INFINITY);
    return c.json(store.list().slice(0, limit >= 0 ? limit : undefined));
  });
  app.get(
    "/messages/:id",
    withMail(async (c, mail) => {
      const headers = { "Content-Type": "message/rfc822", "Content-Security-Policy": MAIL_POLICY };
      return c.body(new Uint8Array(await store.raw(mail.id)), 200, headers);
    }),
  );

  app.get("/", async (c) => {
    const all = store.list();
    const page = Math.max(1, Number.parseInt(c.req.query("page") ?? "1", 10) || 1);
    const shown = all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
    const rows = await Promise.all(shown.map(async (mail) => ({ mail, ...(await reader.summary(mail.id)) })));
    c.header("Content-Security-Policy", PAGE_POLICY);
    return c.html(listPage({ rows, page, pages: Math.ceil(all.length / PAGE_SIZE), total: all.length }));
  });
  app.get(
    "/view/:id",
    withMail(async (c, mail) => {
      c.header("Content-Security-Policy", PAGE_POLICY);
      return c.html(mailPage(mail, await reader.read(mail.id), await store.raw(mail.id)));
    }),
  );
  app.get(
    "/view/:id/html",
    withMail(async (c, mail) => {
      c.header("Content-Security-Policy", MAIL_POLICY);
      return c.html(htmlForFrame(await reader.read(mail.id)));
    }),
  );
  app.get(
    "/view/:id/attachments/:index",
    withMail(async (c, mail) => {
      const attachment = (await reader.read(mail.id)).attachments[Number(c.req.param("index"))];
      if (!attachment) return notFound(c);
      const name = encodeURIComponent(attachment.filename ?? "attachment").replaceAll("'", "%27");
      return c.body(new Uint8Array(attachment.content as ArrayBuffer), 200, {
        "Content-Type": "application/octet-stream",
        "Content-Disposition": `attachment; filename*=UTF-8''${name}`,
        "Content-Security-Policy": MAIL_POLICY,
      });
    }),
  );
  app.notFound(notFound);
  return app;
}

function notFound(c: Context) {
  if (c.req.path.startsWith("/messages")) return c.json({ detail: "Message not found" }, 404);
  c.header("Content-Security-Policy", PAGE_POLICY);
  return c.html(notFoundPage(), 404);
}
