/** How words stand out on a terminal; on anything else they are left as they are. */
export interface Style {
  bad(text: string): string;
  warning(text: string): string;
  dim(text: string): string;
}

/** Leaves texts as they are: for files, pipes and NO_COLOR. */
export const PLAIN: Style = Object.freeze({
  bad: (text: string) => text,
  warning: (text: string) => text,
  dim: (text: string) => text,
});

/** Wraps texts in escape sequences of a terminal. */
const COLOURED: Style = Object.freeze({
  bad: (text: string) => `\u001b[31m${text}\u001b[39m`,
  warning: (text: string) => `\u001b[33m${text}\u001b[39m`,
  dim: (text: string) => `\u001b[2m${text}\u001b[22m`,
});

/**
 * Returns the style for a stream: colour on a terminal alone, and not where NO_COLOR is set to
 * anything (no-color.org).
 */
export function styleOf(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): Style {
  const refused = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  return stream.isTTY === true && !refused ? COLOURED : PLAIN;
}
