import { expect, it, onTestFinished } from 'vitest';
import { startProxy } from '../../faults/proxy.js';
import { eventually } from '../../support/poll.js';
import { expectDivided } from './hubs.js';
import { ALL, usePollHubs } from './poll-hubs.js';

const { open, url } = usePollHubs();

it('a hub that polls takes over what the lease of a silent process has left', async () => {
  const network = await startProxy(Number(new URL(url()).port));
  onTestFinished(() => network.close());
  const through = new URL(url());
  through.port = String(network.port);
  const silent = open({ lease: 1000, renewal: 50 }, through.href);
  await eventually(() => expect(silent.shards()).toEqual(ALL));
  const other = open();
  await eventually(() => expectDivided([silent, other]));
  network.stall();
  let wereBoths = 0;
  await eventually(() => {
    wereBoths += silent.shards().filter((shard) => other.shards().includes(shard)).length;
    expect(other.shards()).toEqual(ALL);
  });
  expect(silent.shards()).toEqual([]);
  expect(wereBoths).toBe(0);
  network.resume();
  await eventually(() => expectDivided([silent, other]));
});
