import { expect, it } from "vitest";
import { countingDb, planOf } from "../../support/counting-db.ts";
import { aCode, aGrant, anAccessToken } from "../../support/oauth.ts";
import { aSession } from "../../support/sessions.ts";
import { aMagicLink, randomIp } from "../../support/sign-ins.ts";
import { apiOn, aWorkspace, perTest } from "../../support/workspace.ts";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const ORIGIN = { Origin: "http://api.test" };
const PASSWORD = "correct horse battery staple";

const workspace = perTest(aWorkspace);

interface Request {
  method?: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  status: number;
}

/** Each operation, with the round trips to D1 that it makes, one after the other or at once. */
const operations: Record<string, { trips: number; prepare: () => Promise<Request> }> = {
  "a request with a session": {
    trips: 1,
    prepare: async () => ({ path: "/v1/me", headers: await cookies(), status: 200 }),
  },
  "a request with an OAuth token": {
    trips: 1,
    prepare: async () => ({
      path: "/v1/me",
      headers: { Authorization: `Bearer ${await anAccessToken(workspace)}` },
      status: 200,
    }),
  },
  "the home page: the session, then what it shows of each database": {
    trips: 3,
    prepare: async () => ({ path: "/app", headers: await cookies(), status: 200 }),
  },
  "the security page": {
    trips: 2,
    prepare: async () => ({ path: "/app/security", headers: await cookies(), status: 200 }),
  },
  "a sign-in by a link": {
    trips: 3,
    prepare: async () => ({ method: "POST", path: await aMagicLink(`owner@${workspace.domain}`), status: 303 }),
  },
  "a refresh of a session": {
    trips: 2,
    prepare: async () => ({
      method: "POST",
      path: "/auth/refresh",
      headers: { ...(await cookies()), ...ORIGIN },
      status: 200,
    }),
  },
  "a switch to another workspace": {
    trips: 2,
    prepare: async () => ({
      method: "POST",
      path: "/auth/workspace",
      body: { org_id: workspace.workspaceId },
      headers: { ...(await cookies()), ...ORIGIN },
      status: 200,
    }),
  },
  "a sign-in to webmail": {
    trips: 2,
    async prepare() {
      await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/password`, { password: PASSWORD });
      return {
        method: "POST",
        path: "/v1/webmail/login",
        body: { email: workspace.mailbox, password: PASSWORD },
        status: 200,
      };
    },
  },
  "the redemption of an OAuth code": {
    trips: 2,
    prepare: async () => token((await aCode(workspace)).fields),
  },
  "a refresh of an OAuth grant": {
    trips: 4,
    async prepare() {
      const { client, tokens } = await aGrant(workspace);
      return token({ grant_type: "refresh_token", client_id: client.id, refresh_token: tokens.refresh_token });
    },
  },
};

const token = (fields: Record<string, string>): Request => ({
  method: "POST",
  path: "/oauth/token",
  body: `${new URLSearchParams(fields)}`,
  headers: FORM,
  status: 200,
});

async function cookies(): Promise<Record<string, string>> {
  const { tokens } = await aSession(workspace);
  return { Cookie: `session=${tokens.accessToken}; refresh=${tokens.refreshToken}` };
}

for (const [name, { trips: expected, prepare }] of Object.entries(operations)) {
  it(`${name} takes ${expected} round trips to D1 and reads no table as a whole`, async () => {
    const { method = "GET", path, body, headers = {}, status } = await prepare();
    const { bindings, trips } = countingDb();
    const api = apiOn(bindings, null);
    const response = await api.call(method, path, body, { "CF-Connecting-IP": randomIp(), ...headers });
    expect(response.status).toBe(status);
    expect(trips.map(({ statements }) => statements.map(({ sql }) => sql.trim().slice(0, 60)))).toHaveLength(expected);
    for (const statement of trips.flatMap(({ statements }) => statements)) {
      const plan = await planOf(statement);
      // rollups_closed has one row; `a` are the assignees of one mailbox, which an index finds; a subquery
      // that is scanned ends at its LIMIT, and its own steps are in the plan too.
      const isSmall = /json_each|CONSTANT ROW|SCAN rollups_closed|SCAN a$|SCAN \(subquery-\d+\)$/;
      const scans = plan.filter((step) => /^SCAN /.test(step) && !isSmall.test(step));
      expect(scans, statement.sql).toEqual([]);
    }
  });
}
