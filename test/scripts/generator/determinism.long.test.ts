import { it } from 'vitest';
import { expectTheSameIn } from './everything.js';

it('generated files are the same if the machine knows only ASCII', async () => {
  await expectTheSameIn('C', 'en-US', 'America/St_Johns');
});

// Where "i" and "I" are not one letter, and a day begins elsewhere.
it('generated files are the same in Turkish and in Kolkata, in a folder of any name', async () => {
  await expectTheSameIn('tr_TR.UTF-8', 'tr-TR', 'Asia/Kolkata');
});
