import * as z from "zod";
import { scopes } from "../../access/accounts/scopes.ts";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { lineField } from "../../lib/text-fields.ts";
import type { ApiKeyRow } from "./queries.ts";
import { limits } from "./rules.ts";

/** Request and response schemas of the API keys API. */

const Name = lineField("name", limits.nameCharacters);

export const ApiKeyIn = z
  .object({
    name: Name,
    scopes: z
      .array(
        z.enum(
          ["*", ...Object.keys(scopes)],
          `scopes must contain only the scopes *, ${Object.keys(scopes).join(", ")}`,
        ),
      )
      .min(1)
      .max(limits.scopes)
      .nullish()
      .describe("At most the caller's scopes. Omitted: all of the caller's scopes."),
    expires_at: z
      .string()
      .nullish()
      .meta({ format: "date-time" })
      .describe("With an offset, at most 10 years ahead. Omitted: the expiry of the calling key. null: never."),
    domain_ids: z
      .array(z.string().toLowerCase().meta({ format: "uuid" }))
      .min(1)
      .max(limits.domains)
      .nullish()
      .describe(
        "Ids of the domains that the key is restricted to. Omitted: those of the calling key. null: not restricted.",
      ),
  })
  .meta(named("ApiKeyCreate", { name: "Shop server", scopes: ["emails:send"], expires_at: null }));
export type ApiKeyIn = z.output<typeof ApiKeyIn>;

const example = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a04",
  name: "Shop server",
  prefix: "svc_k_wAZ4zrAh",
  scopes: ["emails:send"],
  domain_ids: null,
  user_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05",
  last_used_at: null,
  created_at: "2026-11-21T14:00:00.000Z",
  expires_at: null,
  revoked_at: null,
  replaced_by_id: null,
};

export const ApiKeyOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    prefix: z.string().describe("The first characters of the key."),
    scopes: z
      .array(z.string())
      .describe("As granted. Requests are further limited to what the role of the key's user allows."),
    domain_ids: z
      .array(z.uuid())
      .nullable()
      .describe("Ids of the domains that the key is restricted to; null: not restricted."),
    user_id: z.uuid().describe("The user that the key acts as."),
    last_used_at: timestamp.nullable().describe("Accurate to one minute."),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    revoked_at: timestamp.nullable(),
    replaced_by_id: z.uuid().nullable().describe("Id of the key that replaced this one by rotation."),
  })
  .meta(named("ApiKey", example));
export type ApiKeyOut = z.output<typeof ApiKeyOut>;

export const NewApiKeyOut = ApiKeyOut.extend({
  key: z.string().describe("The secret key. Shown in this response only."),
}).meta(named("NewApiKey", { ...example, key: "svc_k_wAZ4zrAh30bbn5jqvKFSICJDk0QG1u6qyn0lFssn" }));
export type NewApiKeyOut = z.output<typeof NewApiKeyOut>;

/** Serializes an API key without its secret. */
export const toApiKey = (row: ApiKeyRow): ApiKeyOut => serialize(ApiKeyOut, row);
