import { it } from 'vitest';
import { killUnderLoad } from './kill.js';

it('RFC 8620 5.3: kill -9 under 16 writers loses no acknowledged write', async () => {
  await killUnderLoad(1);
}, 600_000);
