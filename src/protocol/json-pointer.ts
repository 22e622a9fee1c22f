/**
 * Returns the unescaped reference tokens of a JSON Pointer (RFC 6901); null where it is malformed:
 * it neither is empty nor starts with "/", or has a "~" that starts no escape.
 */
export function parsePointer(pointer: string): readonly string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return null;
  const tokens = pointer.slice(1).split('/');
  if (!pointer.includes('~')) return tokens;
  if (/~(?![01])/.test(pointer)) return null;
  return tokens.map(unescapeToken);
}

/** Returns the member name that a token stands for. */
export function unescapeToken(token: string): string {
  // "~1" first: "~01" is the text "~1" (RFC 6901 4).
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Returns the inverse for one token: what a pointer writes for a member name. */
export function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Returns an array index as RFC 6901 4 spells it (no leading zeros), or null. */
export function arrayIndex(token: string): number | null {
  return /^(?:0|[1-9]\d*)$/.test(token) ? Number(token) : null;
}
