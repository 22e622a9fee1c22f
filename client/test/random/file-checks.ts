import type { JsonObject } from '../../../src/protocol/json.js';
import { eventually } from '../../../test/support/poll.js';
import type { Device, StoredUpload } from './device.js';
import { filesOf, isRefused, type MarkedFile, MOST_OCTETS } from './files.js';
import type { MarkedWrite } from './marks.js';
import type { World } from './world.js';

/** The files that objects name are on the server: those that their writes have named. */
export class FileChecks {
  readonly #world: World;
  readonly #texts = new Map<string, string>();

  private constructor(world: World) {
    this.#world = world;
  }

  /** Reads all files that objects of an account name. */
  static async read(world: World, accountId: string, objects: Iterable<JsonObject>) {
    const checks = new FileChecks(world);
    const { writer } = world.place;
    const known = new Set(
      world.files.all.flatMap((file) => (file.accountId === accountId ? file.text : [])),
    );
    for (const id of new Set([...objects].flatMap(filesOf))) {
      const { status, text } = await writer.http(`/jmap/download/${accountId}/${id}/file`);
      if (status !== 200) world.fail(`the server has no file ${id}, which an object names`);
      else if (!known.has(text)) world.fail(`the file ${id} is ${text}, which nobody has sent`);
      checks.#texts.set(id, text);
    }
    return checks;
  }

  /** A write that is there has brought its file. */
  check({ mark, key, album: file }: MarkedWrite, object: JsonObject): void {
    if (file === undefined) return;
    const names = Object.keys(object['album'] ?? {});
    const isThere = names.some((id) => this.#texts.get(id) === file.text);
    // A tab may send a file that its program ends in another one at the same time. A client that
    // was frozen could not save the end.
    const isSure = file.text.length > MOST_OCTETS || (file.tab.isAlone && file.tab.isInUse);
    // The write of a file that an earlier one has named may leave it out.
    const { writes, refused } = this.#world.marks;
    const isLeftOut = writes.some(
      (other) => other.key === key && other.album === file && refused.has(other.mark),
    );
    if (isRefused(file) && isThere && isSure)
      this.#world.fail(`${mark} was made, and ${file.mark} was ${file.end}`);
    if (!isRefused(file) && !isThere && !isLeftOut)
      this.#world.fail(`${mark} was made without ${file.mark}`);
  }
}

/** Nothing waits in a store, and it has no octets that nobody needs. */
export async function checkKept(world: World, device: Device): Promise<void> {
  const rows = await eventually(async () => {
    const all = await device.readUploads();
    const isUnsent = ({ row }: StoredUpload): boolean => !('sentAt' in row || 'error' in row);
    const unsent = all.filter(isUnsent).map(({ accountId, key }) => `${accountId} ${key}`);
    if (unsent.length > 0) throw new Error(`${device.name} keeps ${unsent.join()}, unsent.`);
    return all;
  }, 10_000);
  const kept = new Map(rows.map(({ key, row }) => [key, row]));
  const own = world.files.all.filter((file) => file.device === device.name);
  const isNeeded = ({ key }: MarkedFile): boolean => kept.get(key)?.['sentAt'] !== undefined;
  for (const file of own)
    if (!isNeeded(file) && (await device.hasOctets(file)))
      world.fail(`${device.name} keeps the octets of ${file.mark}`);
}
