/** What may be wrong with a send request, in the one shape that send, validate and batch share. */

/** One thing that keeps a request from being sent. `status` and `loc` are what a send answers with. */
export interface Issue {
  field: "account" | "from" | "to" | "content";
  status: 400 | 403 | 413 | 422;
  loc: (string | number)[];
  type: string;
  error: string;
}

/** A fault of the request: 422. */
export const invalid = (field: Issue["field"], loc: Issue["loc"], error: string, type = "value_error"): Issue => ({
  field,
  status: 422,
  loc,
  type,
  error,
});
