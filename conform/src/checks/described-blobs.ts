import { expect } from 'expect';
import { type TypeNeeds, typeChecks } from '../check.js';
import { entry } from '../expected.js';
import { type BlobHolder, findBlobHolders } from '../subject/blob-holders.js';
import type { Subject } from '../subject/subject.js';
import { BLOB } from '../subject/user.js';
import { buildSetCall, readCreated } from './requests.js';

/** `blob: true` of a descriptor: properties that hold ids of blobs (RFC 8620 6). */

/** Needs no more than objects that can be made and read. */
export const NEEDS: TypeNeeds = Object.freeze<TypeNeeds>({
  methods: ['get', 'set'],
  room: 2,
  singleton: 'both',
});

/** Returns why no object of the type holds a blob; null where one does. */
export const needBlobHolder = (subject: Subject): string | null =>
  findBlobHolders(subject).length > 0 ? null : 'The type refers to no blobs.';

/** Uploads content to an account of the type and returns its blobId. */
export const upload = (
  subject: Subject,
  content: string,
  accountId = subject.A1,
): Promise<string> => subject.server.user.uploadBlob(accountId, content, 'text/plain');

/** Returns why the account has no blob methods (RFC 9404); null where it has. */
const needBlobMethods = ({ server, A1 }: Subject): string | null =>
  server.user.session.listOffering(BLOB).includes(A1) ? null : `The account has no ${BLOB}.`;

/**
 * Runs for each property that holds a blob. Destroys what was made for it, and sets a singleton's
 * property back.
 */
export async function forEachHolder(
  subject: Subject,
  work: (holder: BlobHolder, made: string[]) => Promise<void>,
): Promise<void> {
  const { singleton } = subject.profile;
  for (const property of findBlobHolders(subject)) {
    const before = singleton ? await subject.read('singleton') : null;
    const made: string[] = [];
    try {
      await work(property, made);
    } finally {
      const value = before?.[property.name] ?? null;
      if (singleton) await subject.update('singleton', { [property.name]: value });
      else await subject.set({ destroy: made });
    }
  }
}

/** Returns the blob id that an object holds and the octets of its download. */
async function readContent(
  subject: Subject,
  { name, readHeld }: BlobHolder,
  id: string,
  accountId = subject.A1,
) {
  const blobId = readHeld((await subject.read(id, accountId))[name]);
  const { status, text } = await subject.server.user.download(accountId, blobId);
  return { blobId, status, text };
}

export const describedBlobChecks = typeChecks('6', NEEDS, [
  {
    id: 'described-blobs-any',
    level: 'must',
    rule:
      'Any blob of the account can be given to a property that holds one, in a create and in an ' +
      'update. Its octets are there under the id that the object has. The server tells it where ' +
      'the client sent another.',
    applies: needBlobHolder,
    async run(subject) {
      await forEachHolder(subject, async (holder, made) => {
        const { name, access, buildHolding, readHeld } = holder;
        const sent = await upload(subject, `${name} one`);
        const { id, reported, refused } = await subject.put({ [name]: buildHolding(sent) });
        expect({ name, refused }).toEqual({ name, refused: null });
        if (!subject.profile.singleton) made.push(id);
        const matchContent = (text: string, blobId: string) =>
          expect.objectContaining({ blobId, status: 200, text: `${name} ${text}` });
        const first = name in reported ? readHeld(reported[name]) : sent;
        expect(await readContent(subject, holder, id)).toEqual(matchContent('one', first));
        if (access !== 'mutable') return;
        const other = await upload(subject, `${name} two`);
        const answer = await subject.update(id, { [name]: buildHolding(other) });
        expect({ name, refused: answer.refused }).toEqual({ name, refused: null });
        const told = answer.set?.[name];
        const second = told === undefined ? other : readHeld(told);
        expect(await readContent(subject, holder, id)).toEqual(matchContent('two', second));
        // The object's blob is there to be given again, to this one and to others.
        const again = await subject.put({ [name]: buildHolding(second) });
        expect({ name, refused: again.refused }).toEqual({ name, refused: null });
        if (!subject.profile.singleton) made.push(again.id);
      });
    },
  },
  {
    id: 'described-blobs-last-reference',
    level: 'must',
    rule:
      'A call that takes the last reference to a blob deletes nothing: an object that it creates ' +
      'can hold the blob on.',
    needs: { singleton: undefined },
    applies: needBlobHolder,
    async run(subject) {
      await forEachHolder(subject, async (holder, made) => {
        const { name, buildHolding } = holder;
        const first = await subject.putOne({
          [name]: buildHolding(await upload(subject, `${name} kept`)),
        });
        const { blobId } = await readContent(subject, holder, first);
        const { created, destroyed } = await subject.set({
          create: { k: { ...subject.create('next'), [name]: buildHolding(blobId) } },
          destroy: [first],
        });
        const { id } = entry(created, 'k');
        made.push(id);
        expect(destroyed).toEqual([first]);
        const { status, text } = await readContent(subject, holder, id);
        expect([status, text]).toEqual([200, `${name} kept`]);
      });
    },
  },
  {
    id: 'described-blobs-creation-id',
    section: '4.1',
    specification: 'RFC 9404',
    level: 'must',
    rule:
      'The creation id of a blob that an earlier call of the request made stands for it in an ' +
      'object: the real id is stored, and told.',
    needs: { singleton: undefined },
    applies: (subject) => needBlobHolder(subject) ?? needBlobMethods(subject),
    async run(subject) {
      const { A1: accountId } = subject;
      await forEachHolder(subject, async (holder, made) => {
        const { name, buildHolding, readHeld } = holder;
        const b = { data: [{ 'data:asText': `${name} uploaded` }] };
        const create = { k: { ...subject.create('k'), [name]: buildHolding('#b') } };
        const response = await subject.clientOfAll.api([
          ['Blob/upload', { accountId, create: { b } }, 'up'],
          buildSetCall(subject, { create }, 's'),
        ]);
        const k = readCreated(response, 's');
        made.push(k.id);
        const { blobId, text } = await readContent(subject, holder, k.id);
        expect([readHeld(k[name]), text]).toEqual([blobId, `${name} uploaded`]);
      });
    },
  },
  {
    id: 'described-blobs-copied',
    section: '5.4',
    level: 'must',
    rule:
      'The blob of a copy is in the account of the copy, with the octets of the original’s, ' +
      'under the id that the copy has. Another id than the original’s is told.',
    needs: { methods: ['copy'], singleton: undefined },
    applies: needBlobHolder,
    async run(subject) {
      const { A1: fromAccountId, A2: accountId, type } = subject;
      await subject.prepare(accountId);
      await forEachHolder(subject, async (holder, made) => {
        const { name, buildHolding, readHeld } = holder;
        const original = await subject.putOne({
          [name]: buildHolding(await upload(subject, `${name} copied`)),
        });
        made.push(original);
        const before = await readContent(subject, holder, original);
        const { [name]: _, ...moved } = subject.readPrepared();
        const create = { k: { id: original, ...moved } };
        const answer = await subject.client.copy(type, { fromAccountId, accountId, create });
        const copy = entry(answer.created, 'k');
        const now = await readContent(subject, holder, copy.id, accountId);
        expect([now.status, now.text]).toEqual([200, `${name} copied`]);
        if (now.blobId !== before.blobId) expect(readHeld(copy[name])).toBe(now.blobId);
        // Neither of the two needs the other.
        await subject.set({ accountId, destroy: [copy.id] });
        expect(await readContent(subject, holder, original)).toEqual(before);
      });
    },
  },
]);
