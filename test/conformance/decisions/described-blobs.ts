import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import {
  forEachHolder,
  NEEDS,
  needBlobHolder,
  upload,
} from '../../../conform/src/checks/described-blobs.js';
import { matchRefusal } from '../../../conform/src/checks/refusal.js';
import { entry } from '../../../conform/src/expected.js';
import { findBlobHolders } from '../../../conform/src/subject/blob-holders.js';

export const describedBlobDecisions = typeChecks('6', NEEDS, [
  {
    id: 'described-blobs-refused',
    level: 'must',
    rule:
      'A blob that is not of the account, and what is no id of a blob at all, is ' +
      'invalidProperties, in a create and in an update.',
    applies: needBlobHolder,
    async run(subject) {
      const elsewhere = await upload(subject, 'elsewhere', subject.A2);
      await forEachHolder(subject, async (holder, made) => {
        const { name, access, isWhole, buildHolding } = holder;
        const { id } = await subject.put({});
        if (!subject.profile.singleton) made.push(id);
        const texts = [elsewhere, 'bnothing', '', 'no id', '#nobody'].map(buildHolding);
        const others = isWhole ? [{}, ['b']] : [];
        for (const value of [...texts, ...others, 5, true]) {
          const { refused } = await subject.put({ [name]: value });
          const wrong = { name, value, refused: matchRefusal(subject, name) };
          expect({ name, value, refused }).toEqual(wrong);
          if (access !== 'mutable') continue;
          const answer = await subject.update(id, { [name]: value });
          expect({ name, value, refused: answer.refused }).toEqual(wrong);
        }
      });
    },
  },
  {
    id: 'described-blobs-shared',
    section: '6.1',
    level: 'must',
    rule:
      'An object that refers to a blob opens it to all who reach the account; once nothing does ' +
      'it is its uploader’s alone again.',
    needs: { singleton: undefined },
    applies: needBlobHolder,
    async run(subject) {
      const accountId = subject.AR;
      const writer = subject.server.findWriter(accountId);
      await subject.prepare(accountId);
      const client = writer.buildClient(subject.profile.capability);
      for (const { name, buildHolding } of findBlobHolders(subject)) {
        const blobId = await writer.uploadBlob(accountId, `${name} shared`, 'text/plain');
        const read = async () => (await subject.server.user.download(accountId, blobId)).status;
        expect(await read()).toBe(404);
        const k = { ...subject.create('shared', accountId), [name]: buildHolding(blobId) };
        const { created } = await client.set(subject.type, { accountId, create: { k } });
        const { id } = entry(created, 'k');
        const while_ = await subject.server.user.download(accountId, blobId);
        await client.set(subject.type, { accountId, destroy: [id] });
        expect([while_.status, while_.text]).toEqual([200, `${name} shared`]);
        expect(await read()).toBe(404);
        expect((await writer.download(accountId, blobId)).status).toBe(200);
      }
    },
  },
]);
