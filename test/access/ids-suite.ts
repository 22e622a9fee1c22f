import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { World as Types } from '../../conform/src/subject/described.js';
import type { Model } from '../../src/descriptor/model.js';
import { describedWorld } from '../conformance/descriptor.js';
import { Suite } from '../conformance/suite.js';
import type { Call, Client } from '../support/client.js';
import type { Fixtures } from '../support/fixtures.js';
import type { RunningServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';
import { type Outcome, PLACES } from './expectations.js';
import { type Ids, inventId, listNamings } from './foreign.js';
import { modelOf } from './methods.js';
import { makeWorld, type World } from './world.js';

/** An account that is named in calls about another, by a token: whether the token reaches it. */
const NAMED_PLACES = [
  ["another user's", 'all', 'own', 'out of reach'],
  ['own, the second', 'all', 'own', 'reached'],
  // An account that the token doesn't reach, and its user does.
  ['own', 'some', 'own, the second', 'out of reach'],
] as const;

/**
 * Objects, blobs and states of one account, named in calls about another: whatever names them
 * answers what it does for an id that nobody has, octet by octet. `count` is of `NAMED_PLACES`.
 */
export function idsSuite(server: () => RunningServer, count: number = NAMED_PLACES.length): void {
  let model: Model;
  let types: Types;
  let world: World;
  let urns: readonly string[] = [];
  /** The ids that accounts hold, by account. */
  const held = new Map<string, Ids>();

  beforeAll(async () => {
    const root = await sharedProject();
    model = modelOf(root);
    urns = model.capabilities.map(({ urn }) => urn);
    const folder = join(root, 'capabilities');
    // Projects with quotas alone offer them, and those with shared types the principals.
    const files = readdirSync(folder).filter((file) => /(?<!-quota|-principals)\.yaml$/.test(file));
    const described = describedWorld(...files.map((file) => join(folder, file)));
    // Of types whose /set is no standard one only hooks make objects.
    types = new Map(
      [...described].filter(([, { type }]) => type.methods.some(({ name }) => name === 'set')),
    );
    world = await makeWorld(server(), urns);
    await fill(world.other, at("another user's"));
    await fill(world.tokens.all, at('own'));
    await fill(world.tokens.all, at('own, the second'));
    await fill(world.tokens.all, at('shared, to write'));
  });

  /** Of the filter, whatever it finds. */
  const FILTER_HASH = /("queryState":"\d+)[.][\w-]+/;

  const at = (place: string): string => world.accountId(place, '');

  /** A suite whose cases would run in one account, by a client. */
  function suiteOf(client: Client, accountId: string, type: string): Suite {
    const fixtures = { u1: client, u2: client, u3: client, A1: accountId, A2: accountId };
    const others = { AR: '', AN: '', AT: '', AX: '', unknownAccount: '' };
    return new Suite(types, type, (): Fixtures => ({ ...fixtures, ...others }));
  }

  /** One object of each type, and a blob that an object refers to. */
  async function fill(client: Client, accountId: string): Promise<void> {
    const ids = new Map<string, string>();
    for (const [name, { type }] of types) {
      const suite = suiteOf(client, accountId, name);
      await suite.prepare([accountId]);
      ids.set(name, type.singleton ? 'singleton' : await suite.one(accountId, 'secret'));
    }
    const { blobId } = await client.upload(accountId, 'secret', 'text/plain');
    await client.set('Gadget', { accountId, create: { k: { title: 'secret', blobId } } });
    ids.set('Blob', blobId);
    held.set(accountId, ids);
  }

  const heldIn = (place: string): Ids => held.get(at(place)) ?? new Map();

  describe.each(NAMED_PLACES.slice(0, count))(
    'ids of the account "%s", by token "%s" in the account "%s"',
    (...places) => {
      const [foreignPlace, token, accountPlace, place] = places;

      it('are answered by each call as ids of nobody', async () => {
        const client = world.tokens[token];
        const accountId = at(accountPlace);
        const from = at('shared, to write');
        const suites = new Map<string, Suite>();
        for (const name of types.keys()) {
          const suite = suiteOf(world.tokens.all, accountId, name);
          await suite.prepare([accountId]);
          suites.set(name, suite);
        }
        const create = (type: string) => suites.get(type)?.create('mine', accountId) ?? {};
        const foreign = heldIn(foreignPlace);
        const [own, fromOwn] = [heldIn(accountPlace), heldIn('shared, to write')];
        const caller = { accountId, from, create, own, fromOwn };
        const all = listNamings(model, caller).filter(
          ({ type }) => foreign.has(type) && foreign.get(type) !== 'singleton',
        );
        expect(all.length).toBeGreaterThan(100);
        const m = own.get('Gadget') ?? '';
        const mine: Call = ['Gadget/get', { accountId, ids: ['#m'] }, 'c'];
        const { methodResponses: found } = await client.api([mine], { createdIds: { m } });
        expect(found).toMatchObject([['Gadget/get', { list: [{ id: m }] }, 'c']]);
        const before = await states(client, accountId);
        const wrong: string[] = [];
        for (let start = 0; start < all.length; start += 16) {
          const part = all.slice(start, start + 16);
          const ids = part.map(({ type }) => foreign.get(type) ?? '');
          const calls = part.flatMap(({ method, args }, n): Call[] => [
            [method, args(ids[n] ?? ''), `f${n}`],
            [method, args(inventId(ids[n] ?? '')), `n${n}`],
          ]);
          const { methodResponses } = await client.api(calls);
          // RFC 8620 3.3, 5.3: the same ids behind names that the request itself gives them.
          const named = part.flatMap(({ method, args }, n): Call[] => [
            [method, args(`#f${n}`), `f${n}`],
            [method, args(`#n${n}`), `n${n}`],
          ]);
          const createdIds = Object.fromEntries(
            ids.flatMap((id, n) => [
              [`f${n}`, id],
              [`n${n}`, inventId(id)],
            ]),
          );
          const byName = await client.api(named, { createdIds });
          for (const responses of [methodResponses, byName.methodResponses]) {
            expect(responses).toHaveLength(calls.length);
            for (const [n, { method, args }] of part.entries()) {
              const id = ids[n] ?? '';
              const [theirs, none] = [responses[2 * n], responses[2 * n + 1]].map((response) =>
                JSON.stringify(response?.slice(0, 2)).replace(FILTER_HASH, '$1'),
              );
              const renamed = theirs?.replaceAll(id, inventId(id)).replaceAll(`#f${n}`, `#n${n}`);
              if (renamed !== none || id === '' || theirs?.includes('secret'))
                wrong.push(`${method} ${JSON.stringify(args(id))}: ${theirs}, not as ${none}`);
            }
          }
        }
        expect(wrong).toEqual([]);
        // Nothing of it was written.
        expect(await states(client, accountId)).toEqual(before);
      });

      it('are in no list, and in no state or query state of another account', async () => {
        const [client, accountId, theirs] = [
          world.tokens[token],
          at(accountPlace),
          at(foreignPlace),
        ];
        const owner = foreignPlace === "another user's" ? world.other : world.tokens.all;
        const secrets = [...heldIn(foreignPlace).values()].filter((id) => id !== 'singleton');
        const texts: string[] = [];
        for (const [name, { type }] of types) {
          const methods = new Set<string>(type.methods.map((method) => method.name));
          const { state } = await owner.get(name, { accountId: theirs, ids: [] });
          const { queryState } = methods.has('query')
            ? await owner.query(name, { accountId: theirs })
            : { queryState: '' };
          const calls: Call[] = [[`${name}/get`, { accountId, ids: null }, 'g']];
          if (methods.has('changes'))
            calls.push([`${name}/changes`, { accountId, sinceState: state }, 'c']);
          if (methods.has('query')) calls.push([`${name}/query`, { accountId }, 'q']);
          if (methods.has('queryChanges'))
            calls.push([`${name}/queryChanges`, { accountId, sinceQueryState: queryState }, 'd']);
          texts.push(JSON.stringify(await client.api(calls)));
          if (place === 'reached') continue;
          // A refused call has no result that another one may refer to (RFC 8620 3.7).
          const resultOf = { resultOf: 'x', name: `${name}/get`, path: '/list/*/id' };
          const { methodResponses } = await client.api([
            [`${name}/get`, { accountId: theirs, ids: null }, 'x'],
            [`${name}/get`, { accountId, '#ids': resultOf }, 'y'],
          ]);
          expect(methodResponses.map(([, { type }]) => type)).toEqual([
            'accountNotFound',
            'invalidResultReference',
          ]);
        }
        const text = texts.join('\n');
        expect(secrets.length).toBeGreaterThan(10);
        expect(secrets.filter((id) => text.includes(id))).toEqual([]);
      });
    },
  );

  it('RFC 8620 6.1: in a shared account only its uploader gets an unreferenced blob', async () => {
    const [accountId, own] = [at('shared, to write'), at('own')];
    const { all } = world.tokens;
    const { blobId } = await world.other.upload(accountId, 'secret', 'text/plain');
    const suite = suiteOf(all, accountId, 'Gadget');
    const caller = { from: own, own: heldIn('shared, to write'), fromOwn: heldIn('own') };
    const create = () => suite.create('mine', accountId);
    const named = listNamings(model, { accountId, create, ...caller }).filter(
      ({ method, type }) => type === 'Blob' && /^(?:Blob|Gadget)[/]/.test(method),
    );
    const copied = (id: string) => ({ accountId: own, fromAccountId: accountId, blobIds: [id] });
    const places = [...named, { method: 'Blob/copy', args: copied }];
    expect(places.length).toBeGreaterThan(6);
    for (const { method, args } of places) {
      const [theirs, none] = (
        await all.api([
          [method, args(blobId), 'f'],
          [method, args(inventId(blobId)), 'n'],
        ])
      ).methodResponses.map((response) =>
        JSON.stringify(response.slice(0, 2)).replace(FILTER_HASH, '$1'),
      );
      expect(theirs?.replaceAll(blobId, inventId(blobId)), method).toBe(none);
    }
  });

  it('uploads and downloads are judged as calls are, by the access to the account', async () => {
    const { blobId } = await world.other.upload(at('shared, to read'), 'read', 'text/plain');
    const accountId = at('shared, to read');
    await world.other.set('Gadget', { accountId, create: { k: { title: 'x', blobId } } });
    held.set(accountId, new Map([['Blob', blobId]]));
    const wrong: string[] = [];
    for (const { account, token, outcomes } of PLACES) {
      const client = world.tokens[token];
      const id = encodeURIComponent(at(account));
      const status = (outcome: Outcome): number =>
        outcome === null ? 200 : outcome === 'accountReadOnly' ? 403 : 404;
      const upload = await client.http(`/jmap/upload/${id}`, { method: 'POST', body: 'x' });
      const found: [string, number, number][] = [['upload', upload.status, status(outcomes.write)]];
      for (const [place, ids] of held) {
        const path = `/jmap/download/${id}/${ids.get('Blob') ?? ''}/x.txt`;
        const { status: got } = await client.http(path);
        const expected = place === at(account) ? status(outcomes.read) : 404;
        found.push([`download of ${place}'s`, got, expected]);
      }
      for (const [what, got, expected] of found)
        if (got !== expected)
          wrong.push(`${account} by ${token}, ${what}: ${got}, not ${expected}`);
    }
    expect(wrong).toEqual([]);
  });

  /** States of all types of an account. */
  async function states(client: Client, accountId: string): Promise<readonly unknown[]> {
    const calls = [...types.keys()].map(
      (name): Call => [`${name}/get`, { accountId, ids: [] }, 'c'],
    );
    const all: unknown[] = [];
    for (let start = 0; start < calls.length; start += 32) {
      const { methodResponses } = await client.api(calls.slice(start, start + 32));
      all.push(...methodResponses.map(([, args]) => args['state']));
    }
    return all;
  }
}
