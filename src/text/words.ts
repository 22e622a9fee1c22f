/** A phrase between two quotes of one kind, up to white space or the end; or a word. */
const PHRASE_OR_WORD = /(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')(?!\S)|\S+/gsu;

/** A quote or a backslash that a backslash makes a plain one. */
const ESCAPED = /\\(["'\\])/gu;

/**
 * Returns the words and the quoted phrases of a text to search for, each once (RFC 8621 4.4.1, RFC
 * 9610 3.3.1). A quote that stands within a word, or has no partner, is a plain one.
 */
export function splitWords(text: string): readonly string[] {
  const words = new Set<string>();
  for (const [word, double, single] of text.matchAll(PHRASE_OR_WORD))
    words.add((double ?? single)?.replaceAll(ESCAPED, '$1') ?? word);
  words.delete('');
  return [...words];
}
