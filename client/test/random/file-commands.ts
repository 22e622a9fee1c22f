import type { JsonObject } from '../../../src/protocol/json.js';
import type { BlobId } from '../../src/call/blobs.js';
import { type MarkedFile, MOST_OCTETS, TOLD_OCTETS } from './files.js';
import { markOf } from './marks.js';
import { type Command, create, drawName, drawRow, follow, nameOf, type Scene } from './scene.js';
import { drawGadget, escapeName } from './values.js';

/** Lengths of files: the server refuses some of them, and the client others. */
const LENGTHS = [6, 6, 6, 20, 20, 60, 60, MOST_OCTETS + 500, TOLD_OCTETS + 500] as const;

/** Uploads a file. */
function upload(scene: Scene): MarkedFile {
  const { world, device, tab, accountId, random } = scene;
  const mark = world.marks.next('f');
  const text = `${mark} `.padEnd(random.pick(LENGTHS), 'x');
  const controller = new AbortController();
  let last = -1;
  const onProgress = ({ loaded }: { readonly loaded: number }): void => {
    if (loaded <= last || loaded > text.length) world.fail(`${mark} sends ${loaded} after ${last}`);
    last = loaded;
  };
  const { signal } = controller;
  const options = { type: 'text/plain', signal, ...(random.chance(0.3) && { onProgress }) };
  const started = tab.client.account(accountId).upload(text, options);
  world.trace(`${tab.name} ${accountId} uploads ${mark} ${started.key}, ${text.length} octets`);
  const isLoose = accountId === world.place.shared && !world.isShared;
  const common = { mark, text, accountId, device: device.name, tab, controller, isLoose };
  return world.files.follow(common, started);
}

/** Returns a new file, or one that was uploaded earlier. */
export function drawFile(scene: Scene): MarkedFile {
  const { world, device, tab, accountId, random } = scene;
  const earlier = world.files.of(device.name, accountId);
  // Others know of a file once it is in the store.
  const known = earlier.filter((file) => file.tab === tab || file.isSaved === true);
  return known.length > 0 && random.chance(0.35) ? random.pick(known) : upload(scene);
}

/** Reads a file, which may be gone, or not there yet. */
async function read({ world, tab, accountId }: Scene, { key, text, mark }: MarkedFile) {
  try {
    const response = await tab.client.account(accountId).download(key as BlobId);
    const found = await response.text();
    if (found !== text) world.fail(`${tab.name} reads ${found} of ${mark}`);
  } catch (error) {
    world.trace(`${tab.name} can't read ${mark}: ${String(error)}`);
  }
}

/** Changes a row, so that it names a file, and adds a mark. */
function update(scene: Scene, file: MarkedFile, patches: readonly JsonObject[]): void {
  const row = drawRow(scene, 'Gadget');
  if (row === null) return;
  const { world, tab, accountId, random } = scene;
  const mark = world.marks.next('t');
  world.marks.mixed.add(markOf('Gadget', row) ?? '');
  const patch = Object.assign({ [`tags/${mark}`]: true }, ...patches) as JsonObject;
  const isAlbum = Object.keys(patch).some((pointer) => pointer.startsWith('album/'));
  const recipe = (draft: Record<string, unknown>): void => {
    draft['tags'] = { ...(draft['tags'] as object), [mark]: true };
    draft['album'] = { ...(draft['album'] as object), [file.key]: true };
  };
  const edit = isAlbum && random.chance(0.4) ? recipe : patch;
  const write = tab.client.account(accountId).Gadget.update(nameOf(scene, row), edit as JsonObject);
  const names = { names: [], files: [file], ...(isAlbum && { album: file }) };
  follow(scene, { mark, kind: 'update', type: 'Gadget', key: row.$key, ...names }, write);
}

/** Returns values by which a Gadget names a file. */
export function drawFileValues({ random }: Scene, { key }: MarkedFile): JsonObject {
  return {
    album: { [key]: true },
    ...(random.chance(0.3) && { blobId: key }),
    ...(random.chance(0.3) && { files: [{ name: 'one', fileId: key }] }),
  };
}

/** Files, and writes that name them. Nobody takes a file out of an album. */
export const FILE_COMMANDS: Readonly<Record<string, Command>> = {
  createWithFile: {
    weight: 5,
    run(scene) {
      const { world, tab, accountId, random } = scene;
      const mark = world.marks.next('m');
      const parent = drawName(scene, 'Gadget');
      const file = drawFile(scene);
      const values = {
        ...drawGadget(random, mark, { parent, link: null }),
        ...drawFileValues(scene, file),
      };
      const facts = { type: 'Gadget', mark, files: [file], album: file } as const;
      create(scene, tab.client.account(accountId).Gadget.create, facts, values);
    },
  },
  addFile: {
    weight: 5,
    run(scene) {
      const file = drawFile(scene);
      update(scene, file, [{ [`album/${escapeName(file.key)}`]: true }]);
    },
  },
  replaceFile: {
    weight: 4,
    run(scene) {
      const file = drawFile(scene);
      update(scene, file, [{ blobId: scene.random.pick([file.key, file.key, null]) }]);
    },
  },
  abortFile: {
    weight: 4,
    run({ world, tab, random }) {
      const own = world.files.all.filter((file) => file.tab === tab && file.end === null);
      if (own.length === 0) return;
      const file = random.pick(own);
      world.trace(`${tab.name} ends ${file.mark}`);
      file.controller.abort();
    },
  },
  readFile: {
    weight: 2,
    async run(scene) {
      const { world, device, accountId, random } = scene;
      const files = world.files.of(device.name, accountId);
      if (files.length === 0) return;
      // The store of a tab that is frozen says nothing.
      const isLate = new Promise<void>((resolve) => setTimeout(resolve, 40));
      await Promise.race([read(scene, random.pick(files)), isLate]);
    },
  },
};
