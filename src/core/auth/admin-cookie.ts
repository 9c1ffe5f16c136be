// Names the cookie of an admin's session, which the admin sets and the billing page of the same host reads.

/** @param url of the request. Over https, the prefix binds the cookie to this host: a neighbouring store cannot set it. */
export const getAdminCookieName = (url: string): string =>
  new URL(url).protocol === "https:" ? "__Host-admin" : "admin"
