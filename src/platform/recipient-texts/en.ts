/** Texts for people who get mail, in English. Another language is a file like this one, and a line in index.ts. */
export const en = {
  skip: "Skip to content",
  optional: "optional",
  correct: "Please correct:",
  email: "Email",
  writes: (sender: string, address: string) => `${sender} writes to ${address}.`,
  broken: "This link does not work",
  brokenText: "The link is incomplete, or it leads to nothing any more.",

  leave: "Unsubscribe",
  leaveTitle: "Unsubscribe?",
  leaveText: "This sender will send no more mailings to your address.",
  leaveTopic: (topic: string) => `Unsubscribe from ${topic}`,
  leaveTopicTitle: (topic: string) => `Unsubscribe from ${topic}?`,
  leaveAll: "Unsubscribe from all mailings",
  left: "You are unsubscribed",
  leftTopic: (topic: string) => `This sender will send no more emails about ${topic} to your address.`,
  leftAll: "You are unsubscribed from all mailings of this sender.",
  choose: "Which emails do you want?",
  topics: "Your topics",
  rejoin: "With a topic you choose, this sender may send you mailings again.",
  save: "Save my choice",
  saved: "Your choice is saved",

  confirmSubject: (list: string) => `Please confirm your subscription to ${list}`,
  confirmText: (sender: string, list: string) =>
    `Please confirm that ${sender} may send you the emails of the list "${list}". If you did not ask for them, ignore this email: you get no more of them.`,
  confirmAsk: "To confirm, open this link within 7 days:",
  confirm: "Confirm",
  confirmed: "You have confirmed",
  confirmedText: (sender: string, list: string) =>
    `You get the emails of ${sender} to the list ${list}. Each of them has a link with which you can unsubscribe.`,
  expired: "This link has expired",
  expiredText: "It worked for 7 days. Fill in the form again to get a new one.",

  invalidAddress: "Enter a valid email address",
  missing: (label: string) => `${label} is required`,
  tooLong: (label: string, most: number) => `${label} must have at most ${most} characters`,
  notAllowed: (label: string) => `${label} has characters that are not allowed`,
  tooOften: "The form was submitted too often",

  oldLink: "The email with this link is no longer stored here. The link leads to:",
  goOn: (host: string) => `Continue to ${host}`,
  blocked: "This link is blocked",
  blockedText: "It does not lead to its website any more.",
};
