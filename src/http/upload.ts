import type { IncomingMessage } from 'node:http';
import { mayUpload } from '../access/may-upload.js';
import type { AccountAccess, Principal } from '../accounts/principal.js';
import { type BlobPlace, BlobTooLargeError } from '../blobs/blob-store.js';
import {
  insertWithin,
  maxSizeOf,
  releaseOctets,
  whyOverQuota,
} from '../methods/quota/unreferenced-blobs.js';
import { RequestError, UnknownOutcomeError } from '../protocol/errors.js';
import { DEFAULT_MEDIA_TYPE, isMediaType } from '../protocol/media-type.js';
import { accountHas } from '../protocol/session.js';
import { Allowance } from '../runtime/budgets.js';
import type { Transaction } from '../store/port.js';
import type { Page } from './app.js';
import { awaitBody, refuseEncoding } from './body.js';
import { tokenRefused } from './challenges.js';
import { bodyLength, principalOf } from './edge-response.js';
import { ClientGoneError, HttpError, sendJson } from './reply.js';
import { requireBlobs } from './require-blobs.js';
import type { TransportServices } from './shared.js';
import { type UploadAnswer, UploadOnce, uploadKey } from './upload-once.js';

/** Answers POST {base}/jmap/upload/{accountId} (RFC 8620 6.1): stores the body as it arrives. */
export function uploadPage(services: TransportServices): Page {
  const { limits, ids, once, registry } = services;
  const maximum = maxSizeOf(registry.unreferencedBlobs, limits.maxSizeUpload);
  const slots = new Allowance({ share: limits.maxConcurrentUpload });
  return async ({ req, res, params }) => {
    const principal = principalOf(res);
    requireBlobs(services, principal, 'full');
    const account = uploadAccount(principal, params['accountId'] ?? '', services.blobCapability);
    await requireWriter(services, principal, account);
    refuseEncoding(req);
    const length = bodyLength(req);
    if (Number.isFinite(length) && length > maximum) throw tooLarge(services);
    const key = once === undefined ? null : uploadKey(req);
    if (!slots.take(principal.userId)) throw tooMany(limits.maxConcurrentUpload);
    try {
      awaitBody(req, res);
      const blobId = ids.next('b').id;
      const type = typeOf(req);
      const keyed = once && key !== null ? new UploadOnce(key, principal.userId, once) : null;
      const { size } = await store(services, { accountId: account.id, blobId }, req, keyed);
      if (res.headersSent) {
        await services.blobs.delete(account.id, blobId);
        throw new ClientGoneError();
      }
      // Recorded only now that the octets are on disk: a row never points at nothing.
      const answer = { accountId: account.id, blobId, type, size };
      sendJson(res, 200, { ...(await record(services, principal, answer, keyed)) });
    } finally {
      slots.release(principal.userId);
    }
  };
}

/** Throws one 404 for accounts unknown or out of reach, and 403 for a read-only one. */
function uploadAccount(
  principal: Principal,
  accountId: string,
  capability: string | null,
): AccountAccess {
  const account = principal.accounts.get(accountId);
  if (account === undefined || (capability !== null && !accountHas(account, capability))) {
    throw new HttpError(404, 'There is no such account for uploads.');
  }
  if (account.isReadOnly) throw new HttpError(403, 'The account is read-only.');
  return account;
}

/** Throws 403 where the user has no right to write anything in the account. */
async function requireWriter(
  { store, registry, limits }: TransportServices,
  principal: Principal,
  account: AccountAccess,
): Promise<void> {
  const deadline = performance.now() + limits.requestTimeout;
  const may = await mayUpload(account, principal, registry.dataTypes, (userId) =>
    store.read(account.id, { deadline }, (snapshot) => snapshot.sharesHeld(userId)),
  );
  if (!may) throw new HttpError(403, 'You may only read the objects that are shared with you.');
}

/** A header that names no media type counts as none. */
function typeOf(req: IncomingMessage): string {
  const header = req.headers['content-type'] ?? DEFAULT_MEDIA_TYPE;
  return isMediaType(header) ? header : DEFAULT_MEDIA_TYPE;
}

async function store(
  services: TransportServices,
  { accountId, blobId }: BlobPlace,
  req: IncomingMessage,
  keyed: UploadOnce | null,
): Promise<{ readonly size: number }> {
  const { blobs, limits, registry } = services;
  const maximum = maxSizeOf(registry.unreferencedBlobs, limits.maxSizeUpload);
  try {
    return await blobs.write(accountId, blobId, keyed?.read(req) ?? req, maximum);
  } catch (error) {
    if (error instanceof BlobTooLargeError) throw tooLarge(services);
    // Destroyed before its last octet was read: the client left, even where all octets had arrived.
    if (req.destroyed && !req.readableEnded) throw new ClientGoneError();
    throw error;
  }
}

/** Makes the row of a blob. Resolves to its answer, or to the earlier one under the same key. */
async function record(
  services: TransportServices,
  principal: Principal,
  answer: UploadAnswer,
  keyed: UploadOnce | null,
): Promise<UploadAnswer> {
  const { accountId, blobId: id, type, size } = answer;
  const { userId: uploaderId } = principal;
  try {
    // An upload may take long: the token is looked at again before it changes anything.
    const current = await services.authenticator.refresh(principal.credential);
    if (current === null) throw tokenRefused(services.identity.offer);
    const access = current.accounts.get(accountId);
    if (access === undefined) throw new HttpError(404, 'There is no such account any more.');
    requireBlobs(services, current, 'full');
    if (access.isReadOnly) throw new HttpError(403, 'The account is read-only.');
    const deadline = performance.now() + services.limits.requestTimeout;
    const quota = services.registry.unreferencedBlobs;
    const work = async (transaction: Transaction) => {
      if (keyed !== null) return keyed.record(transaction, answer, quota);
      const blobs = [{ id, type, size, uploaderId }];
      return { answer, evicted: await insertWithin(quota, transaction, blobs) };
    };
    const recorded = await services.store.write(accountId, { deadline }, work);
    if (recorded.answer.blobId !== id) await services.blobs.delete(accountId, id);
    await releaseOctets(services, accountId, recorded.evicted);
    return recorded.answer;
  } catch (error) {
    // It may have its row: the sweep takes it where it has none.
    if (!(error instanceof UnknownOutcomeError)) await services.blobs.delete(accountId, id);
    throw error;
  }
}

/** 413, with the body of a request-level `limit` error: of the quota that it is over, if any. */
function tooLarge({ limits, registry }: TransportServices): RequestError {
  const { maxSizeUpload: maximum } = limits;
  const quota = registry.unreferencedBlobs;
  if (quota !== null && quota.limit < maximum) {
    const more = { limit: quota.name, hardLimit: quota.limit, status: 413 };
    return new RequestError('limit', whyOverQuota(quota), more);
  }
  const detail = `The upload is larger than maxSizeUpload (${maximum} octets).`;
  return new RequestError('limit', detail, { limit: 'maxSizeUpload', status: 413 });
}

function tooMany(maximum: number): RequestError {
  const detail = `More than maxConcurrentUpload (${maximum}) uploads of this user run at once.`;
  return new RequestError('limit', detail, { limit: 'maxConcurrentUpload' });
}
