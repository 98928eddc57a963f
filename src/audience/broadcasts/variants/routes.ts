import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { noContent } from "../../../http/no-content.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { bodyWithLongTexts } from "../../../http/validate.ts";
import { getBroadcast } from "../queries.ts";
import { contentFields, limits } from "../rules.ts";
import { createVariant } from "./create.ts";
import { deleteVariant } from "./delete.ts";
import { findVariants, toVariant } from "./queries.ts";
import { VariantIn, VariantOut, VariantPatch } from "./schema.ts";
import { updateVariant } from "./update.ts";

const operation = operationsOf("Broadcasts");

export const variantRoutes = newRoutes()
  .get(
    "/v1/broadcasts/:broadcast_id/variants",
    operation("broadcasts:view", "listBroadcastVariants", {
      summary: "List the variants of a broadcast, oldest first",
      responses: responses(200, "All variants", z.array(VariantOut), [403, 404]),
    }),
    async (c) => {
      const caller = c.get("caller");
      const broadcast = await getBroadcast(caller, c.req.param("broadcast_id"));
      const variants = await findVariants(caller, broadcast.row.n);
      return c.json(variants.map((variant) => toVariant(broadcast, variant)));
    },
  )
  .post(
    "/v1/broadcasts/:broadcast_id/variants",
    operation("broadcasts:manage", "createBroadcastVariant", {
      summary: "Add a variant to a broadcast",
      description: `A broadcast has at most ${limits.variants} variants.`,
      responses: responses(201, "The variant", VariantOut, [403, 404, 408, 409, 413, 415]),
    }),
    ...bodyWithLongTexts(VariantIn, contentFields),
    idempotent(201),
    async (c) => c.json(await createVariant(c.get("caller"), c.req.param("broadcast_id"), c.req.valid("json")), 201),
  )
  .patch(
    "/v1/broadcasts/:broadcast_id/variants/:variant_id",
    operation("broadcasts:manage", "updateBroadcastVariant", {
      summary: "Update a variant of a broadcast",
      responses: responses(200, "The variant", VariantOut, [403, 404, 408, 409, 413, 415]),
    }),
    ...bodyWithLongTexts(VariantPatch, contentFields),
    async (c) => {
      const { broadcast_id, variant_id } = c.req.param();
      return c.json(await updateVariant(c.get("caller"), broadcast_id, variant_id, c.req.valid("json")));
    },
  )
  .delete(
    "/v1/broadcasts/:broadcast_id/variants/:variant_id",
    operation("broadcasts:manage", "deleteBroadcastVariant", {
      summary: "Delete a variant of a broadcast",
      responses: responses(204, "Deleted", null, [403, 404, 409]),
    }),
    (c) => noContent(c, deleteVariant(c.get("caller"), c.req.param("broadcast_id"), c.req.param("variant_id"))),
  );
