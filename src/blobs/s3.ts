import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { UnavailableError } from '../protocol/errors.js';
import { isId } from '../protocol/ids.js';
import {
  BlobMissingError,
  type BlobPlace,
  type BlobStore,
  type KeptBlob,
  type OctetRange,
} from './blob-store.js';
import { IncomingOctets } from './incoming.js';

/** A place in S3. The SDK finds the credentials by itself: AWS_ACCESS_KEY_ID and the like. */
export interface S3Location {
  readonly bucket: string;
  /** In front of every key, with a slash at its end; `""` for none. */
  readonly prefix: string;
  /** Another service than Amazon's, such as MinIO; null for Amazon's. */
  readonly endpoint: string | null;
  readonly region: string;
}

/** S3 takes parts of 5 MiB and more; a few wait in memory for each upload. */
const PART_SIZE = 8 * 1024 ** 2;
const PARTS_AT_ONCE = 2;

/** Milliseconds after which the client gives up a silent service; it tries twice more. */
export interface S3Timings {
  readonly connect: number;
  /** From a request's first octet to its answer's: a part of 8 MiB is on its way within. */
  readonly answer: number;
  /** Between octets of an answer's body: longer than a reader may pause (`stalledReader`). */
  readonly silence: number;
}

const TIMINGS: S3Timings = Object.freeze({ connect: 5000, answer: 30_000, silence: 90_000 });
const ATTEMPTS = 3;

/** Keeps blobs as objects `<prefix><accountId>/<blobId>`. An object appears when it is whole. */
export class S3BlobStore implements BlobStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor({ bucket, prefix, endpoint, region }: S3Location, timings: S3Timings = TIMINGS) {
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#client = new S3Client({
      region,
      maxAttempts: ATTEMPTS,
      // Without these the SDK waits for ever.
      requestHandler: {
        connectionTimeout: timings.connect,
        requestTimeout: timings.answer,
        throwOnRequestTimeout: true,
        socketTimeout: timings.silence,
      },
      // Services other than Amazon's rarely have a host name for each bucket.
      ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    });
  }

  async write(
    accountId: string,
    blobId: string,
    source: Readable,
    maxSize: number,
  ): Promise<{ readonly size: number }> {
    const octets = new IncomingOctets(source, maxSize);
    const Key = this.#keyOf({ accountId, blobId });
    const upload = new Upload({
      client: this.#client,
      params: { Bucket: this.#bucket, Key, Body: Readable.from(octets) },
      partSize: PART_SIZE,
      queueSize: PARTS_AT_ONCE,
    });
    await upload.done().catch((error: unknown) => {
      if (octets.failure !== null) throw octets.failure;
      fail(error);
    });
    return { size: octets.size };
  }

  async read(accountId: string, blobId: string, range?: OctetRange): Promise<Readable> {
    const place = { accountId, blobId };
    if (!isId(accountId) || !isId(blobId)) throw new BlobMissingError(place);
    if (range !== undefined && range.end <= range.start) return Readable.from([]);
    const Key = this.#keyOf(place);
    // HTTP's last octet is part of the range.
    const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end - 1}`;
    const { Body } = await this.#client
      .send(new GetObjectCommand({ Bucket: this.#bucket, Key, Range }))
      .catch((error: unknown) => fail(error, place));
    if (!(Body instanceof Readable)) throw new Error('In Node the body of an object is a stream.');
    return Body;
  }

  async copy(origin: BlobPlace, destination: BlobPlace): Promise<void> {
    const source = `${this.#bucket}/${this.#keyOf(origin)}`;
    const CopySource = source.split('/').map(encodeURIComponent).join('/');
    const Key = this.#keyOf(destination);
    await this.#client
      .send(new CopyObjectCommand({ Bucket: this.#bucket, Key, CopySource }))
      .catch((error: unknown) => fail(error, origin));
  }

  async delete(accountId: string, blobId: string): Promise<void> {
    if (!isId(accountId) || !isId(blobId)) return;
    const Key = this.#keyOf({ accountId, blobId });
    const command = new DeleteObjectCommand({ Bucket: this.#bucket, Key });
    await this.#client.send(command).catch((error: unknown) => fail(error));
  }

  async *list(): AsyncGenerator<KeptBlob> {
    for await (const page of this.#pages(this.#prefix)) {
      for (const { Key, since } of page) {
        const [accountId = '', blobId = '', ...more] = Key.slice(this.#prefix.length).split('/');
        if (more.length === 0 && isId(accountId) && isId(blobId)) {
          yield { accountId, blobId, since };
        }
      }
    }
  }

  async deleteAccount(accountId: string): Promise<void> {
    if (!isId(accountId)) return;
    for await (const page of this.#pages(`${this.#prefix}${accountId}/`)) {
      if (page.length === 0) continue;
      const Objects = page.map(({ Key }) => ({ Key }));
      const Delete = { Objects, Quiet: true };
      const command = new DeleteObjectsCommand({ Bucket: this.#bucket, Delete });
      const answer = await this.#client.send(command).catch((error: unknown) => fail(error));
      // The answer to the whole is fine where some of them are not.
      const [refused] = answer.Errors ?? [];
      if (refused !== undefined) fail(new Error(`${refused.Code}: ${refused.Message}`));
    }
  }

  #keyOf({ accountId, blobId }: BlobPlace): string {
    if (isId(accountId) && isId(blobId)) return `${this.#prefix}${accountId}/${blobId}`;
    throw new TypeError('An account id or blob id is no Id (RFC 8620 1.2).');
  }

  /** Yields the objects below a prefix, page by page. */
  async *#pages(Prefix: string): AsyncGenerator<readonly { Key: string; since: number }[]> {
    const input = { Bucket: this.#bucket, Prefix };
    try {
      for await (const { Contents = [] } of paginateListObjectsV2(
        { client: this.#client },
        input,
      )) {
        yield Contents.flatMap(({ Key, LastModified }) =>
          Key === undefined ? [] : [{ Key, since: LastModified?.getTime() ?? Date.now() }],
        );
      }
    } catch (error) {
      fail(error);
    }
  }
}

/**
 * Throws what a failed command means to callers: that the blob which it reads is missing, else that
 * the service may answer later, whatever it says.
 */
function fail(error: unknown, source?: BlobPlace): never {
  // By name: of a CopyObject the SDK makes no class of its own of it.
  const isMissing = error instanceof Error && error.name === 'NoSuchKey';
  if (isMissing && source !== undefined) throw new BlobMissingError(source);
  throw new UnavailableError('The blob store did not answer as it should.', { cause: error });
}
