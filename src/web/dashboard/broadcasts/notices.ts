/** Texts of the pages of broadcasts after something was done, by the name in their URL. */
export const notices: Readonly<Record<string, string>> = {
  saved: "The broadcast is saved.",
  deleted: "The broadcast is deleted.",
  sending: "The broadcast is being sent.",
  scheduled: "The broadcast is scheduled.",
  paused: "The broadcast is paused.",
  resumed: "The broadcast goes on.",
  cancelled: "The broadcast is cancelled.",
  promoted: "The variant is sent to everybody else.",
  tested: "The test is on its way.",
};
