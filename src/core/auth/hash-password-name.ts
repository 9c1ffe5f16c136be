// Hashes passwords for the list of common ones. Imports nothing, because the script that makes the list uses it, too.

/** The 32-bit FNV-1a hash of a password, ignoring case. It recognizes public words and protects nothing. */
export const hashPasswordName = (password: string): number =>
  new TextEncoder()
    .encode(password.toLowerCase())
    .reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5)
