/** Octets `start` to `end`, exclusive. */
export interface OctetRange {
  readonly start: number;
  readonly end: number;
}

const SINGLE = /^bytes[ \t]*=[ \t]*(?:(\d{1,15})[ \t]*)?-[ \t]*(?:(\d{1,15})[ \t]*)?$/i;

/**
 * The part of `size` octets that a Range header asks for (RFC 9110 14.2): a single range, `unsatisfiable`, or `all`
 * where there is no header or one that may be ignored: another unit, several ranges, nonsense. The range-parser package
 * refuses a suffix longer than the whole, which stands for the whole (14.1.2).
 */
export function parseRange(
  header: string | undefined,
  size: number,
): OctetRange | 'all' | 'unsatisfiable' {
  const match = header === undefined ? null : SINGLE.exec(header);
  if (match === null) return 'all';
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return 'all';
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'all';
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
