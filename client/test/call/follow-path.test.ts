import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonValue } from '../../../src/protocol/json.js';
import { resolveReference } from '../../../src/protocol/result-references.js';
import { followPath } from '../../src/call/follow-path.js';

const NAMES = ['a', 'b', 'a/b', '~', '*', '0', 'length'];

const { value: values } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom<JsonValue>(null, 1, 'text', true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3 }),
  ),
}));
const paths = fc
  .array(fc.constantFrom('a', 'b', 'a~1b', '~0', '*', '0', '1', '01', 'length'), { maxLength: 4 })
  .map((tokens) => tokens.map((token) => `/${token}`).join(''));

it('a path leads the client where it leads the server', () => {
  fc.assert(
    fc.property(values, paths, (args, path) => {
      const reference = { resultOf: 'c', name: 'M', path };
      let expected: unknown;
      try {
        expected = resolveReference(reference, [{ name: 'M', args, callId: 'c' }]);
      } catch {
        expected = undefined;
      }
      expect(followPath(args, path)).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});
