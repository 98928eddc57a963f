import { multipart } from "../audience/contacts/csv-support.ts";
import type { TestWorkspace } from "../support/workspace.ts";
import type { RouteCase } from "./route-case.ts";

const upload = () => multipart(`GIF89a${crypto.randomUUID()}`);

const createPicture = async (workspace: TestWorkspace) => {
  const { body, headers } = upload();
  const response = await workspace.call("POST", "/v1/pictures", body, headers);
  return { picture_id: (await response.json<{ id: string }>()).id };
};

/** The routes of pictures, and the public page of a broadcast. */
export const pictureCases: Record<string, RouteCase> = {
  "POST /v1/pictures": { success: 201, body: () => upload().body, headers: upload().headers },
  "GET /v1/pictures": { success: 200 },
  "DELETE /v1/pictures/:picture_id": { success: 204, create: createPicture },
  "GET /i/:address": { success: 404 },
  "GET /w/:token": { success: 404 },
};
