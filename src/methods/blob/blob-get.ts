import type { BlobGetArguments } from '../../../generated/blob/methods.types.js';
import { BlobMissingError } from '../../blobs/port.js';
import { MethodError } from '../../protocol/errors.js';
import type { JsonObject } from '../../protocol/json.js';
import type { BlobRow } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';
import { distinctIds } from '../creation-ids.js';
import { requireFewIds } from './blob-lookup.js';
import { type BlobView, parseProperties, range, viewBlob } from './view.js';

interface BlobGetResponse {
  readonly accountId: string;
  readonly list: readonly JsonObject[];
  readonly notFound: readonly string[];
}

/** Blob/get (RFC 9404 4.2). */
export async function blobGet(
  args: BlobGetArguments,
  context: CallContext,
): Promise<BlobGetResponse> {
  const { store, limits } = context.services;
  const account = accountOf(context);
  const asked = args.ids;
  if (asked === null) {
    throw new MethodError('invalidArguments', '"ids" must be a list: all blobs are not offered.');
  }
  requireFewIds(asked, limits.maxObjectsInGet);
  const view = parseProperties(args.properties ?? null, args.offset ?? 0, args.length ?? null);
  const { existing: ids, unresolved } = distinctIds(asked, context.request.createdIds);
  const notFound = new Set(unresolved);
  const { userId } = context.request.principal;
  const rows =
    ids.size === 0
      ? []
      : await store.read(account.id, context, (snapshot) =>
          snapshot.blobs([...ids.keys()], userId),
        );
  const visible = new Map(rows.map((row) => [row.id, row]));
  requireRoom([...visible.values()], view, context);
  const list: JsonObject[] = [];
  for (const [id, text] of ids) {
    const row = visible.get(id);
    const object = row === undefined ? null : await read(row, view, context);
    if (object === null) notFound.add(text);
    else list.push(object);
  }
  return { accountId: account.id, list, notFound: [...notFound] };
}

/** Refuses, before any octet is read, what can't fit into the response. */
function requireRoom(rows: readonly BlobRow[], view: BlobView, context: CallContext): void {
  if (!view.needsData) return;
  let octets = 0;
  for (const row of rows) {
    const { start, end } = range(view, row.size);
    octets += end - start;
  }
  if (octets > context.request.remainingOctets) {
    throw new MethodError(
      'requestTooLarge',
      'The octets asked for are more than a response holds.',
    );
  }
}

/** Null where the blob has been collected since its row was read. */
async function read(
  row: BlobRow,
  view: BlobView,
  context: CallContext,
): Promise<JsonObject | null> {
  try {
    return await viewBlob(row, view, context);
  } catch (error) {
    if (error instanceof BlobMissingError) return null;
    throw error;
  }
}
