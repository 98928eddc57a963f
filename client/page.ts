/** The script of the pages of signed-in users and of the reference. Everything works without it. */
import { confirmForms } from "./confirming.ts";
import { addCopyButtons, copyLinkedTexts } from "./copying.ts";
import { countDown } from "./counting-down.ts";
import { openDialogs } from "./dialogs.ts";
import { prepareImports } from "./importing.ts";
import { keepLanguage } from "./languages.ts";
import { askBeforeLeaving } from "./leaving.ts";
import { listenForPalette } from "./palette.ts";
import { previewForms } from "./previewing.ts";
import { pollPage } from "./refreshing.ts";
import { keepTimes, showLocalTimes } from "./times.ts";
import { showToast } from "./toasts.ts";

showLocalTimes(document);
keepTimes();
addCopyButtons(document);
copyLinkedTexts();
keepLanguage();
confirmForms();
askBeforeLeaving();
countDown();
previewForms();
prepareImports();
pollPage();
openDialogs();
showToast();
listenForPalette();
