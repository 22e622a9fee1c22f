import { expect } from 'vitest';
import { Random } from '../support/random.js';
import { ALBUM_HOOKS, ALBUM_YAML, type AlbumRig } from './quota-blobs-rig.js';
import { type Json, makeProject, type QuotaProject } from './quota-rig.js';

export function randomAlbum(): Promise<QuotaProject> {
  return makeProject({ 'album.yaml': ALBUM_YAML, 'album.hooks.ts': ALBUM_HOOKS });
}

const ACCOUNTS = ['a1', 'a2'];

/** Blobs that objects choose from: few, so that several of them refer to one. */
const MOST_BLOBS = 8;

/** Makes random calls, and checks that each quota says what there is. */
export async function changeAlbums(rig: AlbumRig, calls: number, seed: number): Promise<void> {
  const random = new Random(seed);
  const pick = (most: number): number => random.integer(0, most - 1);
  const failures = new Set<string>();
  const note = (answer: Json): void => {
    const errors = [answer, ...Object.values({ ...answer.notCreated, ...answer.notUpdated })];
    for (const { error, type = error } of errors as Json[])
      if (type !== undefined) failures.add(type);
  };
  const blobs = new Map(ACCOUNTS.map((accountId) => [accountId, [] as string[]]));
  for (let round = 0; round < calls; round += 1) {
    const accountId = ACCOUNTS[pick(2)] ?? 'a1';
    const known = blobs.get(accountId) ?? [];
    if (known.length < MOST_BLOBS || pick(10) === 0)
      known.splice(pick(MOST_BLOBS), 1, await rig.upload(pick(900), accountId));
    const ids = async (type: string): Promise<string[]> =>
      (await rig.call(`${type}/query`, { accountId })).ids;
    const [notes, photos] = [await ids('Note'), await ids('Photo')];
    const some = (of: readonly string[], most: number): string[] =>
      [...new Set(Array.from({ length: pick(most + 1) }, () => of[pick(of.length + 1)]))].filter(
        (id) => id !== undefined,
      );
    const aBlob = (): string | null => some(known, 1)[0] ?? null;
    const aPhoto = (): object => ({
      ...{ noteId: some(notes, 1)[0] ?? null, blobId: aBlob(), thumbId: aBlob() },
      title: 'é'.repeat(pick(100)),
    });
    const kind = pick(8);
    if (kind < 4) {
      const create = Object.fromEntries(Array.from({ length: pick(4) }, (_, n) => [n, aPhoto()]));
      const update = Object.fromEntries(some(photos, 2).map((id) => [id, aPhoto()]));
      const ifInState = kind === 0 ? { ifInState: '0' } : {};
      const destroy = some(photos, 3);
      note(await rig.call('Photo/set', { accountId, create, update, destroy, ...ifInState }));
    } else if (kind < 7) {
      const create = { n: { text: 'x'.repeat(pick(300)), attachments: some(known, 4) } };
      const update = Object.fromEntries(
        some(notes, 2).map((id) => [id, { attachments: some(known, 3) }]),
      );
      note(await rig.call('Note/set', { accountId, create, update, destroy: some(notes, 3) }));
    } else {
      const copies = some(photos, 3).map((id, n) => [n, { id, noteId: null }]);
      note(
        await rig.call('Photo/copy', {
          ...{ fromAccountId: accountId, accountId: accountId === 'a1' ? 'a2' : 'a1' },
          ...{ create: Object.fromEntries(copies), onSuccessDestroyOriginal: pick(2) === 0 },
        }),
      );
    }
    if (round % 10 === 0) await check(rig);
  }
  await check(rig);
  // Otherwise the calls have tried too little.
  expect([...failures]).toEqual(expect.arrayContaining(['overQuota', 'stateMismatch']));
}

async function check(rig: AlbumRig): Promise<void> {
  for (const accountId of ACCOUNTS) {
    await rig.check(accountId);
    expect((await rig.used(accountId)).files).toBeLessThanOrEqual(3000);
  }
}
