/** Reads the body of a response as UTF-8. Throws when it has more bytes than `max`, without reading the rest. */
export async function readBounded(response: Response, max: number): Promise<string> {
  if (!response.body) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength;
    if (bytes > max) {
      await reader.cancel();
      throw new Error(`the response has more than ${max} bytes`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
