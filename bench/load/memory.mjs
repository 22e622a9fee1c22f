import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into a server that is measured: at SIGUSR2 it collects all garbage and writes what it
 * holds then, octets, to the file that MEMORY_FILE names.
 */
const { MEMORY_FILE } = process.env;

if (MEMORY_FILE !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    void tell(MEMORY_FILE, collect);
  });
}

async function tell(file, collect) {
  // The next collection finds the memory that finalizers free; a pause later, the memory that they
  // hand to threads.
  for (let n = 0; n < 4; n += 1) {
    collect();
    await pause(50);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  writeFileSync(file, JSON.stringify({ rss, heapUsed, external }));
}
