import type { Id } from '../schema/id.js';
import { passBody, readBody, readJson } from '../transport/http.js';
import type { OnProgress } from '../transport/upload.js';
import type { Connection } from './connection.js';
import { isFinal, RequestError } from './errors.js';
import type { Gate } from './gate.js';
import { expandTemplate, readLimit } from './session.js';

/** The id of a blob (RFC 8620 6). */
export type BlobId = Id<'Blob'>;

export interface UploadOptions {
  /** The media type; by default that of the blob. */
  readonly type?: string | undefined;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A blob that the server has. Nothing refers to it yet, so the server deletes it after a while. */
export interface Uploaded {
  readonly accountId: Id<'Account'>;
  readonly blobId: BlobId;
  readonly type: string;
  readonly size: number;
}

export interface DownloadOptions {
  /** The name of the file in the answer's Content-Disposition. */
  readonly name?: string | undefined;
  /** The media type of the answer. */
  readonly type?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A blob as a URL, for `<img>` and its like, which can't send a token. */
export interface ObjectUrl {
  readonly url: string;
  /** Frees the memory of the blob; the URL leads nowhere then. */
  revoke(): void;
}

/** The blobs of an account (RFC 8620 6). */
export interface Blobs {
  /** Uploads data. Rejects before anything is sent where it is larger than `maxSizeUpload`. */
  upload(data: BlobPart, options?: UploadOptions): Promise<Uploaded>;
  /** Resolves to the response once its head is there; `blob()` and its like read the data. */
  download(blobId: BlobId, options?: DownloadOptions): Promise<Response>;
  /** Downloads a blob. */
  blobUrl(blobId: BlobId, options?: DownloadOptions): Promise<ObjectUrl>;
}

/** Returns the blobs of an account. */
export function makeBlobs(accountId: string, connection: Connection, uploads: Gate): Blobs {
  const { http, fetch, scope, keeper, locate, persist } = connection;
  const session = keeper.current;
  const locateUpload = () => locate(expandTemplate(session().uploadUrl, { accountId }));

  const upload: Blobs['upload'] = (data, { type, onProgress, signal: outer } = {}) =>
    scope.run(outer, async (signal) => {
      const blob = data instanceof Blob ? data : new Blob([data]);
      requireSize(blob.size, readLimit(session(), 'maxSizeUpload'));
      const contentType = type ?? (blob.type || 'application/octet-stream');
      const headers = { 'content-type': contentType };
      const request = { method: 'POST', headers, body: blob, signal };
      const sender =
        onProgress &&
        (await import('../transport/upload.js')).makeUploader(blob, onProgress, fetch);
      const send = async (): Promise<Uploaded> => {
        const url = locateUpload();
        try {
          return (await readJson(await http(url, request, sender), signal)) as Uploaded;
        } catch (error) {
          if (isFinal(error)) {
            keeper.noteState();
            await keeper.settle();
            if (locateUpload() !== url) return send();
          }
          throw error;
        }
      };
      return persist(() => uploads(send), { isReading: false, signal });
    });

  const fetchBlob = (
    blobId: BlobId,
    { name = blobId, type = '' }: DownloadOptions,
    signal: AbortSignal,
  ): Promise<Response> => {
    const values = { accountId, blobId, name, type: type || 'application/octet-stream' };
    const url = locate(expandTemplate(session().downloadUrl, values));
    return persist(() => http(url, { signal }), { isReading: true, signal });
  };

  return {
    upload,
    download: (blobId, options = {}) =>
      scope.run(options.signal, async (signal) => {
        const response = await fetchBlob(blobId, options, signal);
        return options.signal ? passBody(response, options.signal) : response;
      }),
    blobUrl: (blobId, options = {}) =>
      scope.run(options.signal, async (signal) => {
        const response = await fetchBlob(blobId, options, signal);
        const url = URL.createObjectURL(await readBody(response, signal, (body) => body.blob()));
        return { url, revoke: () => URL.revokeObjectURL(url) };
      }),
  };
}

function requireSize(size: number, maximum: number): void {
  if (size <= maximum) return;
  throw new RequestError(413, {
    type: 'urn:ietf:params:jmap:error:limit',
    limit: 'maxSizeUpload',
    detail: `The data has ${size} octets; maxSizeUpload is ${maximum}.`,
  });
}
