import { type Context, Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import type { z } from "zod";
import { Override, type Overrides, RecordSet } from "./overrides.ts";
import { zonesPage } from "./pages/zones.ts";
import type { Zone } from "./zone.ts";
import { readZoneFile, ZoneFileError } from "./zone-file.ts";

const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'";

/** Returns the app of the DNS port: the DNS page, the import of zone files and the JSON endpoints of overrides. */
export function dnsApp(zone: Zone, overrides: Overrides) {
  const app = new Hono();
  app.use(secureHeaders({ strictTransportSecurity: false, referrerPolicy: "no-referrer" }));
  app.use(async (c, next) => {
    await next();
    c.res.headers.set("Cache-Control", "no-store");
    c.res.headers.set("Content-Security-Policy", PAGE_POLICY);
  });

  app.get("/", async (c) => {
    const publications = await zone.list().catch(() => null);
    return c.html(zonesPage(publications, overrides.list()));
  });
  app.get("/records", (c) => c.json(overrides.list()));
  app.put("/records", async (c) => {
    const override = Override.safeParse(await c.req.json().catch(() => null));
    if (!override.success) return invalid(c, "body", override.error);
    overrides.put(override.data);
    return c.json(override.data);
  });
  app.post("/zone-file", async (c) => {
    // A page of another site could post a form here too.
    const site = c.req.header("Sec-Fetch-Site");
    if (site !== undefined && site !== "same-origin") return c.json({ detail: "Forbidden" }, 403);
    const isForm = c.req.header("Content-Type")?.startsWith("multipart/form-data") === true;
    const file = isForm ? (await c.req.formData()).get("file") : await c.req.text();
    try {
      const sets = readZoneFile(typeof file === "string" ? file : ((await file?.text()) ?? ""));
      for (const set of sets) overrides.put(set);
      return isForm ? c.redirect("/", 303) : c.json(sets);
    } catch (error) {
      if (!(error instanceof ZoneFileError)) throw error;
      return c.json({ detail: [{ loc: ["body"], msg: error.message, type: "value_error" }] }, 422);
    }
  });
  app.delete("/records", (c) => {
    const set = RecordSet.safeParse(c.req.query());
    if (!set.success) return invalid(c, "query", set.error);
    if (!overrides.delete(set.data)) return c.json({ detail: "Override not found" }, 404);
    return c.body(null, 204);
  });
  app.notFound((c) => c.json({ detail: "Not found" }, 404));
  return app;
}

/** Returns a 422 in the format of the API. */
function invalid(c: Context, place: "body" | "query", { issues }: z.ZodError) {
  return c.json(
    { detail: issues.map(({ path, message, code }) => ({ loc: [place, ...path], msg: message, type: code })) },
    422,
  );
}
