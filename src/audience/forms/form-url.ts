import type { Ctx } from "../../platform/context.ts";
import { type FormReference, newFormToken } from "./token.ts";

/** Returns the address of the page of a form. */
export async function formUrl({ settings }: Ctx, form: FormReference): Promise<string> {
  return `${new URL(settings.publicUrl).origin}/f/${await newFormToken(settings.masterKeys, form)}`;
}
