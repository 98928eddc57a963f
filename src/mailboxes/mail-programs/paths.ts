/** Path of the configuration profile of Apple's Mail, with the address in the query `emailaddress`. */
export const PROFILE_PATH = "/mail/profile.mobileconfig";
