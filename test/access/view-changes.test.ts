import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeldScopes } from '../../src/access/held-scopes.js';
import { PastScopes } from '../../src/access/past-scopes.js';
import { changesOfView, type Moment } from '../../src/access/view-changes.js';
import type { AccessChange, ScopedChange, ViewRecord } from '../../src/store/port.js';

// A history of a type, and what one user synchronises of it.

const USERS = ['u1', 'u2'] as const;
const GROUPS = ['g1', 'g2'] as const;
const PRINCIPALS = [...USERS, ...GROUPS];
const SCOPES = ['*', 'p:u1', 'List:a', 'List:b', 'List:c'];
const IDS = ['o1', 'o2', 'o3', 'o4', 'o5'];

interface Thing {
  readonly scopes: readonly string[];
  readonly version: number;
}

/** The objects of the server, and all that has happened. */
class World {
  readonly records: ViewRecord[] = [];
  readonly objects = new Map<string, Thing>();
  readonly given = new Map<string, Set<string>>(PRINCIPALS.map((id) => [id, new Set()]));
  readonly groups = new Map<string, Set<string>>(USERS.map((id) => [id, new Set()]));

  write(id: string, scopes: readonly string[]): void {
    const before = this.objects.get(id);
    const isSame = before !== undefined && String(before.scopes) === String(scopes);
    this.#note({
      ...{ objectId: id, kind: before === undefined ? 'created' : 'updated', scopes },
      ...{ scopesBefore: before === undefined || isSame ? null : before.scopes, properties: null },
    });
    this.objects.set(id, { scopes, version: this.records.length });
  }

  destroy(id: string): void {
    const before = this.objects.get(id);
    if (before === undefined) return;
    this.objects.delete(id);
    const scopes = { scopes: [], scopesBefore: before.scopes };
    this.#note({ objectId: id, kind: 'destroyed', ...scopes, properties: null });
  }

  share(principalId: string, scope: string): void {
    const own = this.given.get(principalId) as Set<string>;
    const kind = own.delete(scope) ? 'taken' : 'given';
    if (kind === 'given') own.add(scope);
    this.#noteAccess([{ kind, principalId, scopes: [scope] }]);
  }

  /** A user joins a group, or leaves it. */
  join(memberId: string, principalId: string): void {
    const groups = this.groups.get(memberId) as Set<string>;
    const kind = groups.delete(principalId) ? 'taken' : 'given';
    if (kind === 'given') groups.add(principalId);
    const scopes = [...(this.given.get(principalId) as Set<string>)];
    this.#noteAccess([{ kind, principalId, memberId, scopes }]);
  }

  /** Returns the scopes that a user had before the record behind `number`. */
  heldAt(userId: string, number: number): HeldScopes {
    const groupIds = [...(this.groups.get(userId) as Set<string>)];
    const given = [userId, ...groupIds].flatMap((id) => [...(this.given.get(id) as Set<string>)]);
    const held = new HeldScopes({ userId, groupIds, fixed: ['*', `p:${userId}`], given });
    for (const record of this.records.slice(number).toReversed()) {
      if (record.kind !== 'access') continue;
      for (const change of record.changes.toReversed()) held.revert(change);
    }
    return held;
  }

  view(userId: string): Map<string, number> {
    const held = this.heldAt(userId, this.records.length);
    const seen = [...this.objects].filter(([, { scopes }]) => held.meets(scopes));
    return new Map(seen.map(([id, { version }]) => [id, version]));
  }

  /** Answers a /changes. */
  page(userId: string, since: Moment, maximum: number) {
    const start = since.upTo === undefined ? since.number : since.number - 1;
    return changesOfView(
      {
        held: this.heldAt(userId, start),
        records: this.records.slice(start),
        ...(since.upTo !== undefined && { upTo: since.upTo }),
        findObjects: (number, scopes) => {
          const wanted = new Set(scopes);
          const today = [...this.objects].flatMap(([id, own]) =>
            own.scopes.some((scope) => wanted.has(scope)) ? [{ id, scopes: own.scopes }] : [],
          );
          const later = this.records
            .slice(number - 1)
            .filter((record): record is ScopedChange => record.kind !== 'access')
            .filter(({ kind, scopesBefore }) => kind === 'created' || scopesBefore !== null);
          return new PastScopes(today, later).findBefore(number, scopes);
        },
      },
      maximum,
    );
  }

  #note(change: Omit<ScopedChange, 'number'>): void {
    this.records.push({ number: this.records.length + 1, ...change });
  }

  #noteAccess(changes: readonly AccessChange[]): void {
    this.records.push({ number: this.records.length + 1, kind: 'access', changes });
  }
}

/** A client's copy. It reads objects as they are when it asks, as clients do. */
class Client {
  readonly view: Map<string, number>;
  /** All ids that it was told. */
  readonly told = new Set<string>();
  since: Moment;

  readonly world: World;
  readonly userId: string;

  constructor(world: World, userId: string) {
    this.world = world;
    this.userId = userId;
    this.view = world.view(userId);
    this.since = { number: world.records.length };
  }

  /** Reads one page. */
  read(maximum: number): void {
    const { end, kinds } = this.world.page(this.userId, this.since, maximum);
    const now = this.world.view(this.userId);
    expect(kinds.size).toBeLessThanOrEqual(maximum);
    for (const [id, kind] of kinds) {
      this.told.add(id);
      if (kind === 'created') expect(this.view.has(id), `${id} created`).toBe(false);
      else expect(this.view.has(id), `${id} ${kind}`).toBe(true);
      if (kind === 'destroyed') this.view.delete(id);
      else this.view.set(id, now.get(id) ?? -1);
    }
    if (end !== null) this.since = end;
  }

  get isInStep(): boolean {
    const { number, upTo } = this.since;
    return number === this.world.records.length && upTo === undefined;
  }
}

type Act = (world: World) => void;

const scopes = fc.subarray(SCOPES).map((some) => [...some].sort());
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(...IDS), scopes).map(
      ([id, own]) =>
        (world: World) =>
          world.write(id, own),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...IDS).map((id) => (world: World) => world.destroy(id)),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...PRINCIPALS), fc.constantFrom(...SCOPES.slice(2))).map(
      ([who, scope]) =>
        (world: World) =>
          world.share(who, scope),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...USERS), fc.constantFrom(...GROUPS)).map(
      ([who, group]) =>
        (world: World) =>
          world.join(who, group),
    ),
  },
);

describe('changes of a view', () => {
  it('lead from each old view to the present one, by pages of any size', () => {
    fc.assert(
      fc.property(
        fc.array(act, { maxLength: 30 }),
        fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 4 }), act), { maxLength: 30 }),
        fc.integer({ min: 1, max: 4 }),
        (acts, later, maximum) => {
          const world = new World();
          const clients: Client[] = [];
          for (const each of acts) {
            for (const userId of USERS) clients.push(new Client(world, userId));
            each(world);
          }
          // Pages between which more happens.
          for (const [reads, size, each] of later) {
            each(world);
            if (reads) for (const client of clients) client.read(size);
          }
          for (const client of clients) {
            for (let pages = 0; pages < 500 && !client.isInStep; pages += 1) client.read(maximum);
            expect(client.isInStep).toBe(true);
            expect(new Map([...client.view].sort())).toEqual(
              new Map([...world.view(client.userId)].sort()),
            );
          }
        },
      ),
      { numRuns: Number(process.env['ACCESS_RUNS'] ?? 300) },
    );
  });

  it('name what the user could see at one end, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), fc.nat(), (acts, at) => {
        const world = new World();
        const start = at % (acts.length + 1);
        for (const each of acts.slice(0, start)) each(world);
        const clients = USERS.map((userId) => new Client(world, userId));
        const before = clients.map(({ view }) => new Set(view.keys()));
        for (const each of acts.slice(start)) each(world);
        for (const [index, client] of clients.entries()) {
          client.read(IDS.length);
          const visible = new Set([...(before[index] ?? []), ...world.view(client.userId).keys()]);
          expect([...client.told].filter((id) => !visible.has(id))).toEqual([]);
        }
      }),
      { numRuns: Number(process.env['ACCESS_RUNS'] ?? 300) },
    );
  });
});
