import { expect, it } from 'vitest';
import { reloadWith } from '../../src/server/reload-with.js';

it('parts are reloaded once for a version, however many requests see it', async () => {
  let version = '1';
  let reloads = 0;
  let isAway = false;
  const part = {
    async reload() {
      reloads += 1;
      await new Promise((resolve) => setImmediate(resolve));
      if (isAway) throw new Error('away');
    },
  };
  const read = reloadWith(() => version, [part]);
  expect(await Promise.all([read(), read(), read()])).toEqual(['1', '1', '1']);
  expect(reloads).toBe(1);
  expect(read()).toBe('1');
  version = '2';
  isAway = true;
  const failed = await Promise.allSettled([read(), read()]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(reloads).toBe(2);
  isAway = false;
  expect(await read()).toBe('2');
  expect(reloads).toBe(3);
});
