import * as z from "zod";
import { named } from "../../lib/serialize.ts";

export const MagicLinkIn = z
  .object({
    email: z.string().max(508).meta({ format: "email" }),
    next: z.string().max(1_000).optional().describe("Path of this service that the sign-in leads to."),
  })
  .meta(named("MagicLinkRequest", { email: "ada@example.com" }));

export const MagicLinkOut = z
  .object({ detail: z.string() })
  .meta(named("MagicLinkAnswer", { detail: "A sign-in link is sent if the address has an account" }));
