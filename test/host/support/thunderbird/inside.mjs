/**
 * Runs in Thunderbird with its rights, and does what its user does: fills in the form of a new account, opens folders and messages,
 * writes and sends. program.ts calls the exported functions.
 */
const { setTimeout } = ChromeUtils.importESModule("resource://gre/modules/Timer.sys.mjs");
const { MailServices } = ChromeUtils.importESModule("resource:///modules/MailServices.sys.mjs");
const { DNS } = ChromeUtils.importESModule("resource:///modules/DNS.sys.mjs");

const WAIT_MS = 30_000;
const SETUP_PAGE = "about:accountsetup";
/** Flags of system folders (nsMsgFolderFlags). */
const KINDS = ["Inbox", "SentMail", "Drafts", "Trash", "Junk", "Archive"];
/** The text of a message in the message pane. */
const TEXT = ".moz-text-plain, .moz-text-html";
/** Texts of the dialogs that came up. */
const dialogs = [];
let accepts = false;
let mxHosts = [];

/** The results of the calls by their numbers: promises of `{ value }` or `{ error }`. */
export const results = new Map();

/** Begins a call, whose dialogs do not hold up who asks for it. */
export function begin(id, work) {
  const { promise, resolve } = Promise.withResolvers();
  results.set(id, promise);
  setTimeout(async () => {
    try {
      resolve({ value: (await work()) ?? null });
    } catch (error) {
      resolve({ error: `${error}\n${error.stack}` });
    }
  });
}

/** Trusts an authority (base64 of its DER), answers each dialog that comes up, and takes MX records from `setMxHosts`. */
export function prepare(authority) {
  const certificates = Cc["@mozilla.org/security/x509certdb;1"].getService(Ci.nsIX509CertDB);
  certificates.addCertFromBase64(authority, "C,,");
  DNS.mx = async () => mxHosts.map((host) => ({ host, prio: 10 }));
  Services.obs.addObserver((window) => {
    const { args, ui } = window.Dialog;
    dialogs.push(String(args.text ?? ""));
    const button = accepts || ui.button1.hidden ? ui.button0 : ui.button1;
    // The dialog is shown after this.
    setTimeout(() => button.click());
  }, "common-dialog-loaded");
}

/** Sets the hosts of the MX records of every domain. */
export function setMxHosts(hosts) {
  mxHosts = hosts;
}

/** Sets the answer to dialogs: their first button, or the one that cancels. */
export function acceptDialogs(value) {
  accepts = value;
}

/** Returns the texts of the dialogs since the last call. */
export function takeDialogs() {
  return dialogs.splice(0);
}

/** Fills in the form of a new account, presses Continue, and returns the texts of the result and where the program found it. */
export async function findAccount({ name, address, password }) {
  const page = await setupPage();
  fill(page, { realname: name, email: address, password });
  page.getElementById("continueButton").click();
  await until("a configuration", () => !page.getElementById("createButton").hidden || setupError(page));
  const text = (id) => page.getElementById(id).textContent.trim();
  return {
    error: setupError(page) ?? null,
    incoming: text("incomingInfo-imap"),
    outgoing: text("outgoingInfo-imap"),
    username: text("usernameInfo-imap"),
    source: page.defaultView.gAccountSetup._currentConfig?.subSource,
  };
}

/** Presses Done, and returns the error that the page shows, or null when there is an account. */
export async function createAccount() {
  const page = await setupPage();
  page.getElementById("createButton").click();
  const isCreated = () => !page.getElementById("successView").hidden;
  await until("an account or an error", () => isCreated() || setupError(page));
  return isCreated() ? null : setupError(page);
}

/** Returns host, port, kind of TLS (nsMsgSocketType) and user of the servers of the account. */
export function servers() {
  const { incomingServer: imap, defaultIdentity } = account();
  const outgoing = MailServices.outgoingServer.getServerByKey(defaultIdentity.smtpServerKey);
  const smtp = outgoing.QueryInterface(Ci.nsISmtpServer);
  return [
    [imap.hostName, imap.port, imap.socketType, imap.username],
    [smtp.hostname, smtp.port, outgoing.socketType, outgoing.username],
  ];
}

/** Returns the folders of the account, as `path` or `path kind` for a system folder. */
export function folders() {
  const kindOf = (folder) => KINDS.filter((kind) => folder.getFlag(Ci.nsMsgFolderFlags[kind]));
  const { descendants } = account().incomingServer.rootFolder;
  return descendants.map((folder) => [pathOf(folder), ...kindOf(folder)].join(" ")).sort();
}

/** Opens a folder in the main window, which keeps its connection waiting for new messages (IDLE). */
export async function openFolder(path) {
  const about3Pane = await until("the main window", () => mainWindow().gTabmail.currentAbout3Pane ?? showMail());
  const folder = folderOf(path);
  await until("the row of the folder", () => about3Pane.folderPane?.getRowForFolder(folder.URI));
  about3Pane.displayFolder(folder.URI);
  await until("the folder", () => about3Pane.gFolder?.URI === folder.URI && about3Pane.gDBView);
}

/** Returns the messages of a folder that the program shows, as their subjects with `read` and `flagged`. */
export function messages(path) {
  return [...folderOf(path).messages].map(({ mime2DecodedSubject, isRead, isFlagged }) =>
    [mime2DecodedSubject, ...(isRead ? ["read"] : []), ...(isFlagged ? ["flagged"] : [])].join(" "),
  );
}

/** Selects a message of the open folder and returns what the message pane shows: text, and names of files. */
export async function readMessage(subject) {
  const about3Pane = mainWindow().gTabmail.currentAbout3Pane;
  const message = await until(subject, () =>
    [...about3Pane.gFolder.messages].find(({ mime2DecodedSubject }) => mime2DecodedSubject === subject),
  );
  about3Pane.selectMessage(message);
  const pane = about3Pane.messageBrowser.contentWindow;
  const isShown = () =>
    pane.gMessage === message &&
    pane.msgLoaded &&
    pane.getMessagePaneBrowser().contentDocument.readyState === "complete";
  await until("the message", isShown);
  return {
    text: pane.getMessagePaneBrowser().contentDocument.querySelector(TEXT).textContent.trim(),
    files: pane.currentAttachments.map(({ name }) => name),
  };
}

/** Does a command of the main window with the selected message, as its menu does. */
export function doCommand({ command, path }) {
  mainWindow().gTabmail.currentAbout3Pane.commandController.doCommand(command, path && folderOf(path));
}

/** Writes a message and does `command` in its window: cmd_sendNow or cmd_saveAsDraft. Returns whether that succeeded. */
export async function write({ to, subject, text, command }) {
  const fields = Cc["@mozilla.org/messengercompose/composefields;1"].createInstance(Ci.nsIMsgCompFields);
  Object.assign(fields, { to, subject, body: `<p>${text}</p>` });
  const parameters = Cc["@mozilla.org/messengercompose/composeparams;1"].createInstance(Ci.nsIMsgComposeParams);
  const format = Ci.nsIMsgCompFormat.HTML;
  Object.assign(parameters, { composeFields: fields, identity: account().defaultIdentity, format });
  MailServices.compose.OpenComposeWindowWithParams(null, parameters);
  const { window } = await composeWindow();
  return finish(window, command);
}

/** Opens a draft, adds a text, and does `command` in its window. Returns whether that succeeded. */
export async function editDraft({ path, subject, text, command }) {
  const draft = [...folderOf(path).messages].find(({ mime2DecodedSubject }) => mime2DecodedSubject === subject);
  const [{ Draft }, { Default }] = [Ci.nsIMsgCompType, Ci.nsIMsgCompFormat];
  const uri = draft.folder.getUriForMsg(draft);
  const { defaultIdentity } = account();
  MailServices.compose.OpenComposeWindow(null, draft, uri, Draft, Default, defaultIdentity, "", mainWindow().msgWindow);
  const { window, body } = await composeWindow();
  body.append(text);
  return finish(window, command);
}

/** Returns the window in which a message is written, when it has its text and its recipients. */
async function composeWindow() {
  const window = await until("the window", () => Services.wm.getMostRecentWindow("msgcompose"));
  const find = () => window.document.getElementById("messageEditor")?.contentDocument?.body;
  const body = await until("the text", () => find()?.textContent.trim() && find());
  await until("the recipients", () => window.defaultController.isCommandEnabled("cmd_sendNow"));
  return { window, body };
}

/** Does a command in the window of a message and closes the window. Returns whether the command succeeded. */
async function finish(window, command) {
  const done = Promise.withResolvers();
  window.gMsgCompose.RegisterStateListener({
    NotifyComposeFieldsReady() {},
    NotifyComposeBodyReady() {},
    SaveInFolderDone() {},
    ComposeProcessDone: (result) => done.resolve(Components.isSuccessCode(result)),
  });
  window.goDoCommand(command);
  const isDone = await done.promise;
  // The window of a message that is sent closes by itself. Not close(), which asks about one that is not.
  if (!isDone || command !== "cmd_sendNow") window.MsgComposeCloseWindow();
  await until("the end of the window", () => window.closed);
  return isDone;
}

/** Deletes a folder, as its menu does: the program moves it below Trash. */
export function deleteFolder(path) {
  folderOf(path).deleteSelf(mainWindow().msgWindow);
}

/** Deletes what is in Trash and below it for good. */
export function emptyTrash() {
  folderOf("Trash").emptyTrash(null);
}

/** Creates a folder. */
export function createFolder(name) {
  account().incomingServer.rootFolder.createSubfolder(name, mainWindow().msgWindow);
}

/** Returns the page of the form of a new account, which it opens. */
async function setupPage() {
  mainWindow().openAccountSetup(true);
  const { contentDocument } = await until("the form", () => {
    const tabs = mainWindow().gTabmail.tabInfo.map(({ browser }) => browser);
    return tabs.find(
      (browser) => browser?.currentURI?.spec === SETUP_PAGE && browser.contentWindow?.gAccountSetup?.isInited,
    );
  });
  return contentDocument;
}

/** Types texts into inputs. */
function fill(page, values) {
  for (const [id, value] of Object.entries(values)) {
    const input = page.getElementById(id);
    input.value = value;
    input.dispatchEvent(new page.defaultView.Event("input", { bubbles: true }));
  }
}

const setupError = (page) =>
  page.defaultView.gAccountSetup.notificationBox.getNotificationWithValue("accountSetupError")?.message;

const mainWindow = () => Services.wm.getMostRecentWindow("mail:3pane");

function showMail() {
  mainWindow().gTabmail.switchToTab(0);
}

/** Returns the account for IMAP, which is the only one. */
const account = () => MailServices.accounts.accounts.find(({ incomingServer }) => incomingServer.type === "imap");

const pathOf = (folder) => decodeURIComponent(folder.URI.replace(/^imap:\/\/[^/]+\//, ""));

function folderOf(path) {
  const found = account().incomingServer.rootFolder.descendants.find((folder) => pathOf(folder) === path);
  if (!found) throw new Error(`there is no folder ${path}`);
  return found;
}

/** Polls until a condition holds, and returns its value. */
async function until(name, condition) {
  for (const end = Date.now() + WAIT_MS; ; ) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${WAIT_MS} ms for ${name}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
