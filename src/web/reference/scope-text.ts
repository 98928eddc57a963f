import { isServiceScope, type RequiredScope, scopes } from "../../access/accounts/scopes.ts";

/** Returns the sentence that says who may call an operation. */
export function scopeText(need: RequiredScope): string {
  if (need === "public" || need === "page") return "Needs no authentication.";
  if (need === "any") return "Every API key and session may call it.";
  if (need === "session") return "Needs a signed-in user; API keys are refused.";
  if (need === "platform_admin") return "Needs a signed-in administrator of the service; API keys are refused.";
  if (isServiceScope(need)) return "Takes requests of the service's own programs only.";
  return `Scope ${need}: ${scopes[need]}`;
}
