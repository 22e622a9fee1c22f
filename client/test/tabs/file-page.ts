import { indexedDb } from '../../src/cache/indexeddb-store.js';
import { type CachedClient, connect } from '../../src/index.js';
import { type TodosProject, todos } from '../support/schema.js';

/** Files of a client in a page, for calls from outside. */
export interface FilePage {
  open(url: string, token: string): Promise<void>;
  /** Uploads a red square, with so many octets behind it; returns the octets that were told. */
  upload(more: number): Promise<readonly number[]>;
  /** Ends an upload once it has told of some octets; returns the type of its error. */
  abort(octets: number): Promise<string>;
  /** Shows the file that was uploaded last; returns the width and the first pixel. */
  show(): Promise<readonly number[]>;
}

let jmap: CachedClient<TodosProject> | null = null;
let key = '';

function account() {
  if (jmap === null) throw new Error('The client is not open.');
  return jmap.account();
}

async function drawSquare(): Promise<Blob> {
  const canvas = new OffscreenCanvas(3, 3);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The page has no canvas.');
  context.fillStyle = '#ff0000';
  context.fillRect(0, 0, 3, 3);
  return canvas.convertToBlob({ type: 'image/png' });
}

const filePage: FilePage = {
  async open(url, token) {
    jmap = await connect(todos, { url, token, store: indexedDb() });
    await jmap.sync.settled();
  },
  async upload(more) {
    const told: number[] = [];
    const square = await drawSquare();
    const file = new Blob([square, new Uint8Array(more)], { type: square.type });
    const scan = account().upload(file, { onProgress: ({ loaded }) => told.push(loaded) });
    key = scan.key;
    const end = await scan.result;
    if (!end.ok) throw new Error(end.error.type);
    return [...told, file.size];
  },
  async abort(octets) {
    const controller = new AbortController();
    const scan = account().upload(new Blob([new Uint8Array(octets)]), {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    const end = await scan.result;
    return end.ok ? 'made' : end.error.type;
  },
  async show() {
    const { url, revoke } = await account().blobUrl(key as never);
    const image = new Image();
    image.src = url;
    await image.decode();
    const context = new OffscreenCanvas(3, 3).getContext('2d');
    context?.drawImage(image, 0, 0);
    revoke();
    return [image.width, ...(context?.getImageData(0, 0, 1, 1).data ?? [])];
  },
};

Object.assign(globalThis, { filePage });
