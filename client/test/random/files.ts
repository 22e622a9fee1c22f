import type { JsonObject, JsonValue } from '../../../src/protocol/json.js';
import type { Upload } from '../../src/cache/cached-types.js';
import type { Tab } from './tab.js';

/** Octets that the server takes of a file. */
export const MOST_OCTETS = 2000;

/** Octets that the session of a seed tells: the server refuses files in between. */
export const TOLD_OCTETS = 4000;

/** A file that a client uploads. Its first word is its mark. */
export interface MarkedFile {
  readonly mark: string;
  readonly key: string;
  readonly text: string;
  readonly accountId: string;
  readonly device: string;
  readonly tab: Tab;
  readonly controller: AbortController;
  isSaved: boolean | null;
  /** 'sent', or the type of the error; null: it is to come, or its client has ended before. */
  end: string | null;
  /** The user may have lost its account meanwhile, and its client the file. */
  isLoose: boolean;
}

/** All files of a seed. */
export class Files {
  readonly all: MarkedFile[] = [];

  /** Follows an upload to its end. */
  follow(facts: Omit<MarkedFile, 'key' | 'isSaved' | 'end'>, upload: Upload): MarkedFile {
    const file: MarkedFile = { ...facts, key: upload.key, isSaved: null, end: null };
    this.all.push(file);
    void upload.saved.then((isSaved) => {
      file.isSaved = isSaved;
    });
    void upload.result.then((result) => {
      if (result.ok) file.end = 'sent';
      // A client that goes on forgets a file whose writes have all ended, or were cancelled.
      else if (result.error.type !== 'closed' || file.tab.isInUse) file.end = result.error.type;
    });
    return file;
  }

  of(device: string, accountId: string): readonly MarkedFile[] {
    return this.all.filter((file) => file.device === device && file.accountId === accountId);
  }

  /** The user loses an account, and its files. */
  loosen(accountId: string): void {
    for (const file of this.all) if (file.accountId === accountId) file.isLoose = true;
  }
}

/** Returns whether the server must not have a file. */
export function isRefused({ end, text }: MarkedFile): boolean {
  return text.length > MOST_OCTETS || (end !== null && end !== 'sent');
}

/** Returns whether writes may be refused that name a file. */
export function mayBeMissing(file: MarkedFile): boolean {
  const { controller, isLoose, isSaved, tab } = file;
  // A file that no store has goes with its client.
  const isLost = isSaved !== true && !tab.isInUse;
  return isRefused(file) || controller.signal.aborted || isLoose || isLost;
}

/** Returns the names of the files that a Gadget has. */
export function filesOf({ blobId, album, files }: JsonObject): readonly string[] {
  const listed = (files ?? []) as readonly { readonly fileId: JsonValue }[];
  const names = [blobId, ...Object.keys(album ?? {}), ...listed.map(({ fileId }) => fileId)];
  return names.filter((name) => typeof name === 'string');
}
