import { quantile } from '../../quantile.js';
import type { ListFigures } from '../figures.js';
import type { Contender } from './contenders.js';
import { plain } from './hand-written.js';
import { openOurs, ours } from './ours.js';
import { outsideStore } from './outside-store.js';
import { tanstack } from './tanstack.js';
import { watch } from './tasks.js';
import { mix } from './things.js';

/** Run as `node --expose-gc lists.mjs CONTENDER OBJECTS UPDATES SINGLES`; prints its figures. */

const CONTENDERS: Readonly<Record<string, Contender>> = {
  ours,
  /** The client, with its store outside the memory of the program. */
  outside: { open: (size) => openOurs(size, outsideStore()) },
  plain,
  tanstack,
};

async function measure(contender: Contender, sizes: readonly number[]): Promise<ListFigures> {
  const [size = 0, updates = 0, singles = 0] = sizes;
  const before = collect();
  const scene = await contender.open(size);
  const objects = collect();
  let rows = 0;
  const first = await watch(async () => {
    rows = await scene.show('large');
  });
  await scene.show('small');
  const numbers = Array.from({ length: updates }, (_, n) => mix(n) % size);
  let took = 0;
  const many = await watch(async () => {
    took = await scene.change([...new Set(numbers)]);
  });
  const ones: number[] = [];
  const writes: number[] = [];
  for (let n = 0; n < singles; n += 1) {
    ones.push(await scene.change([mix(n + size) % size]));
    writes.push(await scene.write(mix(n + 2 * size) % size, `Thing ${n.toString(36)} by hand`));
  }
  // The first list has loaded tables, too.
  const lists = collect();
  await scene.show('other');
  const listMemory = collect() - lists;
  await scene.close();
  return {
    ...{ memory: objects - before, listMemory, rows },
    ...{ first: first.total, firstTask: first.longest },
    ...{ updates: took, updatesTask: many.longest },
    ...{ one: quantile(ones, 0.5), onePast: quantile(ones, 0.99), write: quantile(writes, 0.5) },
  };
}

/** Returns the octets that are in use. */
function collect(): number {
  for (let n = 0; n < 3; n += 1) (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed;
}

const [name = '', ...sizes] = process.argv.slice(2);
const contender = CONTENDERS[name];
if (contender === undefined) throw new Error(`There is no ${name}.`);
process.stdout.write(JSON.stringify(await measure(contender, sizes.map(Number))));
