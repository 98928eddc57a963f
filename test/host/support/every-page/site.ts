import type { BrowserContext } from "playwright-core";
import type { Site } from "../pages.ts";
import { openSite } from "../pages.ts";
import { startService } from "../shared-service.ts";
import { linkIn, mailTo } from "../story-site.ts";
import { COMPANY, DOMAIN, WORD } from "./names.ts";
import { seedAudience } from "./seed-audience.ts";
import { seedMailboxes } from "./seed-mailboxes.ts";
import { seedSending } from "./seed-sending.ts";
import { offerDomain, seedWorkspaceRows } from "./seed-workspace.ts";
import type { Viewer } from "./state.ts";

/** Opens a workspace that has rows for each page, and an empty one. Returns the ids of the rows, and a browser for each viewer. */
export async function openEveryPage() {
  // Not the one that files share: administrators see the rows of all workspaces.
  const service = await startService();
  const [owner, newcomer] = await Promise.all([
    openSite(DOMAIN, { name: COMPANY }, service),
    openSite("newcomer.test", {}, service),
  ]);
  const { workspace } = owner;
  const audience = await seedAudience(owner);
  const [sending, mailboxes, rows] = await Promise.all([
    seedSending(owner, audience.list_id),
    seedMailboxes(owner),
    seedWorkspaceRows(owner),
  ]);
  const accepted = await offerDomain(owner, rows["domain_id.moving"], newcomer.email);
  await newcomer.call("POST", `/v1/domain-transfers/${accepted}/accept`, {
    target_org_id: newcomer.workspace.workspaceId,
  });
  const stop = linkIn(await mailTo(owner, owner.email, /will move to/), /domain-transfers\/stop\//);
  const token = (path: string) => path.split("/").at(-1) ?? "";
  const { search } = new URL(
    await owner.authorizePath("https://client.example/callback", `An assistant of ${COMPANY}`),
    owner.host.url,
  );
  const contexts = await openContexts(owner, newcomer);
  const session = await owner.ctx.db
    .prepare("SELECT id FROM sessions WHERE user_id = ?1 ORDER BY created_at LIMIT 1")
    .bind(workspace.userId)
    .first<string>("id");
  const ids: Readonly<Record<string, string | undefined>> = {
    ...{ ...audience, ...sending, ...mailboxes, ...rows, session_id: session ?? undefined },
    ...{ domain: workspace.domain, authorize: search, "step.branch": "3", "folder.trash": "Trash" },
    "token.accept": await offerDomain(owner, rows["domain_id.fresh"], newcomer.email),
    "token.stop": token(stop),
    "token.magicLink": token(await owner.magicLink()),
    "token.invitation": token(await owner.invitation(`grace@${WORD.slice(0, 60)}.test`)),
    "token.unsubscribe": token(await owner.unsubscribeLink()),
  };
  return {
    url: owner.host.url,
    ids,
    contexts,
    async stop() {
      await Promise.all(Object.values(contexts).map((context) => context.close()));
      await service.stop();
    },
  };
}

async function openContexts(owner: Site, newcomer: Site): Promise<Record<Viewer, BrowserContext>> {
  const administrator = await owner.addMember();
  await owner.ctx.db
    .prepare("UPDATE users SET is_platform_admin = 1, email = ?2, email_key = ?2 WHERE id = ?1")
    .bind(administrator, `linus@${owner.workspace.domain}`)
    .run();
  const open = async (cookies: Awaited<ReturnType<Site["signIn"]>>) => {
    const { context, page } = await owner.open({ timezoneId: "Europe/Berlin", reducedMotion: "reduce" });
    await page.close();
    await context.addCookies(cookies);
    return context;
  };
  return {
    visitor: await open([]),
    owner: await open(await owner.signIn()),
    newcomer: await open(await newcomer.signIn()),
    administrator: await open(await owner.signIn(administrator)),
  };
}
