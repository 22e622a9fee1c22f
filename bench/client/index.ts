import { parseArgs } from 'node:util';
import { build } from '../processes.js';
import { measureBrowser } from './browser.js';
import { measureLists } from './lists.js';
import { FULL, type Part, printHead, printRows, QUICK } from './rows.js';
import { measureSaved } from './saved.js';
import { measureCatchUp, measureServer } from './server.js';
import { measureSizes } from './sizes.js';
import { measureTypes } from './types.js';

const HELP = `usage: npm run bench -- client [--quick] [--rounds N] [--only PART]

Measures the typed client beside plain JavaScript and TanStack DB.

  --quick      one round of little of each: does it run?
  --rounds N   rounds of all jobs, in turn (5)
  --only PART  sizes, lists, saved, browser, catch-up, server or types
`;

/** Each figure is a row of one table; the compiler's are a table of their own. */
const PARTS: Readonly<Record<string, Part>> = {
  sizes: measureSizes,
  lists: measureLists,
  saved: measureSaved,
  browser: measureBrowser,
  'catch-up': measureCatchUp,
  server: measureServer,
};
const TYPES = 'types';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

async function main(only: string | undefined, isQuick: boolean, asked: number): Promise<void> {
  const rounds = isQuick ? 1 : asked;
  if (!(Number.isInteger(rounds) && rounds >= 1))
    throw new Error('--rounds takes a whole number from 1.');
  const names = [...Object.keys(PARTS), TYPES];
  if (only !== undefined && !names.includes(only))
    throw new Error(`--only takes one of ${names.join(', ')}.`);
  await build();
  await build('--client');
  const sizes = isQuick ? QUICK : { ...FULL, rounds };
  if (only !== TYPES) printHead();
  for (const [name, part] of Object.entries(PARTS))
    if (only === undefined || only === name) printRows(await part(sizes));
  if (only === undefined) process.stdout.write('\n');
  if (only === undefined || only === TYPES) await measureTypes(isQuick ? 10 : 100, rounds);
}

if (values.help) process.stdout.write(HELP);
else await main(values.only, values.quick, Number(values.rounds));
