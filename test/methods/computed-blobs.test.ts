import { afterEach, expect, test } from 'vitest';
import { startBackfill } from '../../src/backfill/start-backfill.js';
import { createLogging } from '../../src/server/logging.js';
import { described } from './described-type.js';
import { BLOB, CORE, type Json, Rig } from './rig.js';

/** Blobs that computed properties name, of objects that are older than the properties. */

const plain = { type: 'string', default: '' };
const blob = { type: ['string', 'null'], blob: true, access: 'serverSet' };
const page = described({
  Page: {
    properties: {
      body: plain,
      shelfId: plain,
      cover: { ...blob, computed: { from: ['body'] } },
    },
  },
  Shelf: { properties: { name: plain, sign: { ...blob, computed: { on: ['Page.body'] } } } },
});

/** A body is the id of a blob, or empty. */
const hooks = {
  types: {
    Page: { compute: { cover: ({ body }: Json) => (body === '' ? null : body) } },
    Shelf: {
      computeOn: {
        sign: async ({ Page: { created, updated } }: Json) => {
          const pages = [...created, ...updated.map(({ after }: Json) => after)];
          const signs = new Map<string, string | null>();
          for (const { shelfId, body } of pages)
            if (shelfId !== '') signs.set(shelfId, body === '' ? null : body);
          return signs;
        },
      },
    },
  },
};

let rig: Rig | undefined;
afterEach(() => rig?.close());

test.each([
  ['compute', 'Page', 'cover'],
  ['computeOn', 'Shelf', 'sign'],
])('a start that has values made by %s keeps the blobs that they name', async (_, type, column) => {
  const own = new Rig(
    {},
    { more: { ...page, capability: { ...page.capability, hooks } as never } },
  );
  rig = own;
  const using = [CORE, BLOB, page.capability.urn];
  const call = (name: string, args: object): Promise<Json> => own.call(name, args, { using });
  const [id, shelf] = [await own.upload('held'), await call('Shelf/set', { create: { s: {} } })];
  const shelfId = shelf.created.s.id;
  const made = await call('Page/set', { create: { p: { body: id, shelfId } } });
  const objectId = type === 'Page' ? made.created.p.id : shelfId;
  const held = async (): Promise<Json> =>
    (await call('Blob/lookup', { typeNames: [type], ids: [id] })).list[0].matchedIds[type];
  expect(await held()).toEqual([objectId]);
  // The state behind a migration that adds the property.
  own.run(`UPDATE "${type}" SET "${column}" = NULL`);
  own.run('DELETE FROM "JmapBlobReference"');
  own.run(`INSERT INTO "JmapMeta" ("key", "value") VALUES ('compute:${type}/${column}', '')`);
  const { store, registry, conductor, hooks: computing } = own.services;
  const backfill = await startBackfill({
    ...{ store, registry, conductor, hooks: computing, database: own.backfill(), shared: false },
    blobs: { read: () => Promise.reject(new Error('There are no blobs here.')) },
    hookServices: {
      timeout: 60_000,
      prisma: null,
      join: (work: () => Promise<unknown>) => work(),
      onError: () => undefined,
    },
    log: createLogging('fatal').log,
  } as Parameters<typeof startBackfill>[0]);
  await backfill.stop();
  expect((await call(`${type}/get`, { ids: [objectId] })).list[0][column]).toBe(id);
  expect(await held()).toEqual([objectId]);
  own.time = Date.now() + 10_000_000;
  expect(await store.collectBlobs(own.time, 1000)).toEqual([]);
});
