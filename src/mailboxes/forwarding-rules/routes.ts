import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { clientOf } from "../../http/env.ts";
import { needs } from "../../http/needs.ts";
import { respondPage } from "../../http/page.tsx";
import { refuseCrossSite } from "../../http/same-origin.ts";
import { confirmForwardRequest, findForwardRequest } from "./confirm.ts";
import { createRule } from "./create.ts";
import { deleteRule } from "./delete.ts";
import { forwardConfirmedPage, forwardRequestPage, invalidForwardPage } from "./pages.tsx";
import { getRule, listRules } from "./queries.ts";
import { RuleIn, RuleOut, RulePatch, toRule } from "./schema.ts";
import { updateRule } from "./update.ts";

export const forwardingRuleRoutes = apiRoutes("Forwarding rules")
  .get("/v1/forwarding-rules/", "listForwardingRules", "domains:view", {
    summary: "List forwarding rules in the order in which they are applied",
    reads: outlives.forward,
    returns: { 200: ["At most 200 rules", z.array(RuleOut)] },
    run: async (caller) => (await listRules(caller)).map((row) => toRule(row)),
  })
  .post("/v1/forwarding-rules/", "createForwardingRule", "domains:manage", outlives.forward, {
    summary: "Create a forwarding rule",
    description:
      "Every active rule that matches forwards a copy of an email that is not spam; the email stays in its mailbox. An " +
      "address that is not a mailbox of the workspace gets a link, valid for 7 days, and no mail before it has confirmed. " +
      "A rule of type webhook posts the event email.inbound.forwarded to its URL, signed as the deliveries of webhooks are; the " +
      "links to files in it work for 24 hours. OAuth tokens are refused.",
    body: RuleIn,
    returns: { 201: ["The rule", RuleOut] },
    errors: [400, 404, 503],
    run: (caller, { body }) => createRule(caller, body),
  })
  .get("/v1/forwarding-rules/:rule_id", "getForwardingRule", "domains:view", {
    summary: "Get a forwarding rule",
    reads: outlives.forward,
    returns: { 200: ["The rule", RuleOut] },
    run: async (caller, { rule_id }) => toRule(await getRule(caller, rule_id)),
  })
  .patch("/v1/forwarding-rules/:rule_id", "updateForwardingRule", "domains:manage", outlives.forward, {
    summary: "Change a forwarding rule",
    description: "Sends a new link to an address that has not confirmed, when the last one is older than an hour.",
    body: RulePatch,
    returns: { 200: ["The rule", RuleOut] },
    errors: [409, 503],
    run: (caller, { rule_id, body }) => updateRule(caller, rule_id, body),
  })
  .delete("/v1/forwarding-rules/:rule_id", "deleteForwardingRule", "domains:manage", outlives.nothing, {
    summary: "Delete a forwarding rule",
    returns: { 204: "Deleted" },
    run: (caller, { rule_id }) => deleteRule(caller, rule_id),
  })
  .app.get("/forwards/:token", needs("public"), async (c) => {
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
