import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Octets } from '../../src/http/octets.js';

describe('octets that arrive in pieces', () => {
  it('are all there, in order, and no piece is changed', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 9000 }), { maxLength: 12 });
    fc.assert(
      fc.property(pieces, (arrays) => {
        const octets = new Octets();
        const copies = arrays.map((array) => Buffer.from(array));
        for (const array of arrays) octets.add(Buffer.from(array.buffer));
        expect(octets.take().equals(Buffer.concat(copies))).toBe(true);
        expect(octets.length).toBe(octets.take().length);
        for (const [index, array] of arrays.entries())
          expect(copies[index]?.equals(array)).toBe(true);
      }),
    );
  });

  it('hold little more than themselves, however small the pieces are', () => {
    const octets = new Octets();
    for (let n = 0; n < 1_000_000; n += 1) octets.add(Buffer.of(n & 0xff));
    const data = octets.take();
    expect(data.length).toBe(1_000_000);
    expect(data.buffer.byteLength).toBeLessThan(2_200_000);
  });
});
