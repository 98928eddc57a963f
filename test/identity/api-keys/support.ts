import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { ApiKeyOut, NewApiKeyOut } from "../../../src/identity/api-keys/schema.ts";
import type { TestWorkspace } from "../../support/workspace.ts";

type Api = Pick<TestWorkspace, "get" | "post" | "call">;

/** Creates an API key through the API. */
export async function createKey(api: Api, body: Record<string, unknown> = {}): Promise<NewApiKeyOut> {
  const response = await api.post("/v1/api-keys/", { name: "A key", ...body });
  expect(response.status).toBe(201);
  return response.json<NewApiKeyOut>();
}

export const rotate = (api: Api, id: string, headers?: Record<string, string>) =>
  api.call("POST", `/v1/api-keys/${id}/rotate`, undefined, headers);

export const revoke = (api: Api, id: string) => api.call("DELETE", `/v1/api-keys/${id}`);

/** Returns the API keys that the list shows. */
export async function listKeys(api: Api, query = ""): Promise<ApiKeyOut[]> {
  return (await api.get(`/v1/api-keys/${query}`)).json<ApiKeyOut[]>();
}

/** Returns the record without the secret key, as the list shows it. */
export const recordOf = ({ key: _key, ...record }: NewApiKeyOut): ApiKeyOut => record;

/** Returns the status and the detail of an error response. */
export async function errorOf(response: Response): Promise<[number, unknown]> {
  return [response.status, (await response.json<{ detail: unknown }>()).detail];
}

/** Returns the places that a 422 response names. */
export async function errorPaths(response: Response): Promise<string[]> {
  expect(response.status).toBe(422);
  const { detail } = await response.json<{ detail: { loc: (string | number)[] }[] }>();
  return detail.map(({ loc }) => loc.join("."));
}

/** Registers a pending domain and returns its id. */
export async function createDomain(api: Api): Promise<string> {
  const response = await api.post("/v1/domains/", { name: `d${crypto.randomUUID().slice(0, 12)}.example` });
  expect(response.status).toBe(201);
  return (await response.json<{ id: string }>()).id;
}

/** Returns a database that runs `interfere` before each batch, so after a request has read and before it writes. */
export function beforeBatch(interfere: () => Promise<unknown>) {
  return {
    prepare: (sql: string) => env.DB.prepare(sql),
    async batch(statements: D1PreparedStatement[]) {
      await interfere();
      return env.DB.batch(statements);
    },
  };
}

/** Returns a database that runs `interfere` before the first read of an API key by id. */
export function beforeFirstKeyRead(interfere: () => Promise<unknown>) {
  let isDone = false;
  const intercept = (prepared: D1PreparedStatement): D1PreparedStatement => {
    const { bind, raw } = prepared;
    return Object.assign(prepared, {
      bind: (...values: unknown[]) => intercept(bind.apply(prepared, values)),
      async raw() {
        if (!isDone) {
          isDone = true;
          await interfere();
        }
        return raw.apply(prepared);
      },
    });
  };
  return {
    prepare: (sql: string) => (sql.includes('from "api_keys"') ? intercept(env.DB.prepare(sql)) : env.DB.prepare(sql)),
    batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements),
  };
}

/** Returns all rows of all tables in all databases as text. */
export async function dumpDatabase(): Promise<string> {
  const dumps: unknown[] = [];
  for (const db of [env.DB, env.MAIL_0, env.MAIL_1]) {
    const { results } = await db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '_cf_%'")
      .all<{ name: string }>();
    const tables = await db.batch(results.map(({ name }) => db.prepare(`SELECT * FROM "${name}"`)));
    dumps.push(...tables.map((table) => table.results));
  }
  return JSON.stringify(dumps);
}

export const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
