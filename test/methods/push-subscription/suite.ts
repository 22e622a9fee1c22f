import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readEpoch } from '../../../src/database/state-epoch.js';
import { PUSH, VAPID } from '../../support/client.js';
import { eventually } from '../../support/poll.js';
import { usePostgresql } from '../../support/postgresql.js';
import { device, type Json, PushClient, URL_OF_DEVICE, usePush } from './rig.js';

const DAY = 24 * 3_600_000;

function makeKeys() {
  const ecdh = createECDH('prime256v1');
  const point = ecdh.generateKeys();
  return { p256dh: point.toString('base64url'), auth: randomBytes(16).toString('base64url') };
}

/** A date in so many ms, as clients write it. */
function inMs(ms: number): string {
  return new Date(Math.round((Date.now() + ms) / 1000) * 1000).toISOString().replace('.000', '');
}

/** The tests of push subscriptions, on a database. */
export function subscriptionSuite(database: 'SQLite' | 'PostgreSQL'): void {
  const postgresql = usePostgresql();
  const rig = usePush(database, postgresql, { LOG_LEVEL: 'debug' });

  it('RFC 8620 7.2.3: a client subscribes, verifies, extends and unsubscribes', async () => {
    const client = await rig().client();
    const created = await client.subscribe();
    expect(created).toEqual({
      id: expect.any(String),
      keys: null,
      verificationCode: null,
      expires: expect.any(String),
      types: null,
    });
    const { id } = created;
    expect(Date.parse(created.expires) - Date.now()).toBeGreaterThan(7 * DAY - 60_000);
    expect(Date.parse(created.expires) - Date.now()).toBeLessThan(7 * DAY + 2000);
    const shown = { id, deviceClientId: 'a889-ffea-910', expires: created.expires, types: null };
    expect(await client.read()).toEqual({
      list: [{ ...shown, verificationCode: null }],
      notFound: [],
    });
    const verificationCode = await rig().codeOf(id);
    expect(await client.change({ update: { [id]: { verificationCode } } })).toEqual({
      created: null,
      updated: { [id]: null },
      destroyed: null,
      notCreated: null,
      notUpdated: null,
      notDestroyed: null,
    });
    expect((await client.read()).list).toEqual([{ ...shown, verificationCode }]);
    const soon = inMs(2 * DAY);
    const extended = await client.change({ update: { [id]: { expires: soon, types: ['Todo'] } } });
    expect(extended.updated).toEqual({ [id]: null });
    const cut = await client.change({ update: { [id]: { expires: inMs(365 * DAY) } } });
    expect(cut.updated[id]).toEqual({ expires: expect.any(String) });
    expect((await client.read({ ids: [id, 'other'] })).list).toEqual([
      { ...shown, expires: cut.updated[id].expires, types: ['Todo'], verificationCode },
    ]);
    expect((await client.change({ destroy: [id, 'other'] })).destroyed).toEqual([id]);
    expect(await client.read({ ids: [id] })).toEqual({ list: [], notFound: [id] });
  });

  it('RFC 8620 7.2.1: a /get has no account, no state and no private property', async () => {
    const client = await rig().client();
    const { id } = await client.subscribe({ keys: makeKeys() });
    for (const property of ['url', 'keys']) {
      const [name, error] = await client.call('PushSubscription/get', { properties: [property] });
      expect([name, error['type']]).toEqual(['error', 'forbidden']);
    }
    const error = (args: object) => client.call('PushSubscription/get', args);
    expect((await error({ accountId: 'a' }))[1]).toMatchObject({ type: 'invalidArguments' });
    const [, unknown] = await error({ properties: ['types', 'one', 'two', 'lastSuccess'] });
    expect(unknown['type']).toBe('invalidArguments');
    for (const name of ['"one"', '"two"', '"lastSuccess"'])
      expect(unknown['description']).toContain(name);
    expect((await client.read({ ids: [id], properties: ['types'] })).list).toEqual([
      { id, types: null },
    ]);
    const [, state] = await client.call('PushSubscription/set', { ifInState: '1' });
    expect(state).toMatchObject({ type: 'invalidArguments' });
  });

  it('urn:jmapsmith:push in `using`: a /get tells how the last pushes went', async () => {
    const client = await rig().client();
    const id = `r${client.tokenId}`;
    // Nothing is sent for one of which no server has been told.
    await rig().prisma.jmapPushSubscription.create({
      data: {
        ...{ id, tokenId: client.tokenId, userId: 'u', ...device(), code: 'c', shard: 0 },
        ...{ created: 1n, verificationSent: 1n, expires: BigInt(Date.now() + DAY) },
        ...{ wrongCodes: 0n, failures: 1n, lastFailure: 1_700_000_000_000n },
        lastFailureReason: 'status-410',
      },
    });
    const other = new PushClient(client.url, client.token, client.user, [...client.using, PUSH]);
    expect((await other.read()).list[0]).toMatchObject({
      ...{ lastSuccess: null, lastFailure: '2023-11-14T22:13:20Z' },
      lastFailureReason: 'status-410',
    });
    expect((await other.read({ properties: ['lastSuccess'] })).list).toEqual([
      { id, lastSuccess: null },
    ]);
  });

  it('keys are legal with padding and without, and null; others are refused by name', async () => {
    const client = await rig().client();
    const { p256dh, auth } = makeKeys();
    const { keys } = await client.subscribe({ keys: { p256dh: `${p256dh}=`, auth: `${auth}==` } });
    expect(keys).toBeUndefined();
    const off = Buffer.from(p256dh, 'base64url');
    off.writeUInt8((off.readUInt8(64) + 1) % 256, 64);
    const wrong: Json[] = [
      {},
      [],
      'x',
      { p256dh },
      { p256dh, auth: auth.slice(2) },
      { p256dh: off.toString('base64url'), auth },
      { p256dh, auth, more: 1 },
    ];
    for (const one of wrong) {
      const error = await client.refused({ keys: one });
      expect(error).toMatchObject({ type: 'invalidProperties', properties: ['keys'] });
      expect(JSON.stringify(error)).not.toContain(auth);
    }
  });

  it('URLs that lead nowhere public, and what is no https URL, are refused', async () => {
    const client = await rig().client();
    const wrong = ['http://example.com/', 'ftp://example.com/', '/x', 'https://u:p@127.0.0.1/', 5];
    const more = ['https://127.0.0.1/#x', 'https://127.0.0.1:25/', 'https://10.0.0.1/', 'https://'];
    const all = [
      ...wrong,
      ...more,
      `https://127.0.0.1/${'x'.repeat(3000)}`,
      'https://127.0.0.1/\0',
    ];
    const create = Object.fromEntries(all.map((url, n) => [`k${n}`, { ...device(), url }]));
    const { created, notCreated } = await client.change({ create });
    expect(created).toBeNull();
    for (const error of Object.values(notCreated))
      expect(error).toMatchObject({ type: 'invalidProperties', properties: ['url'] });
    expect(Object.keys(notCreated)).toHaveLength(all.length);
  });

  it('every illegal property is named; server-set and immutable ones are refused', async () => {
    const client = await rig().client();
    const error = await client.refused({
      ...{ id: 'x', verificationCode: 'y', expires: 'z', types: ['Nothing'], foo: 1 },
      deviceClientId: '',
    });
    expect(error.type).toBe('invalidProperties');
    expect([...error.properties].sort()).toEqual(
      ['deviceClientId', 'expires', 'foo', 'id', 'types', 'verificationCode'].sort(),
    );
    expect(error.description).toContain('"Nothing"');
    const { notCreated } = await client.change({ create: { a: {}, b: 5 } });
    expect(notCreated.a.properties).toEqual(['deviceClientId', 'url']);
    expect(notCreated.b.type).toBe('invalidProperties');
    const { id } = await client.subscribe();
    const same = { ...device(), keys: null, id, verificationCode: null, types: null };
    expect((await client.change({ update: { [id]: same } })).updated).toEqual({ [id]: null });
    const update = { url: 'https://127.0.0.1/other', keys: makeKeys(), deviceClientId: 'x' };
    const { notUpdated } = await client.change({ update: { [id]: update } });
    expect([...notUpdated[id].properties].sort()).toEqual(['deviceClientId', 'keys', 'url']);
    const pointers = await client.change({ update: { [id]: { 'types/0': 'Todo' } } });
    expect(pointers.notUpdated[id].type).toBe('invalidPatch');
  });

  it('types: none is legal, a repeated name is stored once', async () => {
    const client = await rig().client();
    expect((await client.subscribe({ types: [] })).types).toBeUndefined();
    const { id, types } = await client.subscribe({ types: Array(10_000).fill('Todo') });
    expect(types).toEqual(['Todo']);
    const { updated } = await client.change({ update: { [id]: { types: ['Note', 'Note'] } } });
    expect(updated).toEqual({ [id]: { types: ['Note'] } });
    const { notUpdated } = await client.change({ update: { [id]: { types: 'Note' } } });
    expect(notUpdated[id].properties).toEqual(['types']);
  });

  it('expires: bounded for a token without an end, cut at the end of another one', async () => {
    const client = await rig().client();
    const day = inMs(DAY);
    expect((await client.subscribe({ expires: day })).expires).toBeUndefined();
    expect((await client.subscribe({ expires: null })).expires).toEqual(expect.any(String));
    const year = Date.parse((await client.subscribe({ expires: inMs(365 * DAY) })).expires);
    expect(Math.abs(year - Date.now() - 7 * DAY)).toBeLessThan(60_000);
    for (const expires of ['2020-01-01T00:00:00Z', 'x', 5, '2030-01-01']) {
      const error = await client.refused({ expires });
      expect(error).toMatchObject({ type: 'invalidProperties', properties: ['expires'] });
    }
    const limited = await rig().client({ lifetime: 30 * DAY });
    expect((await limited.subscribe({ expires: inMs(20 * DAY) })).expires).toBeUndefined();
    const { id, expires } = await limited.subscribe();
    expect(Math.abs(Date.parse(expires) - Date.now() - 30 * DAY)).toBeLessThan(60_000);
    const { notUpdated } = await limited.change({
      update: { [id]: { expires: '2020-01-01T00:00:00Z' } },
    });
    expect(notUpdated[id].properties).toEqual(['expires']);
  });

  it('RFC 8620 7.2.2: a wrong code is refused, and after ten of them any code', async () => {
    const client = await rig().client();
    const [one, two] = [await client.subscribe(), await client.subscribe()];
    const give = async (id: string, verificationCode: string | null): Promise<Json> => {
      const { notUpdated } = await client.change({ update: { [id]: { verificationCode } } });
      return notUpdated?.[id] ?? null;
    };
    const code = await rig().codeOf(one.id);
    expect(await give(two.id, code)).toMatchObject({
      ...{ type: 'invalidProperties', properties: ['verificationCode'] },
    });
    expect(await give(one.id, code)).toBeNull();
    expect(await give(one.id, code)).toBeNull();
    expect((await give(one.id, null)).type).toBe('invalidProperties');
    expect((await give(one.id, 'other')).type).toBe('invalidProperties');
    await client.change({ destroy: [one.id] });
    const { id } = await client.subscribe();
    for (let n = 0; n < 10; n += 1) expect((await give(id, code)).type).toBe('invalidProperties');
    expect((await give(id, await rig().codeOf(id))).type).toBe('rateLimit');
    // An hour later.
    await rig().prisma.jmapPushSubscription.update({
      where: { id },
      data: { wrongSince: BigInt(Date.now() - 3_700_000) },
    });
    expect(await give(id, await rig().codeOf(id))).toBeNull();
  });

  it('creation ids of the call and of earlier ones name subscriptions', async () => {
    const client = await rig().client();
    const { methodResponses, createdIds } = await client.api(
      [
        [
          'PushSubscription/set',
          {
            create: { k: device(), l: device() },
            update: { '#k': { types: ['Todo'] }, '#l': { types: [] } },
            destroy: ['#l'],
          },
          'a',
        ],
        ['PushSubscription/get', { ids: ['#k', '#l', '#m'] }, 'b'],
      ],
      { createdIds: {} },
    );
    const [set, get] = methodResponses.map(([, args]) => args) as [Json, Json];
    const { id } = set.created.k;
    expect(createdIds).toMatchObject({ k: id });
    expect(set.updated).toEqual({ [id]: null });
    expect(set.notUpdated).toMatchObject({ '#l': { type: 'willDestroy' } });
    expect(set.destroyed).toEqual([set.created.l.id]);
    expect(get.list).toMatchObject([{ id, types: ['Todo'] }]);
    expect(get.notFound).toHaveLength(2);
  });

  it('belong to their token: no other one sees them, and they end with it', async () => {
    const client = await rig().client();
    const other = await rig().client({ user: client.user });
    const { id } = await client.subscribe({ keys: makeKeys() });
    expect(await other.read({ ids: [id] })).toEqual({ list: [], notFound: [id] });
    const { notUpdated, notDestroyed } = await other.change({
      update: { [id]: { types: [] } },
      destroy: [id],
    });
    expect(notUpdated[id].type).toBe('notFound');
    expect(notDestroyed[id].type).toBe('notFound');
    await rig().server.tool('scripts/token', ['revoke', client.token]);
    expect(await rig().prisma.jmapPushSubscription.count({ where: { id } })).toBe(0);
  });

  it('a token that may only read may subscribe', async () => {
    const client = await rig().client({ readOnly: true });
    expect((await client.subscribe()).id).toEqual(expect.any(String));
  });

  it('RFC 8620 8.6: creations are limited, destroyed ones included', async () => {
    const client = await rig().client();
    const other = await rig().client({ user: client.user });
    for (let n = 0; n < 5; n += 1) {
      const { id } = await client.subscribe();
      await client.change({ destroy: [id] });
      await other.subscribe();
    }
    expect((await client.refused({})).type).toBe('rateLimit');
    // An hour later.
    await rig().prisma.jmapPushCreation.updateMany({ data: { at: 0n } });
    const create = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`k${n}`, device()]));
    const { created, notCreated } = await client.change({ create });
    expect(Object.keys(created)).toHaveLength(10);
    expect(Object.values(notCreated)).toMatchObject([{ type: 'rateLimit' }, { type: 'rateLimit' }]);
    await rig().prisma.jmapPushCreation.updateMany({ data: { at: 0n } });
    for (let n = 0; n < 6; n += 1) await client.subscribe();
    const error = await client.refused({});
    expect(error.type).toBe('overQuota');
    expect(error.description).toContain((await client.read()).list[0].id);
  });

  it('RFC 8620 8.6: URLs that lead nowhere count as creations', async () => {
    const client = await rig().client();
    const create = (count: number, url: string): object =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, { ...device(), url }]));
    const { notCreated } = await client.change({ create: create(9, 'https://10.0.0.1/') });
    for (const error of Object.values(notCreated))
      expect(error).toMatchObject({ type: 'invalidProperties', properties: ['url'] });
    // No name is looked up for a URL whose form is wrong.
    expect((await client.refused({ url: 'https://10.0.0.1:25/' })).type).toBe('invalidProperties');
    await client.subscribe();
    const more = await client.change({ create: create(3, 'https://10.0.0.1/') });
    for (const error of Object.values(more.notCreated))
      expect(error).toMatchObject({ type: 'rateLimit' });
    expect(Object.keys(more.notCreated)).toHaveLength(3);
  });

  it('RFC 9749 3: the session has the key, and another one after a rotation', async () => {
    const client = await rig().client();
    const vapid = async (): Promise<Json> => {
      const session: Json = await client.session();
      return { key: session.capabilities[VAPID].applicationServerKey, state: session.state };
    };
    const before = await vapid();
    expect(Buffer.from(before.key, 'base64url')).toHaveLength(65);
    const { id } = await client.subscribe();
    const bound = await rig().prisma.jmapPushSubscription.findUniqueOrThrow({ where: { id } });
    const made = await rig().server.tool('scripts/push', ['rotate-key', '--keep', '1d']);
    await expect.poll(async () => (await vapid()).key).toBe(made);
    expect((await vapid()).state).not.toBe(before.state);
    const keys = await rig().prisma.jmapVapidKey.findMany({ orderBy: { created: 'asc' } });
    expect(keys.map(({ retires }) => retires === null)).toEqual([false, true]);
    expect(bound.vapidKey).toBe(keys[0]?.id);
    const listed = await rig().server.tool('scripts/push', ['list']);
    expect(listed).toMatch(new RegExp(`^${id} +${client.user} +all +unverified +\\d{4}-`, 'm'));
    for (const secret of [URL_OF_DEVICE, bound.code]) expect(listed).not.toContain(secret);
  });

  it('a key of another server may be taken over, once', async () => {
    const client = await rig().client();
    const vapid = async (): Promise<Json> =>
      ((await client.session()) as Json).capabilities[VAPID].applicationServerKey;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x, y } = publicKey.export({ format: 'jwk' });
    const octets = [Buffer.of(4), ...[x, y].map((part) => Buffer.from(part ?? '', 'base64url'))];
    const file = join(rig().server.dataDir, 'key.pem');
    const rotate = (): Promise<string> =>
      rig().server.tool('scripts/push', ['rotate-key', '--from', file]);
    await expect(rotate()).rejects.toThrow("key.pem can't be read: ENOENT");
    writeFileSync(file, privateKey.export({ type: 'sec1', format: 'pem' }));
    const made = await rotate();
    expect(made).toBe(Buffer.concat(octets).toString('base64url'));
    await expect.poll(vapid).toBe(made);
    await expect(rotate()).rejects.toThrow('the database has this key already');
    const other = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
    writeFileSync(file, other.export({ type: 'pkcs8', format: 'pem' }));
    await expect(rotate()).rejects.toThrow('no private key of the curve P-256');
    expect(await vapid()).toBe(made);
  });

  it('a backup has none; a reset of states removes all, and begins a new epoch', async () => {
    const client = await rig().client();
    await client.subscribe();
    const { server, prisma } = rig();
    expect((await client.read()).list).toHaveLength(1);
    const file = join(server.dataDir, 'backup.tar');
    const before = await readEpoch(prisma);
    await server.tools([
      ['scripts/backup', [file]],
      ['scripts/account', ['reset-states']],
    ]);
    const archive = readFileSync(file);
    expect(archive.includes('JmapToken')).toBe(true);
    expect(archive.includes('/push/device')).toBe(false);
    expect(archive.includes('JmapPushSubscription.ndjson')).toBe(false);
    expect(await readEpoch(prisma)).not.toBe(before);
    expect((await client.read()).list).toEqual([]);
  });

  it('explain tells no URL, key or code, and neither does the log', async () => {
    const client = await rig().client();
    const using = [...client.using, 'urn:jmapsmith:explain'];
    const texts: string[] = [];
    const explained = async (method: string, args: object): Promise<Json> => {
      const answer = await client.with(using).api([[method, args, 'c']], { explain: true });
      texts.push(JSON.stringify(answer));
      expect(texts.at(-1)).toContain('"explain"');
      return answer.methodResponses[0]?.[1];
    };
    const keys = makeKeys();
    const { created } = await explained('PushSubscription/set', {
      create: { k: { ...device(), keys }, l: { ...device(), keys: { ...keys, auth: 'AA' } } },
    });
    const { id } = created.k;
    const code = await rig().codeOf(id);
    const logs = (): string => rig().server.stdout() + rig().server.stderr();
    // Nothing listens at the URL.
    await eventually(() => expect(logs()).toMatch(new RegExp(`"id":"${id}".*not be verified`)));
    const wrong = { [id]: { verificationCode: `${code}x`, url: 'https://127.0.0.1/other' } };
    await explained('PushSubscription/set', { update: wrong });
    const right = { [id]: { verificationCode: code } };
    expect((await explained('PushSubscription/set', { update: right })).updated).toEqual({
      [id]: null,
    });
    await explained('PushSubscription/get', { properties: ['types'] });
    await explained('PushSubscription/get', { properties: ['keys'] });
    await explained('PushSubscription/set', { destroy: [id] });
    for (const text of [...texts, logs()])
      for (const secret of ['/push/device', '127.0.0.1/other', keys.p256dh, keys.auth, code])
        expect(text).not.toContain(secret);
  });
}
