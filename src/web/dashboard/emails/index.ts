export { toText } from "./timeline.tsx";
