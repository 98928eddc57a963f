import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { pageQuery, setNextLink } from "../../http/pagination.ts";
import { erasePerson, getErasure } from "./erase.ts";
import { ErasureOut } from "./erasure-schema.ts";
import { exportPerson } from "./export.ts";
import { cursorText, ExportAfter } from "./export-cursor.ts";
import { limits } from "./rules.ts";
import { PersonExportOut } from "./schema.ts";

export const peopleRoutes = apiRoutes("People")
  .get("/v1/people/:email/export", "exportPerson", "contacts:manage", {
    summary: "Export what is stored about a person",
    description:
      "For owners and admins, with the scope `emails:view` too. Contacts, evidence of consent and emails continue on the next pages.",
    query: z.object({ limit: pageQuery(limits.emails).limit, after: ExportAfter }),
    returns: { 200: ["A page of the export", PersonExportOut] },
    run: async (caller, { email, query }, c) => {
      const { page, next } = await exportPerson(caller, email, { cursor: query.after, limit: query.limit });
      if (next) setNextLink(c, { after: cursorText(next) });
      c.header("Cache-Control", "no-store");
      return page;
    },
  })
  .delete("/v1/people/:email", "deletePerson", "contacts:manage", outlives.nothing, {
    summary: "Erase a person",
    description:
      "For owners and admins. Removes what sending stores about the person, in the background; the receipt says how far it is. A call while it runs returns the same receipt.",
    returns: { 202: ["The receipt", ErasureOut] },
    run: (caller, { email }) => erasePerson(caller, email),
  })
  .get("/v1/people/erasures/:erasure_id", "getErasure", "contacts:manage", {
    summary: "Get the receipt of an erasure",
    description: "For owners and admins.",
    returns: { 200: ["The receipt", ErasureOut] },
    run: (caller, { erasure_id }) => getErasure(caller, erasure_id),
  });
