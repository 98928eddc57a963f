import * as z from "zod";
import { named } from "../../../lib/serialize.ts";
import type { AssignmentRow, EgressState } from "./queries.ts";

/** An egress of the deployment. */
export const EgressOut = z
  .object({
    name: z.string().describe("`main` (EGRESS_URL), `bulk` (BULK_EGRESS_URL) or a name of NAMED_EGRESS_URLS."),
    host: z.string().nullable().describe("Its host name. Null: its setting cannot be used."),
    issue: z.string().nullable().describe("Why its setting cannot be used, so that its mail waits."),
  })
  .meta(named("Egress", { name: "east", host: "relay-east.example.com", issue: null }));

/** A workspace or a domain with an egress of its own. */
export const EgressAssignmentOut = z
  .object({
    egress: z.string(),
    workspace_id: z.uuid(),
    workspace_name: z.string(),
    domain: z
      .string()
      .nullable()
      .describe("The domain. Null: all mail of the workspace whose domain has none of its own."),
    issue: z.string().nullable().describe("Why this egress cannot be used, so that the mail waits."),
  })
  .meta(
    named("EgressAssignment", {
      egress: "east",
      workspace_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a06",
      workspace_name: "Example Shop",
      domain: "example.com",
      issue: null,
    }),
  );

/** The egress that a workspace or a domain gets. */
export const EgressIn = z
  .object({ egress: z.string().min(1).max(32).describe("A name of NAMED_EGRESS_URLS.") })
  .meta(named("EgressIn", { egress: "east" }));

/** Serializes an egress. */
export const toEgressOut = ({ name, host, issue }: EgressState): z.output<typeof EgressOut> => ({ name, host, issue });

/** Serializes an assignment. */
export const toAssignment = ({ id: _, ...row }: AssignmentRow): z.output<typeof EgressAssignmentOut> => row;
