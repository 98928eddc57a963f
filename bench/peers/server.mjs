/** A small email service on Node, for `npm run bench -- peers`. It reads its settings from variables of its environment. */
import { createHash, randomUUID } from "node:crypto";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { createTransport } from "nodemailer";
import { checkEmail } from "./check-email.mjs";
import { startDelivery } from "./delivery.mjs";
import { openPostgres } from "./postgres.mjs";

const { API_KEY, DOMAIN, DKIM_KEY, RELAY_PORT, PG_SOCKET_DIR, SQLITE_FILE } = process.env;

const sha256 = (text) => createHash("sha256").update(text).digest("hex");
// Node before 22.5 has no node:sqlite.
const storage = PG_SOCKET_DIR
  ? await openPostgres(PG_SOCKET_DIR)
  : (await import("./sqlite.mjs")).openSqlite(SQLITE_FILE);
await storage.insertApiKey(sha256(API_KEY), DOMAIN);
const transport = createTransport({
  host: "127.0.0.1",
  port: Number(RELAY_PORT),
  ignoreTLS: true,
  pool: true,
  maxConnections: 4,
  maxMessages: Number.POSITIVE_INFINITY,
  dkim: { domainName: DOMAIN, keySelector: "s1", privateKey: DKIM_KEY },
});
const { wake } = startDelivery(storage, transport);

const app = new Hono();
app.post("/v1/emails/", async (c) => {
  const [, key = ""] = /^Bearer (\S+)$/.exec(c.req.header("Authorization") ?? "") ?? [];
  const sender = await storage.findApiKey(sha256(key));
  if (!sender) return c.json({ detail: "The API key is unknown." }, 401);
  const body = await c.req.json().catch(() => null);
  const error = checkEmail(body, sender.domain);
  if (error) return c.json({ detail: error }, 422);
  const id = randomUUID();
  await storage.insertEmail({ id, domain: sender.domain, body });
  wake();
  return c.json({ id, status: "queued" }, 202);
});
app.get("/queue", async (c) => c.json({ rows: await storage.countQueued() }));

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => console.log(port));
// The bench holds the other end of the standard input, so that this process ends with it.
process.stdin.on("end", () => process.exit(0)).resume();
