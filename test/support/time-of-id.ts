const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Reads the time in ms that an id of this server embeds, in its first ten digits behind the prefix.
 */
export function timeOfId(id: string): number {
  let time = 0;
  for (const digit of id.slice(1, 11)) time = time * 32 + ALPHABET.indexOf(digit);
  return time;
}
