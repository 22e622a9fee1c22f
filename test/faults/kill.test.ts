import { it } from 'vitest';
import { killUnderLoad } from './kill.js';

it('RFC 8620 5.3: kill -9 under sixteen writers loses nothing that was acknowledged, five times', async () => {
  await killUnderLoad(5);
}, 600_000);
