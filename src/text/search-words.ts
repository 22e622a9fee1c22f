/** A text in quotes, up to white space or the end; or else all up to the next white space. */
const WORD = /(["'])((?:\\.|(?!\1)[^\\])*)\1(?=\s|$)|\S+/gsu;

/**
 * Returns the words of a text to look for, each once. A text in quotes is one phrase; in it a
 * backslash escapes `'`, `"` and itself (RFC 8621 4.4.1).
 */
export function searchWords(text: string): readonly string[] {
  const words = new Set<string>();
  for (const [word, , phrase] of text.matchAll(WORD))
    words.add(phrase === undefined ? word : phrase.replace(/\\(["'\\])/g, '$1'));
  words.delete('');
  return [...words];
}
