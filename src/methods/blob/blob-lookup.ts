import type { BlobLookupArguments, BlobLookupResponse } from '../../../generated/blob/methods.js';
import { MethodError } from '../../protocol/errors.js';
import { emptyObject } from '../../protocol/json.js';
import { accountHas } from '../../protocol/session.js';
import type { BlobReference, Snapshot } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { Answer, CallContext } from '../context.js';
import { resolveId } from '../creation-ids.js';
import { quoted } from '../issues.js';
import { requireType } from '../judge-reach.js';
import { push } from '../set/relations.js';
import { findVisible } from '../set/visible-ids.js';
import { indexOf, type TypeIndex } from '../type-index.js';
import { viewOf } from '../view-of-call.js';

/**
 * Answers Blob/lookup (RFC 9404 4.3), from the reference records that are kept with every object. A
 * blob that the user can't see has none: it would be visible else. So it looks like one that isn't
 * there, with empty lists.
 */
export async function blobLookup(args: BlobLookupArguments, context: CallContext): Promise<Answer> {
  const account = accountOf(context);
  const { store, limits } = context.services;
  const types = [...new Set(args.typeNames)].map((name) => lookupType(name, context));
  requireFewIds(args.ids, limits.maxObjectsInGet);
  const ids = new Set(args.ids.map((text) => resolveId(text, context.request.createdIds) ?? text));
  const offered = types.filter(({ type }) => accountHas(account, type.capability));
  const names = offered.map(({ type }) => type.name);
  const references =
    ids.size === 0 || names.length === 0
      ? []
      : await store.read(account.id, context, (snapshot) =>
          readReferences(snapshot, [...ids], offered, context),
        );
  const found = new Map<string, string[]>();
  const keyOf = (blobId: string, dataType: string): string => `${dataType} ${blobId}`;
  for (const { blobId, dataType, objectId } of references) {
    push(found, keyOf(blobId, dataType), objectId);
  }
  const list = [...ids].map((id) => {
    const matchedIds = emptyObject<readonly string[]>();
    for (const { type } of types) matchedIds[type.name] = found.get(keyOf(id, type.name)) ?? [];
    return { id, matchedIds };
  });
  return context.admit<BlobLookupResponse>({ accountId: account.id, list, notFound: [] });
}

/** Returns the references of objects that the user sees. */
async function readReferences(
  snapshot: Snapshot,
  ids: readonly string[],
  types: readonly TypeIndex[],
  context: CallContext,
): Promise<readonly BlobReference[]> {
  const names = types.map(({ type }) => type.name);
  const references = await snapshot.blobReferences(ids, names);
  const seen: BlobReference[] = [];
  for (const { type } of types) {
    const own = references.filter(({ dataType }) => dataType === type.name);
    const view = viewOf(context, type);
    if (view === null) {
      seen.push(...own);
      continue;
    }
    const objectIds = [...new Set(own.map(({ objectId }) => objectId))];
    const visible = await findVisible(snapshot, type, view, objectIds);
    seen.push(...own.filter(({ objectId }) => visible.has(objectId)));
  }
  return seen;
}

export function requireFewIds({ length }: readonly string[], maximum: number): void {
  if (length <= maximum) return;
  throw new MethodError('requestTooLarge', `More ids than maxObjectsInGet (${maximum}).`);
}

/**
 * Returns a type that has blobs and whose capability the request uses; any other is
 * `unknownDataType`. A type that the principal doesn't reach is `forbidden`.
 */
function lookupType(name: string, context: CallContext): TypeIndex {
  const type = context.services.registry.dataTypes.get(name);
  const index = type === undefined ? undefined : indexOf(type);
  if (
    index === undefined ||
    !context.request.using.has(index.type.capability) ||
    index.blobs.length === 0
  ) {
    throw new MethodError(
      'unknownDataType',
      `No type ${quoted(name)} of the capabilities in "using" refers to blobs.`,
    );
  }
  requireType(context.request.principal, index.type);
  return index;
}
