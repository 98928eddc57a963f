import { expect, it } from "vitest";
import { apiWith, aWorkspace, aMail } from "../support/workspace.ts";
it("x", async () => {
  const r = await apiWith(null).get("/openapi.json");
  console.log(JSON.stringify(await r.json(), null, 1));
  const w = await aWorkspace();
  for (const c of [{headers: JSON.parse('{"__proto__":"x"}')}, {headers: {a:1}}, {headers: null}, {to: "x"}, {to: undefined}, {attachments: [{filename:"x"}]}]) {
    const r = await w.post("/v1/emails/", JSON.stringify(aMail(w, c)));
    console.log(r.status, await r.text());
  }
  for (const q of ["page=-0", "page=", "page=0x10", "limit=1&limit=2", "limit=5%20", "before=ZZ", "page=101&limit=100","page=100&limit=100", "__proto__=1"]) {
    const r = await w.get("/v1/emails/?" + q);
    console.log(q, r.status, await r.text());
  }
});
