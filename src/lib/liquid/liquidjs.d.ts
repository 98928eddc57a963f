// The build for browsers has no file system. Bundlers differ in whether they choose it, so the path names it.
declare module "liquidjs/dist/liquid.browser.mjs" {
  export * from "liquidjs";
}
