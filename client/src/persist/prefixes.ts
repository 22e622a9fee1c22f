const LAST_UNIT = 0xffff;

/**
 * Returns the first key behind all keys that begin with a prefix, in the order of code units; null:
 * there is none.
 */
export function findPrefixEnd(prefix: string): string | null {
  for (let index = prefix.length - 1; index >= 0; index -= 1) {
    const unit = prefix.charCodeAt(index);
    if (unit < LAST_UNIT) return prefix.slice(0, index) + String.fromCharCode(unit + 1);
  }
  return null;
}
