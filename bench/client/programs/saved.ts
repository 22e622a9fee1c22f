import type { CacheStore } from '@jmapsmith/client';
import { connect } from '@jmapsmith/client';
import { FakeServer } from './fake-server.js';
import { things } from './things.js';

/** Returns the milliseconds from each of so many writes to its `saved`, one after the other. */
export async function measureSaved(store: CacheStore, count: number): Promise<readonly number[]> {
  const client = await connect(things, { ...new FakeServer(0).options, store });
  await client.sync.settled();
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const begun = performance.now();
    const { saved } = client.account().Thing.create({ title: `Thing ${n}` });
    if (!(await saved)) throw new Error('A write was not saved.');
    times.push(performance.now() - begun);
    await client.sync.settled();
  }
  await client.close();
  return times;
}
