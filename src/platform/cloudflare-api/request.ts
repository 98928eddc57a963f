import * as z from "zod";
import { utf8Length } from "../../lib/bytes.ts";
import { tryOr } from "../../lib/try-or.ts";
import { readBody } from "../public-urls/post.ts";

/** A call of Cloudflare's API v4. Its token is in no error. */
export interface ApiCall {
  token: string;
  method: string;
  url: string;
  body?: object | undefined;
  timeoutMs: number;
  /** Bytes of the response that are read. */
  maxBytes: number;
}

export interface ApiResponse {
  status: number;
  headers: Headers;
  /** True when the call was done. */
  isDone: boolean;
  /** Null: the body is not as documented, so that another server may have sent it. */
  errors: readonly { code: number; message: string }[] | null;
  result: unknown;
}

const Envelope = z.object({
  // The response to a deletion of a custom hostname has the id alone.
  success: z.boolean().default(true),
  errors: z.array(z.object({ code: z.number(), message: z.string().default("") })).default([]),
  result: z.unknown().optional(),
});

/** Makes one call, without redirects. Throws when there is no response in `timeoutMs`, or it has more than `maxBytes`. */
export async function callCloudflare({ token, method, url, body, timeoutMs, maxBytes }: ApiCall): Promise<ApiResponse> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body ? { "Content-Type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    redirect: "manual",
    signal,
  });
  const { status, ok, headers } = response;
  const { body: text, isComplete } = await readBody(response.body, maxBytes + 1, signal);
  if (!isComplete) throw new Error(`the response did not end within ${timeoutMs} ms`);
  if (utf8Length(text) > maxBytes) throw new Error(`the response has more than ${maxBytes} bytes`);
  const { data } = Envelope.safeParse(tryOr(() => JSON.parse(text), null));
  return {
    status,
    headers,
    result: data?.result,
    isDone: ok && data?.success === true,
    errors: data?.errors ?? null,
  };
}
