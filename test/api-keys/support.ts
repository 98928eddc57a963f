import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { ApiKeyOut, NewApiKeyOut } from "../../src/api-keys/schema.ts";
import type { TestWorkspace } from "../support/workspace.ts";

type Api = Pick<TestWorkspace, "get" | "post" | "call">;

/** Makes a key through the API. */
export async function makeKey(api: Api, body: Record<string, unknown> = {}): Promise<NewApiKeyOut> {
  const response = await api.post("/v1/api-keys/", { name: "A key", ...body });
  expect(response.status).toBe(201);
  return response.json<NewApiKeyOut>();
}

export const rotate = (api: Api, id: string, headers?: Record<string, string>) =>
  api.call("POST", `/v1/api-keys/${id}/rotate`, undefined, headers);

export const revoke = (api: Api, id: string) => api.call("DELETE", `/v1/api-keys/${id}`);

export async function listed(api: Api, query = ""): Promise<ApiKeyOut[]> {
  return (await api.get(`/v1/api-keys/${query}`)).json<ApiKeyOut[]>();
}

/** The record without the key itself, as the list shows it. */
export const recordOf = ({ key: _key, ...record }: NewApiKeyOut): ApiKeyOut => record;

/** Status and detail of a refusal. */
export async function refusal(response: Response): Promise<[number, unknown]> {
  return [response.status, (await response.json<{ detail: unknown }>()).detail];
}

/** Where a 422 finds faults. */
export async function places(response: Response): Promise<string[]> {
  expect(response.status).toBe(422);
  const { detail } = await response.json<{ detail: { loc: (string | number)[] }[] }>();
  return detail.map(({ loc }) => loc.join("."));
}

/** A further domain of a workspace, pending. */
export async function aDomain(api: Api): Promise<string> {
  const response = await api.post("/v1/domains/", { name: `d${crypto.randomUUID().slice(0, 12)}.example` });
  expect(response.status).toBe(201);
  return (await response.json<{ id: string }>()).id;
}

/** A database in which something happens after a call has looked and before it writes. */
export function justBefore(happen: () => Promise<unknown>) {
  return {
    prepare: (sql: string) => env.DB.prepare(sql),
    async batch(statements: D1PreparedStatement[]) {
      await happen();
      return env.DB.batch(statements);
    },
  };
}

/** A database in which something happens just before one key is read, for the first time. */
export function justBeforeReading(happen: () => Promise<unknown>) {
  let happened = false;
  const watch = (prepared: D1PreparedStatement): D1PreparedStatement => {
    const { bind, raw } = prepared;
    return Object.assign(prepared, {
      bind: (...values: unknown[]) => watch(bind.apply(prepared, values)),
      async raw() {
        if (!happened) {
          happened = true;
          await happen();
        }
        return raw.apply(prepared);
      },
    });
  };
  return {
    prepare: (sql: string) => (sql.includes('from "api_keys"') ? watch(env.DB.prepare(sql)) : env.DB.prepare(sql)),
    batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements),
  };
}

/** Everything that D1 holds, as text. */
export async function databaseText(): Promise<string> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '_cf_%'",
  ).all<{ name: string }>();
  const tables = await env.DB.batch(results.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`)));
  return JSON.stringify(tables.map((table) => table.results));
}

export const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
