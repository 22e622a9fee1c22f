import { it } from 'vitest';
import { killUnderLoad } from './kill.js';

it('5.3, D27: kill -9 under sixteen writers loses nothing that was acknowledged, five times', async () => {
  await killUnderLoad(5);
}, 600_000);
