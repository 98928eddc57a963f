import { z } from "zod";
import { scopes } from "../accounts/index.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import type { ApiKeyRow } from "./queries.ts";
import { isNameLength, isShowable, limits } from "./rules.ts";

/** Shapes of the API keys API (decisions 3). */

const Name = z
  .string()
  .refine(isShowable, "A name must not contain control characters or line breaks")
  .trim()
  .refine(isNameLength, `A name has 1 to ${limits.nameCharacters} characters`)
  .meta({ minLength: 1, maxLength: limits.nameCharacters });

export const ApiKeyIn = z
  .object({
    name: Name,
    scopes: z
      .array(z.enum(["*", ...Object.keys(scopes)], "Not a scope"))
      .min(1)
      .max(limits.scopes)
      .nullish()
      .describe("At most what the caller has. Omitted: all that the caller has."),
    expires_at: z
      .string()
      .nullish()
      .meta({ format: "date-time" })
      .describe("With an offset; at most 10 years ahead. Omitted: as the caller's own key. null: never."),
    domain_ids: z
      .array(z.string())
      .min(1)
      .max(limits.domains)
      .nullish()
      .describe("The only domains the key may use. Omitted: those of the caller. null: every domain."),
  })
  .meta({ ref: "ApiKeyCreate" });
export type ApiKeyIn = z.output<typeof ApiKeyIn>;

const timestamp = z.string().meta({ format: "date-time" });

export const ApiKeyOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    prefix: z.string().describe("How the key begins."),
    scopes: z.array(z.string()).describe("As granted; in effect they are cut down to what its maker's role allows."),
    domain_ids: z.array(z.uuid()).nullable().describe("The only domains it may use; null: every domain."),
    user_id: z.uuid().describe("Whose it is, and as whom it acts."),
    last_used_at: timestamp.nullable().describe("To the minute."),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    revoked_at: timestamp.nullable(),
    replaced_by_id: z.uuid().nullable().describe("The key that a rotation put in its place."),
  })
  .meta({ ref: "ApiKey" });
export type ApiKeyOut = z.output<typeof ApiKeyOut>;

export const NewApiKeyOut = ApiKeyOut.extend({ key: z.string().describe("The key itself, shown this once.") }).meta({
  ref: "NewApiKey",
});
export type NewApiKeyOut = z.output<typeof NewApiKeyOut>;

export function toApiKey(row: ApiKeyRow): ApiKeyOut {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes,
    domain_ids: row.domainIds,
    user_id: row.userId,
    last_used_at: isoOrNull(row.lastUsedAt),
    created_at: iso(row.createdAt),
    expires_at: isoOrNull(row.expiresAt),
    revoked_at: isoOrNull(row.revokedAt),
    replaced_by_id: row.replacedById,
  };
}
