const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Text of a client's for an error message: cut to a number of UTF-16 units, and never half a
 * character.
 */
export function excerpt(text: string, length = 100): string {
  if (text.length <= length) return text.replace(LONE_SURROGATE, '\uFFFD');
  return `${text.slice(0, length).replace(LONE_SURROGATE, '\uFFFD')}...`;
}
