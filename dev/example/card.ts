import { createContext } from "../../src/platform/create-context.ts";
import { onShardOf } from "../../src/platform/jobs/shards.ts";
import type { ExampleCard } from "../../src/web/dashboard/home/example.tsx";
import { SHOP } from "./shop.ts";
import { findExample } from "./workspace.ts";

const OFFER =
  "Two weeks of emails in all states, a broadcast that compared two subjects, an automation and an inbox, in a workspace of their own. Nothing leaves this machine.";
const act = (method: string, label: string) => ({ action: "/app/example", fields: { method }, label });
const remove = act("DELETE", "Remove the example shop");

/**
 * Returns the card about the example shop for the Home of a workspace. Null: the workspace has sent emails of its own, and neither is it
 * the shop nor is that being filled. `step`: what is done now, while it is filled.
 */
export async function cardOf(env: Env, step: string | null, workspace: string): Promise<ExampleCard | null> {
  if (step !== null) return { title: "Filling the example shop", text: step, isChanging: true, forms: [] };
  const found = await findExample(env);
  if (found?.id !== workspace && (await hasSent(env, workspace))) return null;
  if (!found?.isFilled) {
    const forms = [act("POST", "Fill with an example shop"), ...(found ? [remove] : [])];
    return { title: "Look around in an example shop", text: OFFER, isChanging: false, forms };
  }
  const text = `${SHOP.name} has two weeks of mail. It is a workspace of its own: removing it leaves all others as they are.`;
  const open = { action: "/auth/workspace", fields: { org_id: found.id, next: "/app" }, label: `Open ${SHOP.name}` };
  const forms = found.id === workspace ? [remove] : [open, remove];
  return { title: "The example shop", text, isChanging: false, forms };
}

async function hasSent(env: Env, workspace: string): Promise<boolean> {
  const ctx = createContext(env, "example");
  const number = await ctx.db
    .prepare("SELECT number FROM workspaces WHERE id = ?1")
    .bind(workspace)
    .first<number>("number");
  const mailCtx = await onShardOf(ctx, number ?? 0);
  const sent = mailCtx?.outbox.prepare("SELECT 1 FROM emails WHERE workspace = ?1 LIMIT 1").bind(number);
  return sent !== undefined && (await sent.first()) !== null;
}
