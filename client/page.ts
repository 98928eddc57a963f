/** The script of the pages of signed-in users and of the reference. Everything works without it. */
import { autosave } from "./autosaving.ts";
import { completeAddresses } from "./completing.ts";
import { confirmForms } from "./confirming.ts";
import { addCopyButtons } from "./copying.ts";
import { countDown } from "./counting-down.ts";
import { fitFrames } from "./fitting-frames.ts";
import { prepareImports } from "./importing.ts";
import { listenForKeys } from "./keys.ts";
import { followChanges } from "./live.ts";
import { previewForms } from "./previewing.ts";
import { pollPage } from "./refreshing.ts";
import { addSelectAll } from "./selecting.ts";
import { showLocalTimes } from "./times.ts";

showLocalTimes(document);
addCopyButtons(document);
addSelectAll(document);
completeAddresses();
confirmForms();
countDown();
fitFrames();
autosave();
listenForKeys();
previewForms();
prepareImports();
pollPage();
followChanges();
