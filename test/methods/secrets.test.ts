import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccountAccess, Principal } from '../../src/accounts/principal.js';
import { bindSecrets } from '../../src/backfill/bind-secrets.js';
import type { CapabilityDefinition } from '../../src/capability/capability-definition.js';
import { dataType, methodsOf, property, STANDARD } from './gadget.js';
import { type Json, Rig, U1 } from './rig.js';

// Secrets that are stored encrypted are bound to their place, and a copy has none of an account
// that its caller may only read. The type and a property were renamed: their storage keeps the
// first names.

const URN = 'https://example.com/jmap/safes';
const ALL = [URN, 'urn:ietf:params:jmap:core'];
const KEY = randomBytes(32);

const nullable = { nullable: true, default: null } as const;
const encrypted = { access: 'secret', secret: 'encrypt' } as const;
const Safe = dataType(
  'Safe',
  [
    ...STANDARD,
    property('name', 'string', { required: true }),
    property('code', 'string', { required: true, ...encrypted, column: 'combination' }),
    property('note', 'string', { ...nullable, ...encrypted }),
    property('pin', 'string', { ...nullable, access: 'secret', secret: 'hash' }),
  ],
  {
    name: { type: 'string' },
    code: { type: 'string' },
    note: { type: 'string', nullable: true },
    pin: { type: 'string', nullable: true },
  },
  { capability: URN, table: 'Strongbox' },
);
const capability: CapabilityDefinition = {
  urn: URN,
  name: 'safes',
  descriptorHash: 'sha256-safes',
  session: {},
  accountSession: {},
  bareSession: false,
  accountLevel: true,
  dataTypes: [Safe],
  methods: methodsOf(Safe),
};
const tables = `CREATE TABLE "Strongbox" ("accountId" TEXT NOT NULL, "id" TEXT NOT NULL,
  "created" BIGINT NOT NULL, "updated" BIGINT NOT NULL, "name" TEXT NOT NULL,
  "combination" TEXT NOT NULL, "note" TEXT, "pin" TEXT, PRIMARY KEY ("accountId", "id"));`;

interface Row {
  readonly accountId: string;
  readonly id: string;
  readonly updated: number;
  readonly name: string;
  readonly combination: string;
  readonly note: string | null;
  readonly pin: string | null;
}

let rig: Rig;
beforeEach(() => {
  rig = new Rig({}, { more: { capability, tables }, secretKey: KEY });
});
afterEach(() => rig.close());

const rows = (): readonly Row[] =>
  rig.rows('SELECT * FROM "Strongbox" ORDER BY "id"') as readonly Row[];

/** The row of a name. */
function row(name: string): Row {
  const found = rows().find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no ${name}.`);
  return found;
}

/**
 * As docs/reference/properties.md says what is stored: by Node alone. Throws where text, key and
 * place don't fit.
 */
function opened(stored: string | null, place: readonly string[], form = 'aes256gcm-bound'): string {
  const [is, nonce = '', rest = ''] = String(stored).split('$');
  expect(is).toBe(form);
  const octets = Buffer.from(rest, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', KEY, Buffer.from(nonce, 'base64url'), {
    authTagLength: 16,
  });
  decipher.setAuthTag(octets.subarray(-16));
  if (place.length > 0) decipher.setAAD(Buffer.from(JSON.stringify(place)));
  return `${decipher.update(octets.subarray(0, -16), undefined, 'utf8')}${decipher.final('utf8')}`;
}

/** As versions before stored it. */
function unbound(text: string, key: Uint8Array = KEY): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const octets = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  return `aes256gcm$${nonce.toString('base64url')}$${octets.toString('base64url')}`;
}

const code = ({ accountId, id, combination }: Row): string =>
  opened(combination, [accountId, 'Strongbox', id, 'combination']);
const note = ({ accountId, id, note: stored }: Row): string =>
  opened(stored, [accountId, 'Strongbox', id, 'note']);

/** A user who may also write to AR. */
const WRITER: Principal = {
  ...U1,
  accounts: new Map([
    ...U1.accounts,
    ['ar', { ...(U1.accounts.get('ar') as AccountAccess), isReadOnly: false }],
  ]),
};

const set = (args: object, accountId = 'a1', user = U1): Promise<Json> =>
  rig.call('Safe/set', { accountId, ...args }, { using: ALL, user });
const copy = (fromAccountId: string, create: object): Promise<Json> =>
  rig.call('Safe/copy', { fromAccountId, accountId: 'a2', create }, { using: ALL });

const FULL = { name: 'full', code: '1-2-3', note: 'below the mat', pin: '99' };

describe('a stored encrypted secret', () => {
  it('is bound to account, table, id and column, by creates and updates', async () => {
    const { created } = await set({
      create: { k: FULL },
      update: { '#k': { note: 'in the shoe' } },
    });
    expect([code(row('full')), note(row('full'))]).toEqual(['1-2-3', 'in the shoe']);
    await set({ update: { [created.k.id]: { code: '4-5-6' } } });
    expect([code(row('full')), note(row('full'))]).toEqual(['4-5-6', 'in the shoe']);
    const [, [, later]] = await rig.calls(
      [
        ['Safe/set', { accountId: 'a1', create: { n: { name: 'new', code: 'x' } } }],
        ['Safe/set', { accountId: 'a1', update: { '#n': { code: 'y' } } }],
      ],
      { using: ALL },
    );
    expect([later.notUpdated, code(row('new'))]).toEqual([null, 'y']);
  });

  it('can not be read at another place', async () => {
    await set({ create: { k: FULL, other: { ...FULL, name: 'other' } } });
    const [full, other] = [row('full'), row('other')];
    expect(() => code({ ...full, id: other.id })).toThrow();
    expect(() => code({ ...full, accountId: 'a2' })).toThrow();
    expect(() => code({ ...full, combination: String(full.note) })).toThrow();
    // Moving it within the database gives no readable copy either.
    rig.run(
      `UPDATE "Strongbox" SET "combination" = '${full.combination}' WHERE "id" = '${other.id}'`,
    );
    const { notCreated } = await copy('a1', { k: { id: other.id } });
    expect(notCreated.k).toEqual({
      type: 'invalidProperties',
      description: '"code" can\'t be decrypted: give the copy its own.',
      properties: ['code'],
    });
    expect((await copy('a1', { k: { id: other.id, code: 'own' } })).notCreated).toBeNull();
  });
});

describe('/copy', () => {
  it('encrypts secrets again for the copy, and keeps a hash as it is', async () => {
    const { created } = await set({ create: { k: FULL } });
    await copy('a1', {
      same: { id: created.k.id, name: 'same' },
      other: { id: created.k.id, name: 'other', code: 'own', note: null, pin: null },
    });
    const [original, same, other] = [row('full'), row('same'), row('other')];
    expect([same.accountId, code(same), note(same)]).toEqual(['a2', '1-2-3', 'below the mat']);
    expect(same.pin).toBe(original.pin);
    expect([code(other), other.note, other.pin]).toEqual(['own', null, null]);
  });

  it('takes no secret from a read-only account: null, or refused if required', async () => {
    const { created } = await set({ create: { k: FULL } }, 'ar', WRITER);
    const { id } = created.k;
    const { created: copies, notCreated } = await copy('ar', {
      bare: { id, name: 'bare' },
      own: { id, name: 'own', code: 'own', pin: '11' },
    });
    expect(notCreated).toEqual({
      bare: {
        type: 'invalidProperties',
        description:
          '"code" is a secret of an account that you may only read: give the copy its own.',
        properties: ['code'],
      },
    });
    expect(Object.keys(copies)).toEqual(['own']);
    const own = row('own');
    expect([code(own), own.note]).toEqual(['own', null]);
    expect(own.pin).toMatch(/^scrypt\$/);
    expect(own.pin).not.toBe(row('full').pin);
  });
});

describe('at a start, a secret that an earlier version stored', () => {
  const warned: unknown[] = [];
  const start = (database = rig.backfill()): Promise<void> => {
    warned.length = 0;
    const { store, registry, conductor } = rig.services;
    const hooks = { timeout: 1000, prisma: null, join: <T>(work: () => Promise<T>) => work() };
    const log = { info: () => undefined, warn: (fields: unknown) => warned.push(fields) };
    return bindSecrets({
      ...{ store, registry, conductor, database, secretKey: KEY },
      hookServices: { ...hooks, onError: () => undefined },
      blobs: { read: () => Promise.reject(new Error('There are no blobs here.')) },
      log: log as never,
    });
  };

  it('is bound, with more than a batch of others, and no client is told', async () => {
    const names = Array.from({ length: 520 }, (_, n) => `safe-${n}`);
    for (const part of [names.slice(0, 510), names.slice(510)]) {
      const create = Object.fromEntries(part.map((name) => [name, { name, code: 'x', pin: null }]));
      const { notCreated } = await set({ create }, part.length === 510 ? 'a1' : 'a2');
      expect(notCreated).toBeNull();
    }
    const statements = rows().map(
      ({ id, name }) => `UPDATE "Strongbox" SET "combination" = '${unbound(name)}',
        "note" = '${unbound('n')}' WHERE "id" = '${id}'`,
    );
    rig.run(['BEGIN', ...statements, 'COMMIT'].join(';'));
    const [before] = rows();
    const { state } = await rig.call('Safe/get', { ids: [] }, { using: ALL });
    await start();
    expect(rows().map(code)).toEqual(rows().map(({ name }) => name));
    expect(new Set(rows().map(note))).toEqual(new Set(['n']));
    expect(rows()[0]?.updated).toBe(before?.updated);
    expect((await rig.call('Safe/get', { ids: [] }, { using: ALL })).state).toBe(state);
    expect(warned).toEqual([]);
    const bound = rows();
    await start();
    expect(rows()).toEqual(bound);
  });

  it('can be copied before it is bound, and stays as it is under another key', async () => {
    const { created } = await set({ create: { k: FULL, lost: { ...FULL, name: 'lost' } } });
    const put = (name: string, stored: string): void =>
      rig.run(`UPDATE "Strongbox" SET "combination" = '${stored}' WHERE "name" = '${name}'`);
    put('full', unbound('old'));
    const stored = unbound('lost', randomBytes(32));
    put('lost', stored);
    await copy('a1', { k: { id: created.k.id, name: 'copied' } });
    expect(code(row('copied'))).toBe('old');
    await start();
    expect([code(row('full')), row('lost').combination]).toEqual(['old', stored]);
    expect(warned).toEqual([{ type: 'Safe', objects: 1 }]);
  });

  it('tells of an object with one secret left, but not if another server was first', async () => {
    await set({ create: { k: FULL, other: { ...FULL, name: 'other' } } });
    const put = (name: string, column: string, stored: string): void =>
      rig.run(`UPDATE "Strongbox" SET "${column}" = '${stored}' WHERE "name" = '${name}'`);
    put('full', 'combination', unbound('old'));
    put('full', 'note', unbound('lost', randomBytes(32)));
    await start();
    expect(code(row('full'))).toBe('old');
    expect(warned).toEqual([{ type: 'Safe', objects: 1 }]);
    put('full', 'note', '');
    const bound = row('other').combination ?? '';
    put('other', 'combination', unbound('1-2-3'));
    const real = rig.backfill();
    const database = { ...real };
    database.rows = async (...asked) => {
      const found = await real.rows(...asked);
      put('other', 'combination', bound);
      return found;
    };
    await start(database);
    expect([row('other').combination, warned]).toEqual([bound, []]);
  });
});
