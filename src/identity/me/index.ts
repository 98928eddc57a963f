export { saveTimeZone } from "./save-time-zone.ts";
