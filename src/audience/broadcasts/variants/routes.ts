import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { bodyWithLongTexts } from "../../../http/validate.ts";
import { budgetOf } from "../../../platform/budgets/spent.ts";
import { getBroadcast } from "../queries.ts";
import { contentFields } from "../rules.ts";
import { createVariant } from "./create.ts";
import { deleteVariant } from "./delete.ts";
import { findVariants, toVariant } from "./queries.ts";
import { VariantIn, VariantOut, VariantPatch } from "./schema.ts";
import { updateVariant } from "./update.ts";

export const variantRoutes = apiRoutes("Broadcasts")
  .get("/v1/broadcasts/:broadcast_id/variants", "listBroadcastVariants", "broadcasts:view", {
    summary: "List the variants of a broadcast, oldest first",
    returns: { 200: ["All variants", z.array(VariantOut)] },
    run: async (caller, { broadcast_id }) => {
      const broadcast = await getBroadcast(caller, broadcast_id);
      const variants = await findVariants(caller, broadcast.row.n);
      return variants.map((variant) => toVariant(broadcast, variant));
    },
  })
  .post("/v1/broadcasts/:broadcast_id/variants", "createBroadcastVariant", "broadcasts:manage", outlives.nothing, {
    summary: "Add a variant to a broadcast",
    description: `A broadcast has at most ${budgetOf("broadcast_variants").rows} variants.`,
    body: bodyWithLongTexts(VariantIn, contentFields),
    returns: { 201: ["The variant", VariantOut] },
    errors: [408],
    run: (caller, { broadcast_id, body }) => createVariant(caller, broadcast_id, body),
  })
  .patch(
    "/v1/broadcasts/:broadcast_id/variants/:variant_id",
    "updateBroadcastVariant",
    "broadcasts:manage",
    outlives.nothing,
    {
      summary: "Update a variant of a broadcast",
      body: bodyWithLongTexts(VariantPatch, contentFields),
      returns: { 200: ["The variant", VariantOut] },
      errors: [408, 409],
      run: (caller, { broadcast_id, variant_id, body }) => updateVariant(caller, broadcast_id, variant_id, body),
    },
  )
  .delete(
    "/v1/broadcasts/:broadcast_id/variants/:variant_id",
    "deleteBroadcastVariant",
    "broadcasts:manage",
    outlives.nothing,
    {
      summary: "Delete a variant of a broadcast",
      returns: { 204: "Deleted" },
      errors: [409],
      run: (caller, { broadcast_id, variant_id }) => deleteVariant(caller, broadcast_id, variant_id),
    },
  );
