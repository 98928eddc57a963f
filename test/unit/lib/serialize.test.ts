import { describe, expect, it } from "vitest";
import * as z from "zod";
import { serialize } from "../../../src/lib/serialize.ts";

const schema = z.object({
  id: z.string(),
  domain_ids: z.array(z.string()).nullable(),
  created_at: z.string(),
  revoked_at: z.string().nullable(),
  bounce_rate: z.number(),
  warning: z.string().optional(),
});

describe("serialize", () => {
  it("names fields in snake case, and writes times in ISO 8601", () => {
    const row = { id: "a", domainIds: ["b"], createdAt: 0, revokedAt: null, bounceRate: 7 };
    expect(serialize(schema, row)).toEqual({
      id: "a",
      domain_ids: ["b"],
      created_at: "1970-01-01T00:00:00.000Z",
      revoked_at: null,
      bounce_rate: 7,
    });
  });

  it("leaves out columns that the schema does not have", () => {
    const row = { id: "a", domainIds: null, createdAt: 0, revokedAt: 1, bounceRate: 0, hash: "secret" };
    expect(Object.keys(serialize(schema, row))).toEqual(Object.keys(schema.shape));
  });
});
