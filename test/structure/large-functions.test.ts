import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/server.js';
import { largeFunctions, MOST } from './large-functions.js';

/** Functions that were too large when this test was written. The list only shrinks. */
const KNOWN = join(ROOT, 'test/structure/large-functions.json');

const ADVICE = `
No function has more than ${MOST.lines} lines or ${MOST.parameters} parameters, but those of
test/structure/large-functions.json.
Where one of these has become smaller, or is gone:
  UPDATE_FUNCTIONS=1 npx vitest run --project fast test/structure`;

it('no function is larger than it may be', () => {
  const large = largeFunctions(ROOT, 'src');
  const known = JSON.parse(readFileSync(KNOWN, 'utf8')) as typeof large;
  const grown = Object.entries(large).filter(
    ([name, { lines = 0, parameters = 0 }]) =>
      lines > (known[name]?.lines ?? 0) || parameters > (known[name]?.parameters ?? 0),
  );
  expect(Object.fromEntries(grown), ADVICE).toEqual({});
  if (process.env['UPDATE_FUNCTIONS'] === '1')
    writeFileSync(KNOWN, `${JSON.stringify(large, null, 2)}\n`);
  else expect(large, ADVICE).toEqual(known);
});
