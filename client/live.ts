import { element } from "./elements.ts";
import { refreshPage } from "./refreshing.ts";

/** How long changes are collected before the page is read again, and the waits before the next connection, in ms. */
const COLLECT_MS = 250;
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [1_000, 60_000];

/**
 * Shows changes of the mailbox as they happen: the WebSocket of `data-events` tells of one, and the page is read again. A
 * connection that ends is opened again, after a wait that doubles. Changes meanwhile are shown by reading the page first, which
 * also renews the session.
 */
export function followChanges(): void {
  const path = document.querySelector<HTMLElement>("[data-events]")?.dataset.events;
  if (path === undefined) return;
  const url = new URL(path, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  let wait = FIRST_WAIT_MS;
  let isDue = false;
  let timer = 0;
  const refresh = () => {
    isDue = true;
    if (document.hidden) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      isDue = false;
      void refreshPage();
    }, COLLECT_MS);
  };
  let again = 0;
  const planAgain = () => {
    clearTimeout(again);
    const wait = document.querySelector<HTMLElement>("[data-again]")?.dataset.again;
    if (wait !== undefined) again = setTimeout(refresh, Number(wait));
  };
  const connect = () => {
    const socket = new WebSocket(url);
    socket.addEventListener("open", () => {
      wait = FIRST_WAIT_MS;
      document.documentElement.dataset.connected = "";
      // A change between the response of the page and this connection was not announced.
      refresh();
    });
    socket.addEventListener("message", refresh);
    socket.addEventListener("close", () => {
      delete document.documentElement.dataset.connected;
      setTimeout(reconnect, wait * (1 + Math.random()));
      wait = Math.min(wait * 2, LAST_WAIT_MS);
    });
    window.addEventListener("pagehide", () => socket.close(), { once: true });
  };
  const reconnect = async () => {
    const response = await fetch(location.href, { method: "HEAD" }).catch(() => null);
    if (response?.redirected) return sayEnded();
    connect();
  };
  document.addEventListener("visibilitychange", () => {
    if (isDue) refresh();
  });
  document.addEventListener("refreshed", planAgain);
  planAgain();
  connect();
}

function sayEnded(): void {
  const link = element("a", { href: "/mail", textContent: "Sign in" });
  const notice = element("p", { className: "notice warn" }, "Your session has ended. ", link, " to see new mail.");
  notice.setAttribute("role", "status");
  document.getElementById("main")?.prepend(notice);
}
