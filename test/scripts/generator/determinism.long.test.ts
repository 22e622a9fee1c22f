import { it } from 'vitest';
import { expectTheSameIn } from './everything.js';

it('what is generated is the same where only ASCII is known', async () => {
  await expectTheSameIn('C', 'en-US', 'America/St_Johns');
});
