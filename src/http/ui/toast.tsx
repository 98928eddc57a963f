import type { Child } from "hono/jsx";
import { Icon } from "./icon.tsx";

/** Says what the user has just done. With scripts it leaves after some seconds, and has a button that closes it. */
export const Toast = ({ children }: { children?: Child }) => (
  <div class="toast" role="status" data-toast="">
    <Icon name="check" />
    <span>{children}</span>
  </div>
);
