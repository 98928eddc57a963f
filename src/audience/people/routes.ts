import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { pageQuery, setNextLink } from "../../http/pagination.ts";
import { query } from "../../http/validate.ts";
import { erasePerson, getErasure } from "./erase.ts";
import { ErasureOut } from "./erasure-schema.ts";
import { exportPerson } from "./export.ts";
import { cursorText, ExportAfter } from "./export-cursor.ts";
import { limits } from "./rules.ts";
import { PersonExportOut } from "./schema.ts";

const operation = operationsOf("People");

export const peopleRoutes = newRoutes()
  .get(
    "/v1/people/:email/export",
    operation("contacts:manage", "exportPerson", {
      summary: "Export what is stored about a person",
      description:
        "For owners and admins, with the scope `emails:view` too. Contacts, evidence of consent and emails continue on the next pages.",
      responses: responses(200, "A page of the export", PersonExportOut, [403, 404]),
    }),
    query(z.object({ limit: pageQuery(limits.emails).limit, after: ExportAfter })),
    async (c) => {
      const { limit, after } = c.req.valid("query");
      const { page, next } = await exportPerson(c.get("caller"), c.req.param("email"), { cursor: after, limit });
      if (next) setNextLink(c, { after: cursorText(next) });
      c.header("Cache-Control", "no-store");
      return c.json(page);
    },
  )
  .delete(
    "/v1/people/:email",
    operation("contacts:manage", "deletePerson", {
      summary: "Erase a person",
      description:
        "For owners and admins. Removes what sending stores about the person, in the background; the receipt says how far it is. A call while it runs returns the same receipt.",
      responses: responses(202, "The receipt", ErasureOut, [403, 404]),
    }),
    async (c) => c.json(await erasePerson(c.get("caller"), c.req.param("email")), 202),
  )
  .get(
    "/v1/people/erasures/:erasure_id",
    operation("contacts:manage", "getErasure", {
      summary: "Get the receipt of an erasure",
      description: "For owners and admins.",
      responses: responses(200, "The receipt", ErasureOut, [403, 404]),
    }),
    async (c) => c.json(await getErasure(c.get("caller"), c.req.param("erasure_id"))),
  );
