const LENGTH = 100;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Returns text of a client's for an error message: cut to a number of UTF-16 units, and never half
 * a character.
 */
export function excerpt(text: string): string {
  if (text.length <= LENGTH) return text.replace(LONE_SURROGATE, '\uFFFD');
  return `${text.slice(0, LENGTH).replace(LONE_SURROGATE, '\uFFFD')}...`;
}
