export { type DkimKey, newDkimKey, openDkimKey } from "./dkim-keys.ts";
