export { findOneTimeToken, issueOneTimeToken, type OneTimePurpose, redeemStatements } from "./tokens.ts";
