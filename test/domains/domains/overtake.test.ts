import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { readAudit } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { publishRecords, register, uniqueDomainName, verify } from "../../support/domains.ts";
import { insertDomain } from "../../support/transfers.ts";
import { aWorkspace } from "../../support/workspace.ts";

/** The holder of a parent domain proves itself and wins over claims below it (docs/contract/domains.md#verification). */

const statusOf = async (id: string) =>
  (await database.row<{ status: string }>("SELECT status FROM domains WHERE id = ?1", [id]))?.status;

it("a verified parent makes verified names below it failed in other workspaces, tells both sides, and is audited", async () => {
  const [owner, squatter, other] = await Promise.all([aWorkspace(), aWorkspace(), aWorkspace()]);
  const name = uniqueDomainName();
  const [mail, deep] = [await insertDomain(squatter, `mail.${name}`), await insertDomain(other, `a.b.${name}`)];
  const beside = await insertDomain(other, `x${name}`);
  const own = await insertDomain(owner, `own.${name}`);
  const parent = await register(owner, name);
  expect((await verify(owner, parent.id)).domain.status).toBe("pending");
  expect(await statusOf(mail.id)).toBe("verified");
  await publishRecords(parent);
  expect(await verify(owner, parent.id)).toMatchObject({ status: 200, domain: { status: "verified" } });
  expect(await Promise.all([mail, deep, beside, own].map(({ id }) => statusOf(id)))).toEqual([
    ...["failed", "failed", "verified", "verified"],
  ]);
  const overtaken = (await readAudit(squatter)).filter(({ action }) => action === "domain.overtaken");
  expect(overtaken).toMatchObject([{ actor: null, target: { id: mail.id }, detail: { name: mail.name, by: name } }]);
  expect((await readAudit(owner)).filter(({ action }) => action === "domain.overtaken")).toHaveLength(2);
  for (const { workspaceNumber } of [owner, squatter, other]) {
    const notices = env.DB.prepare("SELECT 1 FROM notifications WHERE workspace = ?1").bind(workspaceNumber);
    expect((await notices.all()).results).toHaveLength(1);
  }
  const mailFrom = {
    from_: { email: `hello@${mail.name}` },
    to: [{ email: "a@example.org" }],
    subject: "S",
    text: "T",
  };
  expect((await squatter.post("/v1/emails/", mailFrom)).status).toBe(422);
});

it("a name below a verified domain of another workspace is still refused", async () => {
  const [owner, squatter] = await Promise.all([aWorkspace(), aWorkspace()]);
  const name = uniqueDomainName();
  await insertDomain(owner, name);
  const claim = await register(squatter, `mail.${name}`);
  await publishRecords(claim);
  expect((await verify(squatter, claim.id)).status).toBe(409);
});
