import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { newRoutes } from "../../http/env.ts";
import { fileBody } from "../../http/file-body.ts";
import { needs } from "../../http/needs.ts";
import { uploadBody } from "../../http/openapi.ts";
import { inMiB } from "../../lib/bytes.ts";
import { folderBudgets } from "../../platform/budgets/objects.ts";
import { deletePicture } from "./delete.ts";
import { findPicture, listPictures } from "./queries.ts";
import { limits } from "./rules.ts";
import { PictureOut } from "./schema.ts";
import { uploadPicture } from "./upload.ts";

const apiOfPictures = apiRoutes("Pictures")
  .post("/v1/pictures", "addPicture", "templates:manage", outlives.nothing, {
    summary: "Upload a picture for emails and pages",
    description: `PNG, JPEG, GIF or WebP, by its content; at most ${inMiB(limits.bytes)}. A workspace has at most ${folderBudgets.pictures.rows.toLocaleString("en")}. A file that it has already keeps its id and URL.`,
    requestBody: uploadBody({ example: "GIF89a" }),
    before: fileBody("file", limits.bytes),
    once: false,
    returns: { 201: ["The picture with its public URL", PictureOut] },
    errors: [408, 409, 413, 415],
    run: (caller, _, c) => uploadPicture(caller, new Uint8Array(c.get("file") ?? [])),
  })
  .get("/v1/pictures", "listPictures", "templates:view", {
    summary: "List pictures, newest first",
    returns: { 200: ["All pictures of the workspace", z.array(PictureOut)] },
    run: listPictures,
  })
  .delete("/v1/pictures/:picture_id", "deletePicture", "templates:manage", outlives.nothing, {
    summary: "Delete a picture",
    description:
      "Its URL is a 404 from then on, also in emails that were sent. Copies in caches stay until they expire.",
    returns: { 204: "Deleted" },
    run: (caller, { picture_id }) => deletePicture(caller, picture_id),
  });

/** The API of pictures, and their public addresses. */
export const pictureRoutes = newRoutes()
  .route("/", apiOfPictures.app)
  .get("/i/:address", needs("public"), async (c) => {
    const { object, mediaType } = await findPicture(c.get("ctx"), c.req.param("address"));
    return c.body(object.body, 200, {
      "Content-Type": mediaType,
      "Content-Length": String(object.size),
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "Cross-Origin-Resource-Policy": "cross-origin",
      // A picture never changes: another file has another address.
      "Cache-Control": "public, max-age=31536000, immutable",
    });
  });
