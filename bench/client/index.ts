import { parseArgs } from 'node:util';
import { build } from '../processes.js';
import { measureTypes } from './types.js';

const HELP = `usage: npm run bench -- client [--quick] [--rounds N]

  --quick      one round of a small project: does it run?
  --rounds N   rounds of all jobs, in turn (5)
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else {
  const rounds = values.quick ? 1 : Number(values.rounds);
  if (!(Number.isInteger(rounds) && rounds >= 1))
    throw new Error('--rounds takes a whole number from 1.');
  await build();
  await measureTypes(values.quick ? 10 : 100, rounds);
}
