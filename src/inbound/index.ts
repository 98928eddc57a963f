export { type Reception, receiveMail } from "./receive.ts";
