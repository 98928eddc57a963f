import { env } from "cloudflare:workers";
import { scopes } from "../../../../src/access/accounts/scopes.ts";
import { folderBudgets } from "../../../../src/platform/budgets/objects.ts";
import { r2Keys } from "../../../../src/platform/db/r2-keys.ts";
import { multipart } from "../../../audience/contacts/csv-support.ts";
import { emailOf, insertInvitation } from "../../../support/invitations.ts";
import { aSession } from "../../../support/sessions.ts";
import { aTransferTarget } from "../../../support/transfers.ts";
import { aMember, apiWith, aWorkspace, type TestWorkspace } from "../../../support/workspace.ts";
import { type Attack, anAddress, posting, postingTo, textOf } from "./attack.ts";

const aKeyBody = () => ({ name: textOf(100), scopes: Object.keys(scopes) });
const createKey = (attacker: TestWorkspace) => attacker.create("/v1/api-keys/", aKeyBody());

/** Greatest picture, in bytes. */
const PICTURE_BYTES = 5 * 1024 * 1024;
/** Pictures that an attack uploads before the end of the budget. */
const LAST_PICTURES = 5;

const aPicture = () => multipart(`GIF89a${textOf(PICTURE_BYTES - 6)}`);

/** Attacks by accounts: keys, members, workspaces and pictures. */
export const identityAttacks: readonly Attack[] = [
  posting("POST /v1/api-keys/", aKeyBody, { budgets: { api_keys: 6 } }),
  {
    operation: "POST /v1/api-keys/:api_key_id/rotate",
    prepare: async (attacker) => {
      let { id } = await createKey(attacker);
      return async () => {
        const response = await attacker.post(`/v1/api-keys/${id}/rotate`, undefined);
        if (response.ok) ({ id } = await response.clone().json<{ id: string }>());
        return response;
      };
    },
  },
  {
    operation: "DELETE /v1/api-keys/:api_key_id",
    way: "of a new key",
    requests: 2,
    prepare: async (attacker) => async () => attacker.call("DELETE", `/v1/api-keys/${(await createKey(attacker)).id}`),
  },
  {
    operation: "POST /v1/workspaces/",
    calls: 25,
    prepare: async (attacker) => {
      const session = await aSession(attacker);
      return () => session.post("/v1/workspaces/", { name: textOf(100) });
    },
  },
  postingTo(
    "POST /v1/workspaces/:workspace_id/invitations",
    async ({ workspaceId }) => {
      await aTransferTarget();
      return `/v1/workspaces/${workspaceId}/invitations`;
    },
    () => ({ email: anAddress() }),
    { budgets: { invitations: 6 } },
  ),
  {
    operation: "DELETE /v1/workspaces/:workspace_id/invitations/:invitation_id",
    way: "of a new invitation",
    requests: 2,
    calls: 25,
    prepare: async (attacker) => {
      await aTransferTarget();
      const path = `/v1/workspaces/${attacker.workspaceId}/invitations`;
      return async () => {
        const created = await attacker.post(path, { email: anAddress() });
        if (!created.ok) return created;
        return attacker.call("DELETE", `${path}/${(await created.json<{ id: string }>()).id}`);
      };
    },
  },
  {
    operation: "POST /v1/invitations/:token/accept",
    budgets: { memberships: 6 },
    prepare: async (attacker) => {
      const other = await aWorkspace();
      return async () => {
        const user = await aMember(other, "member");
        const { token } = await insertInvitation(attacker, { email: await emailOf(user.userId) });
        const session = await aSession({ ...other, userId: user.userId });
        return session.post(`/v1/invitations/${token}/accept`, undefined);
      };
    },
  },
  {
    operation: "POST /v1/pictures",
    calls: LAST_PICTURES + 1,
    prepare: async (attacker) => {
      const stored = folderBudgets.pictures.rows - LAST_PICTURES;
      const key = (n: number) => r2Keys.picture(attacker.workspaceId, `${String(n).padStart(32, "0")}.gif`);
      await Promise.all(Array.from({ length: stored }, (_, n) => env.CONTENT.put(key(n), "GIF89a")));
      return () => {
        const { body, headers } = aPicture();
        return attacker.call("POST", "/v1/pictures", body, headers);
      };
    },
  },
  {
    operation: "PATCH /v1/workspaces/:workspace_id/members/:user_id",
    prepare: async (attacker) => {
      const { userId } = await aMember(attacker, "member");
      const path = `/v1/workspaces/${attacker.workspaceId}/members/${userId}`;
      return (n) => attacker.call("PATCH", path, { role: n % 2 === 0 ? "admin" : "member" });
    },
  },
  {
    operation: "POST /oauth/register",
    calls: 25,
    prepare: async () => (n) =>
      apiWith(null).call(
        "POST",
        "/oauth/register",
        { client_name: `Client ${n}`, redirect_uris: [`https://client.example/${textOf(900).replace(" ", "/")}`] },
        { "CF-Connecting-IP": "198.51.100.7" },
      ),
  },
  {
    operation: "POST /auth/magic-link",
    calls: 25,
    prepare: async () => {
      await aTransferTarget();
      return () =>
        apiWith(null).call("POST", "/auth/magic-link", { email: anAddress() }, { "CF-Connecting-IP": "198.51.100.7" });
    },
  },
];
