/**
 * Runs in Thunderbird with its rights, and does what its user does: fills in the form of a new account, opens folders and messages,
 * writes and sends. program.ts calls the exported functions.
 */
const { setTimeout } = ChromeUtils.importESModule("resource://gre/modules/Timer.sys.mjs");
const { MailServices } = ChromeUtils.importESModule("resource:///modules/MailServices.sys.mjs");
const { DNS } = ChromeUtils.importESModule("resource:///modules/DNS.sys.mjs");

const WAIT_MS = 30_000;
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

/** Fills in name and address of a new account, presses Continue, and returns the settings that are shown and where the program found them. */
export async function findAccount({ name, address }) {
  const window = await until("the main window", () => mainWindow()?.openAccountHub && mainWindow());
  await window.openAccountHub("MAIL");
  const setup = accountSetup();
  const form = await shownStep(setup, "emailAutoConfigSubview");
  fill(form, { realName: name, email: address });
  pressContinue(setup);
  const found = await shownStep(setup, "emailConfigFoundSubview");
  const text = (id) => found.querySelector(`#${id}`).textContent.trim();
  return {
    incoming: text("incomingHost"),
    outgoing: text("outgoingHost"),
    username: text("incomingUsername"),
    source: found.captureState().subSource,
  };
}

/** Gives the password for the settings that are shown, and returns the error that comes, or null when there is an account. */
export async function createAccount({ password }) {
  const setup = accountSetup();
  const form = setup.querySelector("#emailPasswordSubview");
  if (form.hidden) pressContinue(setup);
  fill(await shownStep(setup, "emailPasswordSubview"), { password });
  pressContinue(setup);
  const isCreated = () => !setup.querySelector("#emailAddedSuccessSubview").hidden;
  await until("an account or an error", () => isCreated() || (!isBusy(setup) && errorOf(form)));
  if (!isCreated()) return errorOf(form);
  pressContinue(setup);
  return null;
}

/** Returns host, port, kind of TLS (nsMsgSocketType) and user of the servers of the account. */
export function servers() {
  const { incomingServer: imap, defaultIdentity } = account();
  const outgoing = MailServices.outgoingServer.getServerByKey(defaultIdentity.smtpServerKey);
  const smtp = outgoing.QueryInterface(Ci.nsISmtpServer);
  return [
    [imap.hostname, imap.port, imap.socketType, imap.username],
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
  const closesItself = isDone && command === "cmd_sendNow";
  await until("the end of the window", () => {
    // The window of a message that is still on its way asks whether to wait.
    if (!closesItself && !window.gSendOperationInProgress && !window.gSaveOperationInProgress) discard(window);
    return window.closed;
  });
  return isDone;
}

/** Closes the window of a message without asking whether to save it. It has no effect while a dialog of the window is open. */
function discard(window) {
  window.gAutoSaveKickedIn = false;
  window.SetContentAndBodyAsUnmodified();
  window.close();
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

/** Returns the dialog of a new account, which is open. */
const accountSetup = () =>
  mainWindow().document.querySelector("account-hub-container").modal.querySelector("account-hub-email");

/** Returns a step of the dialog when it is shown and may be filled in. */
function shownStep(setup, id) {
  const step = setup.querySelector(`#${id}`);
  return until(`the step ${id}`, () => !step.hidden && !isBusy(setup) && step);
}

const isBusy = (setup) => setup.classList.contains("busy");

const pressContinue = (setup) => setup.querySelector("account-hub-footer #forward").click();

/** Types texts into inputs. */
function fill(step, values) {
  for (const [id, value] of Object.entries(values)) {
    const input = step.querySelector(`#${id}`);
    input.value = value;
    input.dispatchEvent(new step.ownerDocument.defaultView.Event("input", { bubbles: true }));
  }
}

/** Returns the text of the error that a step shows; undefined when it shows none, empty before it is translated. */
const errorOf = (step) =>
  step.shadowRoot
    .querySelector("account-hub-header")
    .shadowRoot.querySelector(".error #emailFormNotificationTitle")
    ?.textContent.trim();

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
