import * as z from "zod";
import { clientOf, newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { needs } from "../../http/needs.ts";
import { noContent } from "../../http/no-content.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { respondPage } from "../../http/page.tsx";
import { refuseCrossSite } from "../../http/same-origin.ts";
import { body } from "../../http/validate.ts";
import { confirmForwardRequest, findForwardRequest } from "./confirm.ts";
import { createRule } from "./create.ts";
import { deleteRule } from "./delete.ts";
import { forwardConfirmedPage, forwardRequestPage, invalidForwardPage } from "./pages.tsx";
import { getRule, listRules } from "./queries.ts";
import { RuleIn, RuleOut, RulePatch, toRule } from "./schema.ts";
import { updateRule } from "./update.ts";

const operation = operationsOf("Forwarding rules");

export const forwardingRuleRoutes = newRoutes()
  .get(
    "/v1/forwarding-rules/",
    operation("domains:view", "listForwardingRules", {
      summary: "List forwarding rules in the order in which they are applied",
      responses: responses(200, "At most 200 rules", z.array(RuleOut), [403]),
    }),
    async (c) => c.json((await listRules(c.get("caller"))).map((row) => toRule(row))),
  )
  .post(
    "/v1/forwarding-rules/",
    operation("domains:manage", "createForwardingRule", {
      summary: "Create a forwarding rule",
      description:
        "Every active rule that matches forwards a copy of an email that is not spam; the email stays in its mailbox. An " +
        "address that is not a mailbox of the workspace gets a link, valid for 7 days, and no mail before it has confirmed. " +
        "A rule of type webhook posts the event email.inbound.forwarded to its URL, signed as the deliveries of webhooks are; the " +
        "links to files in it work for 24 hours. OAuth tokens are refused.",
      responses: responses(201, "The rule", RuleOut, [400, 403, 404, 409, 413, 415, 503]),
    }),
    ...body(RuleIn),
    idempotent(201),
    async (c) => c.json(await createRule(c.get("caller"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/forwarding-rules/:rule_id",
    operation("domains:view", "getForwardingRule", {
      summary: "Get a forwarding rule",
      responses: responses(200, "The rule", RuleOut, [403, 404]),
    }),
    async (c) => c.json(toRule(await getRule(c.get("caller"), c.req.param("rule_id")))),
  )
  .patch(
    "/v1/forwarding-rules/:rule_id",
    operation("domains:manage", "updateForwardingRule", {
      summary: "Change a forwarding rule",
      description: "Sends a new link to an address that has not confirmed, when the last one is older than an hour.",
      responses: responses(200, "The rule", RuleOut, [403, 404, 409, 413, 415, 503]),
    }),
    ...body(RulePatch),
    async (c) => c.json(await updateRule(c.get("caller"), c.req.param("rule_id"), c.req.valid("json"))),
  )
  .delete(
    "/v1/forwarding-rules/:rule_id",
    operation("domains:manage", "deleteForwardingRule", {
      summary: "Delete a forwarding rule",
      responses: responses(204, "Deleted", null, [403, 404]),
    }),
    (c) => noContent(c, deleteRule(c.get("caller"), c.req.param("rule_id"))),
  )
  .get("/forwards/:token", needs("public"), async (c) => {
    const request = await findForwardRequest(c.get("ctx"), c.req.param("token"));
    return request
      ? respondPage(c, forwardRequestPage(request))
      : respondPage(c, invalidForwardPage(), { status: 404 });
  })
  .post("/forwards/:token", needs("public"), async (c) => {
    refuseCrossSite(c);
    const request = await confirmForwardRequest(c.get("ctx"), c.req.param("token"), clientOf(c).ip);
    return request
      ? respondPage(c, forwardConfirmedPage(request))
      : respondPage(c, invalidForwardPage(), { status: 404 });
  });
