import { expect, onTestFinished, test, vi } from 'vitest';
import { filesEntered } from '../../bench/path-counts.js';

test('a warm request enters no more files than its bound in bench/path-counts.ts', async () => {
  // The runner of tests sets it, to its own. A run of this file alone builds first, which takes
  // long.
  vi.stubEnv('BASE_URL', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const { name, most, files } of await filesEntered())
    expect(files.length, `${name} enters\n  ${files.join('\n  ')}\n`).toBeLessThanOrEqual(most);
});
