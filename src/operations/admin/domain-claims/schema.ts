import * as z from "zod";
import { named, serialize, timestamp } from "../../../lib/serialize.ts";
import type { DomainClaimRow } from "./queries.ts";

export const DomainClaimOut = z
  .object({
    domain_id: z.uuid(),
    name: z.string(),
    workspace_id: z.uuid(),
    workspace_name: z.string(),
    verified_at: timestamp.nullable(),
  })
  .meta(
    named("DomainClaim", {
      domain_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a02",
      name: "example.com",
      workspace_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a06",
      workspace_name: "Example Shop",
      verified_at: "2026-11-21T14:00:00.000Z",
    }),
  );

export const toDomainClaim = (row: DomainClaimRow) => serialize(DomainClaimOut, row);
