import { download } from "../../../http/download.ts";
import { newRoutes } from "../../../http/env.ts";
import { needs } from "../../../http/needs.ts";
import { openForwardedFile } from "./open.ts";

/** The files of emails that forwarding rules post. The link is the credential. */
export const forwardedFileRoutes = newRoutes().get("/forwarded-files/:token", needs("public"), async (c) => {
  const file = await openForwardedFile(c.get("ctx"), c.req.param("token"));
  return c.body(file.body, 200, download(file.filename, file.contentType));
});
