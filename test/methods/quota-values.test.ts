import { expect, it, onTestFinished } from 'vitest';
import { checkUsage } from '../../src/methods/quota/keep-quotas.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { Random } from '../support/random.js';
import { type Json, makeProject, QuotaRig, serveQuotas } from './quota-rig.js';

/** Values that each user has of its own count to quotas of octets. */

const YAML = `capability: urn:example:books
quotas:
  storage: { types: [Note], octets: 4kB }
types:
  Book: { properties: { name: { type: string, default: '' } } }
  Note:
    properties:
      bookId: { type: [string, 'null'], references: Book, onDestroy: cascade }
      text: { type: string, maxLength: 4000, default: '' }
      label: { type: string, maxLength: 4000, default: '', perUser: true }
      seen: { type: boolean, default: false, perUser: true }
`;
const USERS = ['u1', 'u2', 'u3'];
const DEFAULTS: Json = { label: '', seen: false };
const SHARED = ['id', 'bookId', 'text', 'created', 'updated'];

const postgresql = usePostgresql();

/** Books and their notes, with the values that each user has given. */
class Notes extends QuotaRig {
  /** By id: the values of users. */
  readonly given = new Map<string, Map<string, Json>>();

  /** Makes notes; those that come to be have these values of the user. */
  async make(userId: string, drafts: readonly Json[]): Promise<Json> {
    const create = Object.fromEntries(drafts.map((draft, at) => [`k${at}`, draft]));
    const answer = await this.served.call('Note/set', { create }, { userId });
    for (const [key, { id }] of Object.entries<Json>(answer.created ?? {}))
      this.given.set(id, new Map([[userId, ownOf(create[key])]]));
    return answer;
  }

  async set(userId: string, id: string, patch: Json): Promise<Json> {
    const answer = await this.served.call('Note/set', { update: { [id]: patch } }, { userId });
    const values = this.given.get(id);
    const known = values?.get(userId) ?? {};
    // A user who gives what it reads anyway gives nothing.
    const given = Object.entries(ownOf(patch)).filter(
      ([name, value]) => value !== (known[name] ?? DEFAULTS[name]),
    );
    if (answer.notUpdated === null && given.length > 0)
      values?.set(userId, { ...known, ...Object.fromEntries(given) });
    return answer.notUpdated?.[id] ?? null;
  }

  /** Resolves to the octets of all notes, and of the values that users have given. */
  override async octets(): Promise<number> {
    const { list } = await this.call('Note/get', { ids: null, properties: SHARED });
    let octets = 0;
    for (const note of list) {
      octets += Buffer.byteLength(JSON.stringify(note));
      for (const values of this.given.get(note.id)?.values() ?? []) octets += sizeOf(values);
    }
    return octets;
  }

  /** Expects that all of it is counted, as a new count finds it. */
  async check(): Promise<number> {
    const { store, registry } = this.served;
    if (registry.quotas === null) throw new Error('There are no quotas.');
    const keeping = { store, conductor, quotas: registry.quotas };
    const deadline = performance.now() + 60_000;
    const [storage] = await checkUsage(keeping, 'a1', { deadline });
    const { used } = await this.quota('storage');
    expect(used).toBe(await this.octets());
    expect(storage).toEqual({ name: 'storage', used, counted: used });
    return used;
  }
}

function ownOf({ label, seen }: Json): Json {
  return { ...(label !== undefined && { label }), ...(seen !== undefined && { seen }) };
}

function sizeOf(values: Json): number {
  const given = Object.entries(values).filter(([, value]) => value !== null);
  if (Object.keys(values).length === 0) return 0;
  return Buffer.byteLength(JSON.stringify(Object.fromEntries(given)));
}

async function open(database: string): Promise<Notes> {
  const project = await makeProject({ 'books.yaml': YAML });
  onTestFinished(() => project.remove());
  const url = database === 'SQLite' ? undefined : await postgresql().createDatabase('quota');
  const { served } = await serveQuotas(project.root, url);
  onTestFinished(() => served.close());
  return new Notes(served);
}

const DATABASES = ['SQLite', 'PostgreSQL'];

it.each(DATABASES)(
  'on %s values of users count, and those beyond the limit are refused',
  async (name) => {
    const rig = await open(name);
    const { created } = await rig.make('u1', [{ text: 'a', label: 'é' }, { text: 'b' }]);
    const [a, b] = [created.k0.id, created.k1.id];
    const before = await rig.check();
    expect(await rig.set('u2', a, { label: 'x'.repeat(100) })).toBeNull();
    expect(await rig.check()).toBe(before + JSON.stringify({ label: 'x'.repeat(100) }).length);

    // A value that grows too much is refused, and the object stays as it is.
    const large = { label: 'x'.repeat(3900) };
    expect(await rig.set('u3', b, large)).toMatchObject({ type: 'overQuota' });
    expect(await rig.set('u3', b, { ...large, text: 'c' })).toMatchObject({ type: 'overQuota' });
    const refused = await rig.make('u3', [
      { text: 'd', ...large },
      { text: 'e', seen: true },
    ]);
    expect(refused.notCreated).toMatchObject({ k0: { type: 'overQuota' } });
    expect(Object.keys(refused.created)).toEqual(['k1']);
    await rig.check();

    // One that shrinks, or goes with its object, makes room.
    expect(await rig.set('u2', a, { label: 'y' })).toBeNull();
    expect(await rig.set('u2', b, { label: 'x'.repeat(3000) })).toBeNull();
    await rig.check();
    const make = { create: { k: { text: 'x'.repeat(2000) } } };
    expect((await rig.call('Note/set', make)).notCreated.k.type).toBe('overQuota');
    const made = await rig.call('Note/set', { ...make, destroy: [b] });
    expect(made).toMatchObject({ notCreated: null, destroyed: [b] });
    await rig.check();
    expect(await rig.set('u2', a, { label: null })).toBeNull();
    await rig.check();
  },
  120_000,
);

it.each(DATABASES)(
  'on %s what is used is exact after any calls',
  async (name) => {
    const rig = await open(name);
    const random = new Random(7);
    const books: string[] = [];
    const draft = (): Json => ({
      ...(random.chance(0.5) && { label: 'é'.repeat(random.integer(0, 80)) }),
      ...(random.chance(0.5) && { seen: random.chance(0.5) }),
      ...(random.chance(0.4) && { text: 'x'.repeat(random.integer(0, 80)) }),
    });
    for (let step = 0; step < 40; step += 1) {
      const userId = random.pick(USERS);
      const ids = [...rig.given.keys()];
      if (random.chance(0.3) || ids.length === 0) {
        const made = await rig.call('Book/set', { create: { k: {} } });
        books.push(made.created.k.id);
        const drafts = [draft(), draft()].map((one) => ({ ...one, bookId: random.pick(books) }));
        await rig.make(userId, drafts);
      } else if (random.chance(0.1)) {
        await rig.call('Note/set', { destroy: [random.pick(ids)] });
      } else if (random.chance(0.12)) {
        const [book] = books.splice(random.integer(0, books.length - 1), 1);
        await rig.call('Book/set', { destroy: [book] });
      } else await rig.set(userId, random.pick(ids), draft());
      await rig.check();
    }
  },
  240_000,
);
