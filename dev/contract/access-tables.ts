import { roleScopes, scopes } from "../../src/access/accounts/scopes.ts";
import { app } from "../../src/app.ts";
import { RouteIndex } from "../../src/http/route-index.ts";
import { changes } from "../../src/identity/members/rules.ts";
import { actions } from "../../src/platform/audit/actions.ts";
import { tools } from "../../src/web/mcp/tools/index.ts";
import { code, codes, table } from "./markdown.ts";

const routes = new RouteIndex(app);

/** Returns whether tokens of OAuth may call a route that their scopes permit. */
function mayOauth(route: string): string {
  const outliving = routes.outlivingOf(route);
  if (!outliving) return "yes";
  return outliving.when === null ? "refused" : `refused when ${outliving.when}`;
}

const yes = (condition: boolean) => (condition ? "yes" : "no");

/** Tables of who may do what. */
export const accessTables = {
  scopes: () =>
    table(
      ["scope", "permits", "owner, admin", "member"],
      Object.entries(scopes).map(([scope, text]) => [
        code(scope),
        text,
        yes(roleScopes.admin.includes(scope as keyof typeof scopes)),
        yes(roleScopes.member.includes(scope as keyof typeof scopes)),
      ]),
    ),
  routes: () =>
    table(
      ["route", "scope", "OAuth tokens"],
      [...routes.scopes]
        .filter(([route]) => / \/v1\//.test(route))
        .sort(([a], [b]) => comparePaths(a, b))
        .map(([route, scope]) => [
          // As in OpenAPI, with the names of parameters in braces.
          code(route.replace(/:(\w+)/g, "{$1}")),
          code(scope),
          ["session", "platform_admin", "public"].includes(scope) ? "" : mayOauth(route),
        ]),
    ),
  "role-changes": () =>
    table(
      ["by", "of", "to"],
      [...Map.groupBy(changes, ({ by, from }) => `${by} ${from}`).values()].map((rows) => [
        rows[0]?.by ?? "",
        rows[0]?.from ?? "",
        rows.map(({ to }) => to).join(", "),
      ]),
    ),
  "mcp-tools": () =>
    table(
      ["tool", "does", "scope", "effect"],
      tools.map(({ name, title, route, effect }) => [
        code(name),
        title,
        code(routes.scopes.get(route) ?? "any"),
        effect ?? "read",
      ]),
    ),
  "audit-actions": () => codes(Object.keys(actions)),
};

function comparePaths(a: string, b: string): number {
  const [pathOfA, pathOfB] = [a, b].map((route) => route.slice(route.indexOf(" ")));
  return pathOfA === pathOfB ? (a < b ? -1 : 1) : (pathOfA ?? "") < (pathOfB ?? "") ? -1 : 1;
}
