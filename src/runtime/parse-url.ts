/**
 * Returns the URL that a text is; null where it is none. `URL.canParse` of Node 20 refuses hosts
 * with `ü` and its like once it is compiled, so it must not judge them.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
