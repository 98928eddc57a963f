const ADDRESS = /^[^\s@<>]{1,64}@([^\s@<>]{1,253})$/;
const MAX_RECIPIENTS = 50;
const MAX_SUBJECT = 998;
const MAX_TEXT = 1_000_000;

/** Returns the first error of a request to send an email from this domain, or null. */
export function checkEmail(body, domain) {
  if (typeof body !== "object" || body === null) return "The body must be a JSON object.";
  const { from_, to, subject, text } = body;
  if (!isAddress(from_)) return "from_ must have an email address.";
  if (ADDRESS.exec(from_.email)?.[1] !== domain) return `from_ must be an address of ${domain}.`;
  if (!Array.isArray(to) || to.length === 0 || to.length > MAX_RECIPIENTS || !to.every(isAddress))
    return `to must be a list of 1 to ${MAX_RECIPIENTS} email addresses.`;
  if (!isText(subject, MAX_SUBJECT)) return `subject must be a text of 1 to ${MAX_SUBJECT} characters.`;
  if (!isText(text, MAX_TEXT)) return `text must be a text of 1 to ${MAX_TEXT} characters.`;
  return null;
}

function isAddress(value) {
  return (
    isText(value?.email, 320) && ADDRESS.test(value.email) && (value.name === undefined || isText(value.name, 200))
  );
}

function isText(value, limit) {
  return typeof value === "string" && value.length > 0 && value.length <= limit;
}
