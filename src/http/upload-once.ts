import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { UnreferencedQuota } from '../capability/quota-definition.js';
import { hashOfKey, isKey, type OnceSettings } from '../methods/once.js';
import { insertWithin } from '../methods/quota/unreferenced-blobs.js';
import { parseJson } from '../protocol/ijson.js';
import type { JsonObject } from '../protocol/json.js';
import type { Transaction } from '../store/port.js';
import { HttpError } from './reply.js';
import { countHeader } from './request-head.js';

/** Uploads with the header Idempotency-Key (docs/reference/protocol.md#once-uploads). */

const HEADER = 'Idempotency-Key';
/** In the place of a method's name. */
const UPLOAD = 'upload';

/** The answer to an upload. */
export interface UploadAnswer {
  readonly accountId: string;
  readonly blobId: string;
  readonly type: string;
  readonly size: number;
}

/** An upload that has its row, and the blobs that made room for it. */
export interface RecordedUpload {
  readonly answer: UploadAnswer;
  readonly evicted: readonly string[];
}

/** Returns the key of an upload, or null. Throws 400 for one that is none, or for two. */
export function uploadKey(req: IncomingMessage): string | null {
  const header = req.headers['idempotency-key'];
  if (header === undefined) return null;
  const key = unquoted(String(header).trim());
  if (countHeader(req.rawHeaders, 'idempotency-key') > 1 || !isKey(key)) {
    throw new HttpError(400, `Send one ${HEADER} header, of 1 to 128 characters.`);
  }
  return key;
}

/** A key may be a string of RFC 9651 3.3.3, in quotation marks, or the same text without them. */
function unquoted(text: string): string {
  const inner = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1];
  return inner?.replace(/\\(["\\])/g, '$1') ?? text;
}

/** An upload with a key, which knows its octets once they have been read. */
export class UploadOnce {
  readonly #key: string;
  readonly #userId: string;
  readonly #octets: Hash = createHash('sha256');
  readonly #since: number;
  /** Of the octets and their type, once all have been read. */
  #hash: string | null = null;

  constructor(key: string, userId: string, { keep }: Pick<OnceSettings, 'keep'>) {
    this.#key = hashOfKey(userId, UPLOAD, key);
    this.#userId = userId;
    this.#since = Date.now() - keep;
  }

  /** Returns the octets of a request, which are hashed on their way. */
  read(req: IncomingMessage): Readable {
    const octets = this.#octets;
    async function* hashed(): AsyncGenerator<Buffer> {
      // A request that is refused awaits its answer.
      for await (const chunk of req.iterator({ destroyOnReturn: false })) {
        octets.update(chunk as Buffer);
        yield chunk as Buffer;
      }
    }
    return Readable.from(hashed(), { objectMode: false });
  }

  /**
   * Makes the row of a new blob and keeps the answer. If the same upload came before and its blob
   * is still there, keeps that one, from now on for as long as a new one, and returns its answer.
   * Throws 422 where another upload had the key.
   */
  async record(
    transaction: Transaction,
    answer: UploadAnswer,
    quota: UnreferencedQuota | null,
  ): Promise<RecordedUpload> {
    // The work may run twice, and the octets have one digest.
    this.#hash ??= hashOfKey(this.#octets.digest('base64url'), answer.type);
    const ownHash = this.#hash;
    const kept = await transaction.keptAnswer(this.#key, this.#since);
    if (kept !== null) {
      if (kept.arguments !== ownHash) throw usedBefore();
      const earlier = parseJson(kept.answer) as JsonObject & UploadAnswer;
      const rows = await transaction.blobs([earlier.blobId], this.#userId);
      const evicted = await insertWithin(quota, transaction, rows);
      if (rows.length > 0) return { answer: earlier, evicted };
    }
    const { blobId: id, type, size } = answer;
    const blobs = [{ id, type, size, uploaderId: this.#userId }];
    const evicted = await insertWithin(quota, transaction, blobs);
    const text = JSON.stringify(answer);
    await transaction.keepAnswer(this.#key, { arguments: ownHash, answer: text });
    return { answer, evicted };
  }
}

function usedBefore(): HttpError {
  return new HttpError(422, `The ${HEADER} was used for an upload of other octets or type.`);
}
