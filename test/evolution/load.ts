import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../support/client.js';
import type { JsonMap } from '../support/json.js';

/** The names of things in one version. */
export interface Words {
  readonly book: string;
  readonly title: string;
  /** The property of Loan that leads to a book. */
  readonly link: string;
  /** The values of a book beside its title. */
  readonly more: (n: number) => object;
  /** Labels books, restricting; the next version has given it up. */
  readonly tag?: string;
}

export interface Load {
  /** How many rounds of calls were made. */
  readonly rounds: number;
  /** Answers that a client of this version should never get. */
  readonly problems: readonly string[];
  /** Ids of the books that it has made and not destroyed, and their titles. */
  readonly books: ReadonlyMap<string, string>;
  stop(): Promise<void>;
}

/** A client that writes, reads, looks for and follows objects until it is stopped. */
export function startLoad(client: Client, accountId: string, name: string, words: Words): Load {
  const problems: string[] = [];
  const books = new Map<string, string>();
  const load = { rounds: 0, problems, books };
  let running = true;
  let state: string | undefined;

  const ask = async (method: string, args: object): Promise<JsonMap | undefined> => {
    const [answered, answer] = await client.call(method, { accountId, ...args });
    if (answered === method) return answer;
    // A migration that changes what clients see resets the states that they hold.
    if (answer['type'] !== 'cannotCalculateChanges')
      problems.push(`${method}: ${JSON.stringify(answer)}`);
    return undefined;
  };
  const expectNothing = (what: string, value: unknown) => {
    if (value !== null && value !== undefined) problems.push(`${what}: ${JSON.stringify(value)}`);
  };

  const round = async (n: number) => {
    const { book, title, link, more, tag } = words;
    const label = `${name} Straße ${n}`;
    const made = await ask(`${book}/set`, { create: { b: { [title]: label, ...more(n) } } });
    expectNothing(`${book}/set`, made?.['notCreated']);
    const id = idOf(made);
    books.set(id, label);
    const lent = await ask('Loan/set', { create: { l: { [link]: id } } });
    expectNothing('Loan/set', lent?.['notCreated']);
    if (tag !== undefined) {
      const tagged = await ask(`${tag}/set`, { create: { t: { bookId: id, label } } });
      expectNothing(`${tag}/set`, tagged?.['notCreated']);
    }
    const updated = await ask(`${book}/set`, { update: { [id]: { [title]: `${label}!` } } });
    expectNothing(`${book}/set`, updated?.['notUpdated']);
    books.set(id, `${label}!`);
    const got = await ask(`${book}/get`, { ids: [id] });
    const [one] = (got?.['list'] ?? []) as JsonMap[];
    if (got !== undefined && one?.[title] !== `${label}!`)
      problems.push(`${book}/get: ${JSON.stringify(got)}`);
    const found = await ask(`${book}/query`, {
      filter: { [title]: `${name} STRASSE ${n}!` },
      sort: [{ property: title }],
    });
    if (found !== undefined && (found['ids'] as string[])[0] !== id)
      problems.push(`${book}/query: ${JSON.stringify(found)}`);
    const changes =
      state === undefined ? undefined : await ask(`${book}/changes`, { sinceState: state });
    state = String(changes?.['newState'] ?? got?.['state'] ?? '') || undefined;
    if (n % 5 === 4 && tag === undefined) {
      const gone = await ask(`${book}/set`, { destroy: [id] });
      expectNothing(`${book}/set`, gone?.['notDestroyed']);
      books.delete(id);
    }
  };

  const done = (async () => {
    while (running) {
      try {
        await round(load.rounds);
      } catch (error) {
        problems.push(String(error));
        if (problems.length > 20) return;
      }
      load.rounds += 1;
      await delay(5);
    }
  })();
  return Object.assign(load, {
    async stop() {
      running = false;
      await done;
    },
  });
}

function idOf(made: JsonMap | undefined): string {
  const created = made?.['created'] as Record<string, JsonMap> | null | undefined;
  return String(created?.['b']?.['id']);
}
