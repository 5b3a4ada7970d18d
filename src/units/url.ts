// URLs are shown in messages and tables; their passwords are not.

/** Up to the last "@": a password may hold one that somebody forgot to encode, as he may have forgotten the slashes. Files have none. */
export function maskPassword(url: string): string {
  return url.replace(/^((?!sqlite:|memory:)[a-z][a-z0-9+.-]*:(?:\/\/)?[^/@:?#]*):.*@/is, "$1:***@")
}
