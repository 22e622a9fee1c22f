import { pauseWhileRunning } from './receiver.js';
import type { World } from './world.js';

/** A fault of the servers, one in each seed. */
type Fault = 'nothing' | 'kill' | 'killForLong' | 'stop' | 'cutSessions';

/** Does what the seed draws. Resolves when all servers run that are to run. */
export async function makeFaults(world: World, length: number): Promise<void> {
  const random = world.random('faults');
  const { fleet } = world;
  const fault = random.pick<Fault>([
    ...(['nothing', 'nothing', 'kill', 'stop'] as const),
    ...(fleet.isShared ? (['cutSessions', 'cutSessions', 'killForLong'] as const) : []),
  ]);
  const access = changeAccess(world, length);
  await pauseWhileRunning(world, random.integer(100, length));
  if (fault === 'cutSessions') {
    for (let n = random.integer(1, 3); n > 0; n -= 1) {
      await fleet.cutSessions();
      await pauseWhileRunning(world, random.integer(0, 100));
    }
  } else if (fault !== 'nothing') {
    const index = random.integer(0, fleet.size - 1);
    if (fault !== 'stop') world.hasKilled = true;
    await fleet.end(index, fault === 'stop' ? 'stop' : 'kill');
    if (fault !== 'killForLong') await fleet.startAll();
  }
  await access;
}

/** Takes access to accounts away, and gives it back. */
async function changeAccess(world: World, length: number): Promise<void> {
  const random = world.random('access');
  if (random.chance(0.5)) return;
  for (let n = random.integer(1, 3); n > 0; n -= 1) {
    await pauseWhileRunning(world, random.integer(0, length / 2));
    const { name } = random.pick(world.people);
    const { id } = random.pick(world.accounts);
    if (world.reaches(name, id)) await world.revoke(name, id);
    else await world.grant(name, id);
  }
}
