import type { Call } from '../../support/client.js';
import type { Random } from '../../support/random.js';
import { pause } from './receiver.js';
import type { Person, World, WrittenType } from './world.js';

/** A client that creates, changes and destroys objects, and makes calls that fail. */
export class Writer {
  readonly #world: World;
  readonly #random: Random;
  readonly #person: Person;
  /** Ids of objects that it has made, by account and type. */
  readonly #made = new Map<string, string[]>();

  constructor(world: World, name: string) {
    this.#world = world;
    this.#random = world.random(name);
    this.#person = this.#random.pick(world.people);
  }

  async run(): Promise<void> {
    const slowest = this.#random.pick([2, 20, 150]);
    while (this.#world.phase === 'run') {
      const calls = [this.#draw('a'), ...(this.#random.chance(0.3) ? [this.#draw('b')] : [])];
      const answer = await this.#world.request(this.#person, this.#random, calls);
      for (const [name, args, id] of answer?.methodResponses ?? []) {
        const call = calls.find(([, , callId]) => callId === id);
        if (name === 'error' && args['type'] === 'serverFail')
          this.#world.problems.add(`${call?.[0]} failed: ${JSON.stringify(args)}`);
        const created = args['created'] as Record<string, { id: string }> | null | undefined;
        for (const { id: made } of Object.values(created ?? {}))
          this.#idsOf((args['accountId'] as string) ?? '', name.split('/')[0] ?? '').push(made);
      }
      await pause(this.#random.integer(0, slowest));
    }
  }

  #draw(callId: string): Call {
    const { id: accountId, types } = this.#random.pick(this.#world.accounts);
    const type = this.#random.pick(this.#world.types.filter(({ name }) => types.has(name)));
    return [`${type.name}/set`, { accountId, ...this.#drawSet(accountId, type) }, callId];
  }

  #drawSet(accountId: string, type: WrittenType): object {
    const random = this.#random;
    const ids = this.#idsOf(accountId, type.name);
    const parents = this.#idsOf(accountId, type.parent ?? '');
    const draw = (): object => type.draw(random, parents);
    const what = random.integer(0, 9);
    if (what < 4 || ids.length === 0) {
      const count = random.integer(1, 3);
      return { create: Object.fromEntries(Array.from({ length: count }, (_, n) => [n, draw()])) };
    }
    const id = random.pick(ids);
    if (what < 7) return { update: { [id]: draw() } };
    if (what === 7) {
      ids.splice(ids.indexOf(id), 1);
      return { destroy: [id] };
    }
    // Calls that change nothing: no such object, no such property, another state, the same value.
    return random.pick([
      { update: { nobody: draw() } },
      { create: { k: { ...draw(), nothing: 1 } } },
      { ifInState: '999999', destroy: [id] },
      { update: { [id]: {} } },
    ]);
  }

  #idsOf(accountId: string, type: string): string[] {
    const key = `${accountId} ${type}`;
    const ids = this.#made.get(key) ?? [];
    this.#made.set(key, ids);
    return ids;
  }
}
