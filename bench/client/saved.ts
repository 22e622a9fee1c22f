import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './programs.js';
import { median, ms, type Row, type Sizes } from './rows.js';

const MOST = 10;

/** How soon a write is in a file of SQLite. */
export async function measureSaved({ rounds, writes }: Sizes): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-saved-'));
  const times: number[] = [];
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const file = join(folder, `${round}.db`);
      times.push((await runProgram('saved-in-file', [file, writes])) as number);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const time = median(times);
  const what = '`saved` in a file of SQLite, p50';
  return [{ what, target: ms(MOST), measured: ms(time), isMet: time <= MOST }];
}
