import { it } from 'vitest';
import { killUnderLoad } from './kill.js';

it('5.3, D27: kill -9 under sixteen writers loses nothing that was acknowledged, sixty times', async () => {
  await killUnderLoad(60);
}, 900_000);
