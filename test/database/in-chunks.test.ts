import { expect, it } from 'vitest';
import { inChunks } from '../../src/database/in-chunks.js';

it('a key may have more rows than a call has arguments', async () => {
  const rows = await inChunks(['a', 'b', 'a'], async (keys) =>
    keys.flatMap((key) => Array.from({ length: 150_000 }, () => key)),
  );
  expect(rows).toHaveLength(300_000);
});
