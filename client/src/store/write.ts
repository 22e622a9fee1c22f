import type { JsonObject } from '../../../src/protocol/json.js';
import type { PatchObject } from './patches.js';

/** The key of an object for as long as a client knows it: its id, or `~uuid` where it made it. */
export type Key = string;

const LOCAL = '~';

/** Returns the key of an object that is being made here. No id begins so (RFC 8620 1.2). */
export function makeKey(): Key {
  return LOCAL + crypto.randomUUID();
}

const LOCAL_KEY = /^~[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns whether a text may be such a key: texts of users may begin with the mark, too. */
export function isLocalKey(text: string): boolean {
  return LOCAL_KEY.test(text);
}

/** Returns the key of a file: a UUID of version 8, so a write shows by itself that it names one. */
export function makeFileKey(): Key {
  return makeKey().replace(/^(.{15})./, (_, start: string) => `${start}8`);
}

export function isFileKey(text: string): boolean {
  return isLocalKey(text) && text[15] === '8';
}

interface Pending {
  /** Names the write to whoever waits for its outcome: several where writes became one. */
  readonly ids: readonly string[];
  readonly type: string;
  readonly key: Key;
  /** Names the writes that were made together. They are sent together. */
  readonly group?: string;
  /** Keys of uploads that it names: it waits for them. */
  readonly blobs?: readonly Key[];
  /** It is sent once more with files that the server had deleted. */
  readonly isRepaired?: true;
  /** The request that carries it; null while it may still change. Its outcome may be unknown. */
  readonly sentAs: string | null;
  /** The state of its type in which it was last sent, where there was one. */
  readonly sentIn?: string;
  /** The id of an object that was made here, where it was known when the write was last sent. */
  readonly sentTo?: string;
  /** How often the server has failed at it, where it has. */
  readonly failures?: number;
}

export interface PendingCreate extends Pending {
  readonly kind: 'create';
  readonly values: JsonObject;
  /** Properties that the server will set, as the client shows them until then. */
  readonly provisional?: JsonObject;
}

export interface PendingUpdate extends Pending {
  readonly kind: 'update';
  readonly patch: PatchObject;
  /**
   * The properties that it touches as they were: it ends as a conflict where they differ. Null: it
   * doesn't ask.
   */
  readonly unchanged: JsonObject | null;
  /** The patch of the program, where another one was sent: it is planned anew from this one. */
  readonly given?: PatchObject;
  /** It is sent as whole properties: the server has refused its pointers. */
  readonly isWhole?: true;
}

export interface PendingDestroy extends Pending {
  readonly kind: 'destroy';
}

/** A write that the server has not answered: an entry of the log. JSON alone. */
export type PendingWrite = PendingCreate | PendingUpdate | PendingDestroy;

/** Returns a write that is put into another call: as the program made it, whatever was sent. */
export function unsend<Write extends PendingWrite>(write: Write): Write {
  if (write.kind !== 'update' || write.given === undefined) return { ...write, sentAs: null };
  const { given, ...rest } = write;
  return { ...rest, patch: given, sentAs: null } as Write;
}
