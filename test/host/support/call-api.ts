/** Calls the API and returns the JSON of the response, null when it has no body. A body is JSON or a form. Throws unless it is 2xx. */
export type CallApi = <Out = { id: string }>(method: string, path: string, body?: unknown) => Promise<Out>;

/** Returns a function that calls the API with a key. A host that is started again may have another URL. */
export function callerOf(url: string | (() => string | Promise<string>), apiKey: string): CallApi {
  return async <Out>(method: string, path: string, body?: unknown) => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${typeof url === "string" ? url : await url()}${path}`, {
      method,
      headers: { Authorization: `Bearer ${apiKey}`, ...(isForm ? {} : { "Content-Type": "application/json" }) },
      body: body === undefined ? null : isForm ? body : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === "" ? null : JSON.parse(text)) as Out;
  };
}
