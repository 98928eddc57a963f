import { listDomains } from "../../src/domains/domains/index.ts";
import { verifyAndExamine } from "../../src/domains/health/index.ts";
import { cardOf } from "./card.ts";
import type { ExampleMailbox } from "./client.ts";
import { fillExample } from "./fill.ts";
import { SHOP } from "./shop.ts";
import { findExample, ownerOf, removeExample } from "./workspace.ts";

/** The last line of the run that fills the shop now, or null. */
let step: string | null = null;

/** Returns whether the shop is being filled: its emails must not be taken by cron meanwhile. */
export const isFilling = () => step !== null;

/**
 * Responds to a call about the example shop, to which EXAMPLE_URL leads Home: GET its card for Home in the workspace of the query, with
 * `/mailbox` its first mailbox; POST fills it, with a line for each step; DELETE removes it.
 */
export async function respondExample(request: Request, env: Env, execution: ExecutionContext): Promise<Response> {
  if (request.method === "POST") return fill(env, execution);
  if (request.method === "DELETE" && !isFilling()) {
    await removeExample(env);
    return new Response(null, { status: 204 });
  }
  const { pathname, searchParams } = new URL(request.url);
  if (pathname.endsWith("/mailbox")) return Response.json(await mailboxOf(env));
  return Response.json(await cardOf(env, step, searchParams.get("workspace") ?? ""));
}

/** Checks the records of the domain, which the local DNS server has as soon as the workspace exists. */
async function verifyDomain(env: Env): Promise<void> {
  const found = await findExample(env);
  if (found === null) return;
  const owner = ownerOf(env, found);
  const [first] = await listDomains(owner, { offset: 0, limit: 1 });
  // Some records are known only after the first check.
  for (let check = 0; first && check < 2; check++) await verifyAndExamine(owner, first.domain.id);
}

/** Returns the mailbox `hello` of the shop, or null when the shop is not there. */
async function mailboxOf(env: Env) {
  const found = await findExample(env);
  if (!found?.isFilled) return null;
  return env.DB.prepare("SELECT id, address FROM mailboxes WHERE workspace = ?1 AND address = ?2")
    .bind(found.number, `hello@${SHOP.domain}`)
    .first<ExampleMailbox>();
}

/** Fills the shop and responds with its lines. It continues after the caller has disconnected. */
function fill(env: Env, execution: ExecutionContext): Response {
  if (isFilling()) return new Response("It is being filled already.\n");
  step = "Starting ...";
  const encoder = new TextEncoder();
  const lines = new ReadableStream<Uint8Array>({
    start(controller) {
      const tell = (line: string) => {
        try {
          controller.enqueue(encoder.encode(`${line}\n`));
        } catch {
          // The reader has left.
        }
      };
      const work = run(env, tell)
        .catch((error: Error) => tell(`It could not be filled: ${error.message}. Fill it again, or remove it.`))
        .finally(() => {
          step = null;
          controller.close();
        });
      execution.waitUntil(work);
    },
  });
  return new Response(lines, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}

async function run(env: Env, tell: (line: string) => void): Promise<void> {
  const found = await findExample(env);
  if (found?.isFilled) return tell("The example shop is there already.");
  // An earlier run ended half-way.
  if (found) await removeExample(env);
  const owner = await env.DB.prepare(
    "SELECT id FROM users WHERE is_platform_admin = 1 ORDER BY created_at LIMIT 1",
  ).first<string>("id");
  if (owner === null) throw new Error("there is no platform admin");
  for await (const line of fillExample(env, owner)) {
    step = line;
    tell(line);
  }
  await verifyDomain(env);
  tell(`The example shop is filled: the workspace ${SHOP.name}.`);
}
