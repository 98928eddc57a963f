/** The lower bounds for the memory of large messages: the same calls to R2, whose local emulation runs in the same process. */
import { readChunks } from "../src/lib/read-chunks.ts";
import { toReadable } from "../src/lib/readable.ts";

/** Puts the body of a request into R2 as it arrives. */
export async function baselinePut(request: Request, env: Env): Promise<Response> {
  const key = `baseline/${crypto.randomUUID()}`;
  await env.CONTENT.put(key, request.body);
  return Response.json({ key });
}

/** Responds with an object `times` times, as it is read. */
export async function baselineGet(request: Request, env: Env): Promise<Response> {
  const { key, times } = await request.json<{ key: string; times: number }>();
  return new Response(toReadable(objects(env, key, times)));
}

async function* objects(env: Env, key: string, times: number): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < times; n++) {
    const object = await env.CONTENT.get(key);
    if (object) for await (const chunk of readChunks(object.body)) yield chunk.slice();
  }
}

/** Copies an object into objects of `bytes` bytes each. */
export async function baselineSplit(request: Request, env: Env): Promise<Response> {
  const { key, bytes } = await request.json<{ key: string; bytes: number }>();
  const size = (await env.CONTENT.head(key))?.size ?? 0;
  for (let offset = 0; offset < size; offset += bytes) {
    const part = await env.CONTENT.get(key, { range: { offset, length: Math.min(bytes, size - offset) } });
    if (part) await env.CONTENT.put(`baseline/${crypto.randomUUID()}`, part.body);
  }
  return new Response();
}
