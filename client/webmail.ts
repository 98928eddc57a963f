/** The script of the pages of a mailbox: that of all pages, and what only webmail has. Everything works without it. */
import "./page.ts";
import { autosave } from "./autosaving.ts";
import { completeAddresses } from "./completing.ts";
import { fitFrames } from "./fitting-frames.ts";
import { keepPlace } from "./keeping-place.ts";
import { listenForKeys } from "./keys.ts";
import { followChanges } from "./live.ts";
import { openEditors } from "./rich-text.ts";
import { addSelectAll } from "./selecting.ts";

addSelectAll(document);
completeAddresses();
fitFrames();
autosave();
openEditors();
listenForKeys();
keepPlace();
followChanges();
