import { it } from 'vitest';
import { expectTheSameIn } from './everything.js';

it('generated files are the same if the machine knows only ASCII', async () => {
  await expectTheSameIn('C', 'en-US', 'America/St_Johns');
});
