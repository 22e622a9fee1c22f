import { expect } from 'vitest';
import { writable } from '../../../scripts/conform/subject/described.js';
import { BLOB } from '../../support/client.js';
import { at, member, setError } from '../../support/expected.js';
import type { Json } from '../../support/json.js';
import type { Suite } from '../suite.js';

/** `blob: true`: ids of blobs of the account, and the records that Blob/lookup reads. */
export function describedBlobCases(suite: Suite): void {
  const { profile, described, describe, it } = suite;
  const blobs = writable(described).filter(({ blob }) => blob);
  if (blobs.length === 0) return;

  const upload = async (content: string, accountId = suite.A1): Promise<string> =>
    (await suite.clientOfAll.upload(accountId, content, 'text/plain')).blobId;
  const holders = async (id: string, accountId = suite.A1): Promise<Json | undefined> => {
    const args = { accountId, typeNames: [suite.type], ids: [id] };
    const { list } = await suite.clientOfAll.ok('Blob/lookup', args);
    return member(at(list as Json[], 0), 'matchedIds')[suite.type];
  };

  describe(`${profile.name}: blobs, as its descriptor says`, () => {
    it('case 30, RFC 9404 3: supportedTypeNames lists the type', async () => {
      const { accounts } = await suite.client.session();
      const capabilities = member(member(accounts, suite.A1), 'accountCapabilities');
      expect(member(capabilities, BLOB)['supportedTypeNames']).toContain(suite.type);
    });

    for (const { name, access, nullable } of blobs) {
      it(`decision 23, cases 233 and 488: ${name} holds blobs of the account, each with its record`, async () => {
        const [one, two] = [await upload(`${name} one`), await upload(`${name} two`)];
        const elsewhere = await upload(`${name} elsewhere`, suite.A2);
        for (const value of [elsewhere, 'nothing', '', 'no id', '#nobody'])
          expect((await suite.put({ [name]: value })).refused).toEqual(
            setError('invalidProperties', [name]),
          );
        // The id is stored as it was sent, so there is no other to report.
        const { id, reported } = await suite.put({ [name]: one });
        expect([reported[name] ?? one, (await suite.read(id))[name]]).toEqual([one, one]);
        expect(await holders(one)).toEqual([id]);
        if (access === 'mutable') {
          await suite.update(id, { [name]: two });
          expect([await holders(one), await holders(two)]).toEqual([[], [id]]);
          const { refused } = await suite.update(id, { [name]: elsewhere });
          expect(refused).toEqual(setError('invalidProperties', [name]));
          if (nullable) await suite.update(id, { [name]: null });
          if (nullable) expect(await holders(two)).toEqual([]);
        }
        if (profile.singleton) return;
        await suite.set({ destroy: [id] });
        expect([await holders(one), await holders(two)]).toEqual([[], []]);
      });

      suite.with('copy')(`case 411, 5.4: with a copy the blob of ${name} is there`, async () => {
        const blobId = await upload(`${name} copied`);
        const id = await suite.put1({ [name]: blobId });
        const { created } = await suite.client.copy(suite.type, {
          fromAccountId: suite.A1,
          accountId: suite.A2,
          create: { k: { id, ...suite.moved() } },
        });
        const copy = await suite.read(created?.['k']?.id ?? '', suite.A2);
        const there = String(copy[name]);
        const { text } = await suite.client.http(`/jmap/download/${suite.A2}/${there}/x`);
        expect(text).toBe(`${name} copied`);
        expect(await holders(there, suite.A2)).toEqual([copy.id]);
        await suite.set({ destroy: [id] });
      });
    }
  });
}
