export const SUBNETS = 'a list of addresses or subnets such as 10.1.0.0/16, with commas';

/** Parses a list with commas; a list with one illegal item is none. */
export function listOf<T>(
  parse: (item: string) => T | null,
): (text: string) => readonly T[] | null {
  return (text) => {
    const parsed = text.split(',').map((item) => parse(item.trim()));
    const legal = parsed.filter((item) => item !== null);
    return legal.length === parsed.length ? legal : null;
  };
}
