import { fromBase64 } from "../../../src/lib/bytes.ts";
import type { apiWith } from "../../support/workspace.ts";

/** A picture of one pixel. */
export const PNG = fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

/** Uploads a picture. */
export function uploadPicture(api: Pick<ReturnType<typeof apiWith>, "call">, bytes: Uint8Array<ArrayBuffer> = PNG) {
  const form = new FormData();
  form.set("file", new Blob([bytes]), "logo.png");
  const { headers, body } = new Response(form);
  return api.call("POST", "/v1/pictures", body ?? "", { "Content-Type": headers.get("Content-Type") ?? "" });
}
