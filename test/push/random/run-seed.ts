import { makeFaults } from './faults.js';
import type { Fleet } from './fleet.js';
import { PushService } from './push-service.js';
import { pause, type Receiver, type Truth } from './receiver.js';
import { SocketReceiver } from './socket-receiver.js';
import { StreamReceiver } from './stream-receiver.js';
import { SubscriptionReceiver } from './subscription-receiver.js';
import { World, type WrittenType } from './world.js';
import { Writer } from './writer.js';

/**
 * After so long, ms, a receiver that lacks something is stuck. It is shorter than the minute after
 * which the servers compare all without a reason, and longer than any wait after a failed push.
 */
const STUCK = 30_000;

/**
 * Runs one seed: writers, receivers of all channels, faults. Then all becomes quiet, and each
 * receiver must have been told the states that /get answers. Rejects with what went wrong.
 */
export async function runSeed(
  fleet: Fleet,
  types: readonly WrittenType[],
  seed: number,
): Promise<void> {
  const world = await World.make(fleet, types, seed);
  const service = await PushService.start(world);
  const random = world.random('sizes');
  const writers = Array.from(
    { length: random.integer(1, 3) },
    (_, n) => new Writer(world, `w${n}`),
  );
  const receivers = makeReceivers(world, service);
  const length = random.integer(300, 1000);
  const running = receivers.map((receiver) => receiver.run());
  const writing = writers.map((writer) => writer.run());
  try {
    await Promise.all([pause(length), makeFaults(world, length)]);
    world.phase = 'settle';
    await Promise.all(writing);
    await settle(world, receivers);
  } finally {
    world.phase = 'over';
    await Promise.all(running);
    await fleet.startAll();
    await world.remove();
    await service.close();
  }
  if (world.problems.all.length > 0)
    throw new Error(`${world.problems.all.join('\n')}\nThe servers logged:\n${fleet.log}`);
}

function makeReceivers(world: World, service: PushService): readonly Receiver[] {
  const random = world.random('receivers');
  const some = <T>(most: number, make: (n: number) => T): T[] =>
    Array.from({ length: random.integer(1, most) }, (_, n) => make(n));
  return [
    ...some(2, (n) => new StreamReceiver(world, `header${n}`, 'header')),
    ...some(1, (n) => new StreamReceiver(world, `both${n}`, 'both')),
    ...some(2, (n) => new StreamReceiver(world, `query${n}`, 'query')),
    ...some(2, (n) => new StreamReceiver(world, `closing${n}`, 'closing')),
    ...some(3, (n) => new SocketReceiver(world, `socket${n}`)),
    ...some(4, (n) => new SubscriptionReceiver(world, `subscription${n}`, service)),
  ];
}

/** Waits until all receivers were told what is true. */
async function settle(world: World, receivers: readonly Receiver[]): Promise<void> {
  const end = performance.now() + STUCK;
  for (;;) {
    const truth = await readTruth(world);
    const missing: string[] = [];
    for (const receiver of receivers) {
      const difference = receiver.difference(truth);
      if (difference !== null && (await receiver.excuse()) === null)
        missing.push(`${difference}${await receiver.detail()}`);
    }
    if (missing.length === 0 || world.problems.all.length > 0) return;
    if (performance.now() > end) {
      for (const problem of missing) world.problems.add(problem);
      return;
    }
    await pause(30);
  }
}

/** Resolves to the states that /get answers, for each account by a user who reaches it. */
async function readTruth(world: World): Promise<Truth> {
  const random = world.random('truth');
  const truth = new Map<string, ReadonlyMap<string, number>>();
  for (const { id, types } of world.accounts) {
    const person = world.people.find(({ name }) => world.reaches(name, id));
    if (person === undefined) continue;
    const calls = [...types].map(
      (type) => [`${type}/get`, { accountId: id, ids: [] }, type] as const,
    );
    let answer = null;
    while (answer === null) answer = await world.request(person, random, calls);
    const states = answer.methodResponses.map(
      ([, { state }, type]) => [type, Number(state)] as const,
    );
    truth.set(id, new Map(states));
  }
  return truth;
}
