import { describe, expect, it } from 'vitest';
import { BLOB, CORE } from '../../support/client.js';
import { at, entry, err, member, sameMembers, serverId, setError } from '../../support/expected.js';
import type { JsonMap } from '../../support/json.js';
import type { Suite } from '../suite.js';

/** Blob reference records: sections P, Q and R of cases.md where objects refer to blobs. */
export function gadgetBlobCases(suite: Suite): void {
  const client = () => suite.fixtures().u1.with([CORE, BLOB, suite.profile.capability]);
  const upload = async (content: string, accountId = suite.A1): Promise<string> =>
    (await client().upload(accountId, content, 'text/plain')).blobId;
  const make = async (...blobIds: (string | null)[]): Promise<string[]> => {
    const create = Object.fromEntries(
      blobIds.map((blobId, index) => [`k${index}`, { title: 'x', blobId }]),
    );
    const { created } = await client().set('Gadget', { accountId: suite.A1, create });
    return blobIds.map((_, index) => entry(created, `k${index}`).id);
  };
  const lookup = async (ids: readonly string[], accountId = suite.A1): Promise<JsonMap[]> => {
    const answer = await client().ok('Blob/lookup', { accountId, typeNames: ['Gadget'], ids });
    expect(answer['accountId']).toBe(accountId);
    return answer['list'] as JsonMap[];
  };
  const matched = async (blobId: string, accountId = suite.A1) =>
    (at(await lookup([blobId], accountId), 0)['matchedIds'] as Record<string, string[]>)['Gadget'];

  describe('Gadget: R. blob references', () => {
    it('case 30, RFC 9404 3: supportedTypeNames lists the types that refer to blobs', async () => {
      const { accounts } = await client().session();
      const capabilities = member(member(accounts, suite.A1), 'accountCapabilities');
      // Those of the gadget's own descriptor and of the examples that are served beside it.
      expect(member(capabilities, BLOB)['supportedTypeNames']).toEqual(
        sameMembers(['Bookmark', 'ContactCard', 'Gadget', 'Product']),
      );
    });

    it('service.md 2, Blob reference record: blob, account, data type and object', async () => {
      const [one, two] = [await upload('one'), await upload('two')];
      const [a = '', b = '', c = ''] = await make(one, one, two);
      const list = await lookup([one, two, 'x1', one]);
      expect(list).toHaveLength(3);
      expect(list).toEqual(
        expect.arrayContaining([
          { id: one, matchedIds: { Gadget: sameMembers([a, b]) } },
          { id: two, matchedIds: { Gadget: [c] } },
          // Case 486: what is not there is listed with nothing.
          { id: 'x1', matchedIds: { Gadget: [] } },
        ]),
      );
      expect(await matched(one, suite.A2)).toEqual([]);
    });

    it('case 488, 4.3: the record goes with the reference', async () => {
      const [one, two] = [await upload('one'), await upload('two')];
      const [a = '', b = ''] = await make(one, one);
      const set = (args: object) => client().set('Gadget', { accountId: suite.A1, ...args });
      await set({ update: { [a]: { title: 'renamed' } } });
      expect(await matched(one)).toEqual(sameMembers([a, b]));
      await set({ update: { [a]: { blobId: two } } });
      expect([await matched(one), await matched(two)]).toEqual([[b], [a]]);
      await set({ update: { [a]: { blobId: null } }, destroy: [b] });
      expect([await matched(one), await matched(two)]).toEqual([[], []]);
    });

    it('4.3: unknown types, types without blobs, capabilities that are not used', async () => {
      const ids = [await upload('x')];
      const call = (typeNames: readonly string[], using = client()) =>
        using.call('Blob/lookup', { accountId: suite.A1, typeNames, ids });
      expect(await call(['Nope'])).toEqual(err('unknownDataType'));
      expect(await call(['Gadget'], client().with([CORE, BLOB]))).toEqual(err('unknownDataType'));
      expect(await call(['Gadget', 'gadget'])).toEqual(err('unknownDataType'));
      const [name] = await call(['Todo'], suite.fixtures().u1);
      expect(name).toBe('error');
    });

    it('decision 23: a blob id on an object must exist in its account', async () => {
      const elsewhere = await upload('elsewhere', suite.A2);
      const wrong = ['x1', elsewhere, '', 'not an id', '#nope'];
      const { created, notCreated } = await client().set('Gadget', {
        accountId: suite.A1,
        create: Object.fromEntries(wrong.map((blobId, n) => [`k${n}`, { title: 'x', blobId }])),
      });
      expect(created).toBeNull();
      expect(notCreated).toEqual(
        Object.fromEntries(
          wrong.map((_, n) => [`k${n}`, setError('invalidProperties', ['blobId'])]),
        ),
      );
      const [id = ''] = await make(null);
      const { notUpdated } = await client().set('Gadget', {
        accountId: suite.A1,
        update: { [id]: { blobId: 'x1' } },
      });
      expect(notUpdated).toEqual({ [id]: setError('invalidProperties', ['blobId']) });
    });

    it('service.md 4, result references: a blob of Blob/upload is used in the same request', async () => {
      const { methodResponses } = await client().api([
        [
          'Blob/upload',
          { accountId: suite.A1, create: { b: { data: [{ 'data:asText': 'x' }] } } },
          'up',
        ],
        [
          'Core/echo',
          {
            '#k': { resultOf: 'up', name: 'Blob/upload', path: '/created/b/blobId' },
          },
          'id',
        ],
      ]);
      const blobId = String(at(methodResponses, 1)[1]['k']);
      const [id = ''] = await make(blobId);
      expect(await matched(blobId)).toEqual([id]);
    });

    it('case 436, 6.1: a referenced blob may be read by all who reach the account', async () => {
      const { AR, u1, u3 } = suite.fixtures();
      const owner = u3.with([CORE, BLOB, suite.profile.capability]);
      const { blobId } = await owner.upload(AR, 'shared', 'text/plain');
      const path = `/jmap/download/${AR}/${blobId}/x`;
      expect((await u1.http(path)).status).toBe(404);
      const made = await owner.set('Gadget', {
        accountId: AR,
        create: { k: { title: 'x', blobId } },
      });
      expect((await u1.http(path)).text).toBe('shared');
      await owner.set('Gadget', { accountId: AR, destroy: [entry(made.created, 'k').id] });
      expect((await u1.http(path)).status).toBe(404);
      expect((await u3.http(path)).status).toBe(200);
    });

    it('cases 411 and 488, 5.4: with a copy its blob is in the target', async () => {
      const blobId = await upload('copied');
      const [id = ''] = await make(blobId);
      const answer = await client().copy('Gadget', {
        fromAccountId: suite.A1,
        accountId: suite.A2,
        create: { k: { id } },
      });
      const copy = entry(answer.created, 'k');
      const { list } = await client().get('Gadget', { accountId: suite.A2, ids: [copy.id] });
      const there = String(at(list, 0)['blobId']);
      expect(there).toEqual(serverId);
      if (there !== blobId) expect(copy['blobId']).toBe(there);
      expect((await client().http(`/jmap/download/${suite.A2}/${there}/x`)).text).toBe('copied');
      expect(await matched(there, suite.A2)).toEqual([copy.id]);
      expect(await matched(blobId)).toEqual([id]);
    });

    it('6: the last reference and a new one in one call keep the blob', async () => {
      const blobId = await upload('kept');
      const [id = ''] = await make(blobId);
      const answer = await client().set('Gadget', {
        accountId: suite.A1,
        create: { k: { title: 'y', blobId } },
        destroy: [id],
      });
      expect(await matched(blobId)).toEqual([entry(answer.created, 'k').id]);
      expect((await client().http(`/jmap/download/${suite.A1}/${blobId}/x`)).text).toBe('kept');
    });
  });
}
