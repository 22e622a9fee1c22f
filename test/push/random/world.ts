import { setTimeout as pause } from 'node:timers/promises';
import {
  createAccount,
  createToken,
  grantAccess,
  revokeAccess,
  revokeToken,
} from '../../../src/accounts/index.js';
import { createIdGenerator } from '../../../src/protocol/ids.js';
import { type ApiResponse, type Call, Client, CORE, NOTES, TODOS } from '../../support/client.js';
import { Random } from '../../support/random.js';
import type { Fleet } from './fleet.js';

/** A data type that writers change. */
export interface WrittenType {
  readonly name: string;
  readonly capability: string;
  /** Returns an object to create; `ids` are those of the type that it belongs to. */
  readonly draw: (random: Random, ids: readonly string[]) => object;
  /** The type that it belongs to. */
  readonly parent?: string;
}

export const TODO: WrittenType = {
  ...{ name: 'Todo', capability: TODOS },
  draw: (random) => ({ text: `t${random.integer(0, 99)}` }),
};
export const NOTE: WrittenType = {
  ...{ name: 'Note', capability: NOTES },
  draw: (random) => ({ title: `t${random.integer(0, 99)}` }),
};

const LEDGER = 'https://example.com/jmap/ledger';
/** Its lines end with it, and it counts them (test/hooks/ledger.yaml). */
export const BOOK: WrittenType = {
  ...{ name: 'Book', capability: LEDGER },
  draw: (random) => ({ title: `t${random.integer(0, 99)}` }),
};
export const LINE: WrittenType = {
  ...{ name: 'Line', capability: LEDGER, parent: 'Book' },
  draw: (random, books) => ({
    bookId: books.length === 0 ? 'nobody' : random.pick(books),
    amount: random.integer(0, 9),
  }),
};

/** An account; `types` are the names of those that its users see. */
export interface WorldAccount {
  readonly id: string;
  readonly types: ReadonlySet<string>;
}

/** A user, with a token. */
export interface Person {
  readonly name: string;
  readonly token: string;
}

/** Something that the servers must not do, or a state that a receiver was not told. */
export class Problems {
  readonly all: string[] = [];

  add(problem: string): void {
    if (this.all.length < 20) this.all.push(problem);
  }
}

/** From when to when a user reaches an account, `performance.now()`. */
interface Reach {
  readonly from: number;
  until: number;
}

/** After a revocation a server may tell of an account for so long, ms. */
const GRACE = 1000;
/** Servers don't notice an access that is taken and given again within a shorter time, ms. */
const NOTICE = 400;

const ids = createIdGenerator();
let worlds = 0;

/** The users, accounts and tokens of one seed, and who reaches what. */
export class World {
  readonly problems = new Problems();
  readonly accounts: WorldAccount[] = [];
  readonly people: Person[] = [];
  readonly fleet: Fleet;
  readonly types: readonly WrittenType[];
  readonly seed: number;
  /** `run`: writers write, receivers come and go; `settle`: all becomes quiet; `over`. */
  phase: 'run' | 'settle' | 'over' = 'run';
  /** A server was killed: what it did at that moment may be lost. */
  hasKilled = false;
  /** Called with a user who reaches an account again: the session says so, not each push. */
  readonly onReturn: ((user: string) => void)[] = [];
  readonly #reaches = new Map<string, Reach[]>();

  private constructor(fleet: Fleet, types: readonly WrittenType[], seed: number) {
    this.fleet = fleet;
    this.types = types;
    this.seed = seed;
  }

  static async make(fleet: Fleet, types: readonly WrittenType[], seed: number): Promise<World> {
    const world = new World(fleet, types, seed);
    worlds += 1;
    const random = world.random('world');
    const names = Array.from({ length: random.integer(1, 3) }, (_, n) => `u${worlds}-${n}`);
    for (const name of names) {
      await world.#addAccount(name, random);
      if (random.integer(0, 1) === 0) await world.#addAccount(name, random);
    }
    for (const name of names) {
      for (const account of world.accounts)
        if (!world.reaches(name, account.id) && random.integer(0, 1) === 0)
          await world.grant(name, account.id);
      const token = await createToken(fleet.prisma, ids, { user: name });
      world.people.push({ name, token });
    }
    return world;
  }

  /** Returns a generator of one actor's own. */
  random(actor: string): Random {
    let hash = this.seed;
    for (const character of actor) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
    return new Random(hash >>> 0);
  }

  /** Returns a client of a server that runs; null where none does. */
  client(person: Person, random: Random): Client | null {
    const { urls } = this.fleet;
    const url = urls[random.integer(0, Math.max(0, urls.length - 1))];
    const capabilities = this.types.map(({ capability }) => capability);
    return url === undefined
      ? null
      : new Client(url, person.token, [CORE, ...new Set(capabilities)]);
  }

  /** Sends a request, to another server where one has died. Null: no server has answered it. */
  async request(
    person: Person,
    random: Random,
    calls: readonly Call[],
  ): Promise<ApiResponse | null> {
    try {
      return (await this.client(person, random)?.api(calls)) ?? null;
    } catch (error) {
      if (!isStop(error)) this.problems.add(`A request failed: ${String(error)}`);
      return null;
    }
  }

  async grant(user: string, accountId: string): Promise<void> {
    const until = this.#reachesOf(user, accountId).at(-1)?.until ?? Number.NEGATIVE_INFINITY;
    await pause(Math.max(0, until + NOTICE - performance.now()));
    const reach = { from: performance.now(), until: Number.POSITIVE_INFINITY };
    this.#reachesOf(user, accountId).push(reach);
    await grantAccess(this.fleet.prisma, ids, { accountId, user, readOnly: false });
    if (until > 0) for (const listener of this.onReturn) listener(user);
  }

  async revoke(user: string, accountId: string): Promise<void> {
    await revokeAccess(this.fleet.prisma, accountId, user);
    const last = this.#reachesOf(user, accountId).at(-1);
    if (last !== undefined) last.until = performance.now();
  }

  /** Returns whether a user reaches an account now. */
  reaches(user: string, accountId: string): boolean {
    return this.#reachesOf(user, accountId).at(-1)?.until === Number.POSITIVE_INFINITY;
  }

  /** Returns whether a server may tell a user of an account now. */
  mayHear(user: string, accountId: string): boolean {
    const now = performance.now();
    return this.#reachesOf(user, accountId).some(({ until }) => now < until + GRACE);
  }

  async remove(): Promise<void> {
    for (const { token } of this.people) {
      // Its subscriptions end with it.
      await revokeToken(this.fleet.prisma, token);
    }
  }

  async #addAccount(user: string, random: Random): Promise<void> {
    const limited = random.integer(0, 3) === 0 ? this.types[0] : undefined;
    const capabilities = limited === undefined ? null : [limited.capability];
    const id = await createAccount(this.fleet.prisma, ids, { name: 'A', user, capabilities });
    const seen = this.types.filter(({ capability }) => capabilities?.includes(capability) ?? true);
    this.accounts.push({ id, types: new Set(seen.map(({ name }) => name)) });
    this.#reachesOf(user, id).push({ from: performance.now(), until: Number.POSITIVE_INFINITY });
  }

  #reachesOf(user: string, accountId: string): Reach[] {
    const key = `${user} ${accountId}`;
    const reaches = this.#reaches.get(key) ?? [];
    this.#reaches.set(key, reaches);
    return reaches;
  }
}

/**
 * Returns whether a request failed because its server dies or stops. With quick clocks a server
 * also gives a request up (408) that a busy machine brings slowly.
 */
export function isStop(error: unknown): boolean {
  return error instanceof TypeError || /HTTP (408|503)/.test(String(error));
}
