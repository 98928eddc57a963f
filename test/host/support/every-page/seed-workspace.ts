import { registerClient } from "../../../../src/identity/oauth/clients.ts";
import { writeMonth } from "../../../support/month-of-mail.ts";
import type { Site } from "../pages.ts";
import { linkIn, mailTo } from "../story-site.ts";
import { seedBrand } from "./logo.ts";
import { ADDRESS, PERSON, WORD } from "./names.ts";

/** Creates domains, transfers, webhooks, keys, members and what administrators of the platform see. Returns their ids. */
export async function seedWorkspaceRows(site: Site) {
  const { call, workspace, ctx } = site;
  const { workspaceId, workspaceNumber: number, userId } = workspace;
  const create = async (path: string, body: object) => (await call("POST", path, body)).id;
  const [moving, fresh] = [
    await create("/v1/domains/", { name: "teehaus.test" }),
    await create("/v1/domains/", { name: `mail.${WORD.slice(0, 60)}.test` }),
  ];
  const delegated = await create("/v1/domains/", { name: "delegated-shop.test", setup: "delegated" });
  await Promise.all([moving, fresh, workspace.domainId].map((id) => call("POST", `/v1/domains/${id}/verify`)));
  const webhook = await create("/v1/webhooks/", {
    url: `http://127.0.0.1:9/email-events/${WORD}`,
    events: ["email.delivered", "email.bounced"],
  });
  await call("POST", `/v1/webhooks/${webhook}/test`);
  const credential = await create("/v1/smtp-credentials/", { domain_id: workspace.domainId });
  const keys = await call<{ id: string }[]>("GET", "/v1/api-keys/");
  for (const email of ["kontor@example.net", ADDRESS]) await call("POST", "/v1/suppressions/", { email });
  const member = await site.addMember();
  const client = await registerClient(ctx, {
    redirect_uris: ["https://client.example/callback"],
    client_name: `An assistant of ${PERSON}`,
  });
  const [grant, letter, notification, now] = [ctx.newId(), ctx.newId(), ctx.newId(), ctx.now()];
  const run = (sql: string, ...values: unknown[]) => ctx.db.prepare(sql).bind(...values);
  await ctx.db.batch([
    run(
      "UPDATE users SET name = ?2, email = ?3, email_key = ?3 WHERE id = ?1",
      member,
      PERSON,
      `grace@${workspace.domain}`,
    ),
    run(
      `INSERT INTO oauth_grants (id, workspace, user_id, client_id, scopes, resource, created_at, expires_at)
       VALUES (?1, ?2, ?3, ?4, '["emails:view","emails:send"]', 'https://api.example', ?5, ?6)`,
      ...[grant, number, userId, client.id, now, now + 86_400_000],
    ),
    run(
      `INSERT INTO notifications (id, workspace, user_id, category, severity, title, body, href, created_at)
       VALUES (?1, ?2, ?3, 'alerts', 'error', ?4, 'Its DKIM records are missing.', '/domains', ?5)`,
      ...[notification, number, userId, `${workspace.domain} can no longer send`, now],
    ),
    run(
      "INSERT INTO dead_letters (id, queue, body, recorded_at) VALUES (?1, 'work-dead', ?2, ?3)",
      letter,
      `{"rows":["${WORD}"]}`,
      now,
    ),
    run("INSERT OR IGNORE INTO blocked_hosts (host, created_at) VALUES ('evil.example', ?1)", now),
    run(
      `INSERT INTO audit_log (id, user_id, user_email, ip, action, target_kind, target_id, detail, created_at)
       VALUES (?1, ?2, ?3, ?4, 'mailbox.app_password_created', 'mailbox', ?1, json_object('name', ?5), ?6)`,
      ...[ctx.newId(), userId, ADDRESS, "2001:db8:85a3:8d3:1319:8a2e:370:7348", WORD, now],
    ),
  ]);
  const shop = { ...workspace, domainId: moving, domain: "teehaus.test" };
  await writeMonth(site.mailDb, shop, now);
  await call("POST", `/v1/workspaces/${workspaceId}/invitations`, { email: ADDRESS, role: "member" });
  const { items } = await call<{ items: { id: string }[] }>("GET", `/v1/webhooks/${webhook}/deliveries`);
  return {
    picture_id: await seedBrand(site),
    ...{
      domain_id: workspace.domainId,
      "domain_id.fresh": fresh,
      "domain_id.moving": moving,
      "domain_id.delegated": delegated,
      webhook_id: webhook,
    },
    ...{
      delivery_id: items[0]?.id,
      credential_id: credential,
      api_key_id: keys[0]?.id,
      user_id: member,
      grant_id: grant,
    },
    ...{ letter_id: letter, workspace_id: workspaceId, database: "main", "database.mail": String(workspace.mailShard) },
  };
}

/** Offers a domain to the owner of another workspace, and returns the token of the link that accepts it. */
export async function offerDomain(site: Site, domain: string | undefined, target_email: string): Promise<string> {
  const note = "The tea house is yours from December on.";
  const { domain_name } = await site.call<{ domain_name: string }>("POST", `/v1/domains/${domain}/transfer`, {
    target_email,
    note,
  });
  const mail = await mailTo(site, target_email, new RegExp(`^Transfer of ${domain_name.slice(0, 20)}`));
  return (
    linkIn(mail, /domain-transfers\/accept\//)
      .split("/")
      .at(-1) ?? ""
  );
}
