import { expect } from 'vitest';
import { checkUsage, type QuotaKeeping } from '../../src/methods/quota/keep-quotas.js';
import { conductor } from '../support/conductor.js';
import { type Json, QuotaRig, serveQuotas } from './quota-rig.js';

/** Types with blobs: two that quotas count, and one that none names. */
export const ALBUM_YAML = `capability: urn:example:album
quotas:
  storage: { types: [Note, Photo], octets: 6kB, counts: [objects, blobs], warn: 50% }
  files: { types: [Photo], octets: 3kB, counts: [blobs] }
plans:
  small: { files: 1kB }
types:
  Note:
    properties:
      text: { type: string, maxLength: 4000, default: '' }
      attachments: { type: array, items: { type: string, blob: true }, default: [] }
  Photo:
    properties:
      noteId: { type: [string, 'null'], references: Note, onDestroy: cascade }
      title: { type: string, maxLength: 4000, default: '' }
      blobId: { type: [string, 'null'], blob: true }
      thumbId: { type: [string, 'null'], blob: true }
  Draft: { properties: { blobId: { type: [string, 'null'], blob: true } } }
`;

/** Several photos that come together leave a note with the first one's blob. */
export const ALBUM_HOOKS = `import { HookRefusal } from 'jmapsmith/capability';
import type { Hooks } from '../generated/album/hooks.js';
import { noteType } from '../generated/album/Note.definition.js';
export const hooks = {
  types: {
    Photo: {
      async inTransaction({ created }, _call, tx) {
        const blobId = created[0]?.blobId ?? null;
        if (created.length < 2 || blobId === null) return;
        const create = { n: { text: 'several', attachments: [blobId] } };
        await tx.set(noteType, { create }).catch(() => {
          throw new HookRefusal('forbidden', 'There is no room.');
        });
      },
    },
  },
} satisfies Hooks;
`;

/** The properties that name blobs, of the types that a quota counts. */
const STORAGE = { Note: ['attachments'], Photo: ['blobId', 'thumbId'] };
const FILES = { Photo: STORAGE.Photo };

/** A server of the albums, whose quotas are counted anew from what clients see. */
export class AlbumRig extends QuotaRig {
  /** Uploads so many octets; resolves to the blob's id. */
  async upload(size: number, accountId = 'a1'): Promise<string> {
    const data = [{ 'data:asText': 'x'.repeat(size) }];
    const { created } = await this.call('Blob/upload', { accountId, create: { b: { data } } });
    return created.b.id;
  }

  photo(values: object, accountId = 'a1'): Promise<Json> {
    return this.call('Photo/set', { accountId, create: { p: values } });
  }

  /** Resolves to what an account uses of its quotas, by name. */
  async used(accountId = 'a1'): Promise<Json> {
    const { list } = await this.call('Quota/get', { accountId, ids: null });
    return Object.fromEntries(list.map(({ name, used }: Json) => [name, used]));
  }

  /** Resolves to what it must use, by all that the methods of its types and blobs answer. */
  async recounted(accountId = 'a1'): Promise<Json> {
    const storage = await this.#count(STORAGE, accountId);
    const files = await this.#count(FILES, accountId);
    return { storage: storage.objects + storage.blobs, files: files.blobs };
  }

  get keeping(): QuotaKeeping {
    const { store, registry } = this.served;
    if (registry.quotas === null) throw new Error('There are no quotas.');
    return { store, conductor, quotas: registry.quotas };
  }

  /** Expects that each quota says what there is, by both ways of counting. */
  async check(accountId = 'a1'): Promise<void> {
    const used = await this.used(accountId);
    expect(used, accountId).toEqual(await this.recounted(accountId));
    const deadline = performance.now() + 60_000;
    for (const { name, counted } of await checkUsage(this.keeping, accountId, { deadline }))
      expect(counted, `${name} of ${accountId}`).toBe(used[name]);
  }

  async #count(
    types: Readonly<Record<string, readonly string[]>>,
    accountId: string,
  ): Promise<{ readonly objects: number; readonly blobs: number }> {
    let objects = 0;
    const ids = new Set<string>();
    for (const [type, properties] of Object.entries(types)) {
      const { list } = await this.call(`${type}/get`, { accountId, ids: null });
      for (const object of list) {
        objects += Buffer.byteLength(JSON.stringify(object));
        for (const id of properties.flatMap((name) => object[name] ?? [])) ids.add(id);
      }
    }
    const { list } = await this.call('Blob/get', {
      ...{ accountId, ids: [...ids], properties: ['size'] },
    });
    expect(list).toHaveLength(ids.size);
    return { objects, blobs: list.reduce((sum: number, { size }: Json) => sum + size, 0) };
  }
}

/** Serves a project of albums from a new database, or the one of `url`. */
export async function serveAlbum(root: string, url?: string): Promise<AlbumRig> {
  return new AlbumRig((await serveQuotas(root, url)).served);
}
