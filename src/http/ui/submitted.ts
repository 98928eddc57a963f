import { createContext, useContext } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { FormValues } from "../../lib/form-version.ts";

/** Why a form was refused: what its page shows beside the values that were filled in. */
export interface Refusal {
  status: ContentfulStatusCode;
  message: string;
  /** By the name of the field. */
  errors: ReadonlyMap<string, string>;
  /** Pages of what stops the request. */
  links?: readonly { href: string; label: string }[];
  /** Values that were stored meanwhile, by label, and their version, with which the form can be submitted again. */
  stored?: FormValues;
  version?: string;
}

/** The form that a request has submitted. The page of the response fills it in again, and says why it was refused. */
export interface Submitted {
  /** `get` for a search. */
  method: "get" | "post";
  /** The fields as they were filled in. Absent: the action of a button, or a search. */
  fields?: URLSearchParams | undefined;
  /** Absent: it was not refused. */
  refusal?: Refusal | undefined;
  /** True once an element of the page has said why it was refused, so that no other does. */
  isSaid: boolean;
}

/** The path of a page, and what was submitted there. */
interface Shown {
  path: string;
  submitted?: Submitted | undefined;
}

/** Returns what was submitted to the path of a form, by default that of the page. */
export function submittedTo({ path, submitted }: Shown, action: string = path, method: "get" | "post" = "post") {
  const isForm = submitted?.method === method && action.split("?")[0]?.toLowerCase() === path.toLowerCase();
  return isForm ? submitted : undefined;
}

/** The submission of the form around a field. Undefined: another form, or none, was submitted. */
export const SubmittedContext = createContext<Submitted | undefined>(undefined);

/** Returns the error of a field. */
export const useError = (name: string): string | undefined => useContext(SubmittedContext)?.refusal?.errors.get(name);

/** Returns what was filled in a field, or `value` when it was not submitted. */
export function useValue<Value>(name: string, value: Value): string | Value {
  return useContext(SubmittedContext)?.fields?.get(name)?.replaceAll("\r\n", "\n") ?? value;
}

/** Returns whether a box was checked, or `checked` when its form was not submitted. */
export function useChecked(name: string, value: string, checked: boolean): boolean {
  const { fields } = useContext(SubmittedContext) ?? {};
  return fields ? fields.getAll(name).includes(value) : checked;
}
