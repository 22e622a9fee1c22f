import { Inheritance } from '../../access/inheritance.js';
import { readHeld } from '../../access/read-view.js';
import { textSteps } from '../../capability/places.js';
import type { CopyArguments, CopyResponse } from '../../capability/standard.js';
import type { Steps } from '../../runtime/paused-work.js';
import { FEW_OBJECTS, runInSlices } from '../../runtime/slices.js';
import type { BlobRow, Snapshot, StoredObject } from '../../store/port.js';
import { accountOf, sourceAccount, typeOf } from '../accounts.js';
import { NewBlobs } from '../blob/call-blobs.js';
import type { MethodBody } from '../context.js';
import type { FollowUp } from '../once.js';
import type { PlannedCreate } from '../set/draft.js';
import { AccessJudge } from '../set/judge-access.js';
import type { SetPlan } from '../set/plan-set.js';
import { sealSecrets } from '../set/secrets.js';
import { runPlanning, sceneOf, writeOptions, writeSet } from '../set/set.js';
import { requireState } from '../states.js';
import { indexOf } from '../type-index.js';
import { formatStateOf, knownTypeOf, stateViewOf, viewOf } from '../view-of-call.js';
import { type CopyScene, draftCopies, inheritedBlobs, planCopy } from './draft-copies.js';

const UNSUPPORTED = 'fromAccountNotSupportedByMethod';

/**
 * Answers Foo/copy (RFC 8620 5.4): reads in a snapshot of the source account, copies the octets of
 * blobs, then creates the objects as a /set of the target account. Destroying the originals is a
 * /set of its own, run right after.
 */
export const copy: MethodBody<CopyArguments> = async (args, context, sent) => {
  const type = typeOf(context);
  const { services, request } = context;
  const { id: accountId } = accountOf(context);
  const { ifInState } = args;
  const from = sourceAccount(args.fromAccountId, context, UNSUPPORTED);
  const index = indexOf(type);
  const known = indexOf(knownTypeOf(context, type));
  const planning = planCopy(index, args.create, { ...sceneOf(context, sent), known });
  const plan = await sealSecrets(await runPlanning(planning, context), context);
  const isLong = request.isLong || plan.creates.length > FEW_OBJECTS;
  // They are read at once, as those of a /get.
  if (isLong) await services.conductor.begin();
  const scene = { plan, from, context };
  const source = await readOriginals(scene, args.ifFromInState);
  const newBlobs = new NewBlobs(context);
  try {
    const blobs = await newBlobs.copyFrom(from.id, source.blobs);
    const drafting = draftCopies({ ...scene, originals: source.objects, blobs });
    const creates = await runPlanning(drafting, context);
    const options = writeOptions(type, context, [], isLong);
    const saving = services.store.write(accountId, options, (transaction) =>
      writeSet(
        { plan: { ...plan, creates }, ifInState, newBlobs: blobs.values(), isLong },
        context,
        transaction,
        (done) => {
          const { oldState, newState, created, notCreated } = done;
          const states = { fromAccountId: from.id, accountId, oldState, newState };
          const response: CopyResponse = { ...states, created, notCreated };
          return { response, followUps: destroysOf(type.name, args, creates, created) };
        },
      ),
    );
    const { answer, unit } = await newBlobs.saved(saving);
    newBlobs.keep(unit.blobs.inserted);
    return answer;
  } finally {
    await newBlobs.discardRowless();
  }
};

/** Returns the /set that destroys the originals of the copies that came to be, if it is wanted. */
function destroysOf(
  typeName: string,
  args: CopyArguments,
  creates: readonly PlannedCreate[],
  created: CopyResponse['created'],
): readonly FollowUp[] {
  if (args.onSuccessDestroyOriginal !== true || created === null) return [];
  const copied = creates.filter(({ key }) => Object.hasOwn(created, key));
  const destroy = new Set(copied.map(({ draft }) => draft.sourceId ?? ''));
  const ifInState = args.destroyFromIfInState ?? null;
  const setArguments = { accountId: args.fromAccountId, ifInState, destroy: [...destroy] };
  return [{ name: `${typeName}/set`, args: setArguments }];
}

/** Returns an original with defaults in place of the values that its reader may not read. */
function withDefaults(
  { index: { blank } }: SetPlan,
  original: StoredObject,
  hidden: ReadonlySet<string>,
): StoredObject {
  const readable = Object.entries(original).filter(([name]) => !hidden.has(name));
  const names = [...hidden].filter((name) => Object.hasOwn(blank, name));
  const defaults = names.map((name) => [name, blank[name]] as const);
  return Object.fromEntries([...readable, ...defaults]) as StoredObject;
}

/**
 * The source account's part of a /copy. The blobs are read after the objects: one that has gone
 * meanwhile is lost to its copy.
 */
interface Originals {
  readonly objects: ReadonlyMap<string, StoredObject>;
  /** The blobs that copies will take along. */
  readonly blobs: readonly BlobRow[];
}

/** RFC 8620 5.4, phase 1. Throws `stateMismatch`. */
async function readOriginals(
  { plan, from, context }: CopyScene,
  ifFromInState: string | null | undefined,
): Promise<Originals> {
  const { type } = plan.index;
  const ids = new Set(plan.creates.flatMap(({ draft }) => draft.sourceId ?? []));
  const { registry, store } = context.services;
  const objects = await store.read(from.id, context, async (snapshot) => {
    const source = { ...context, account: from };
    const view = viewOf(source, type);
    const stateView = stateViewOf(source, type);
    const state =
      stateView === null
        ? await snapshot.stateNumber(type)
        : await snapshot.viewNumber(type, stateView);
    requireState('ifFromInState', ifFromInState, formatStateOf(state, stateView));
    const rows = ids.size === 0 ? [] : await snapshot.get(type, [...ids], type.properties);
    const inheritance = new Inheritance(registry.dataTypes, (...asked) => snapshot.get(...asked));
    const held = view === null ? null : await readHeld(snapshot, view);
    const judge = held === null ? null : new AccessJudge(type, held, inheritance);
    const seen = judge === null ? rows : await judge.visible(rows);
    const { hidden } = knownTypeOf({ ...context, account: from }, type);
    const known = hidden === undefined ? seen : seen.map((row) => withDefaults(plan, row, hidden));
    return new Map(known.map((row) => [row.id, row]));
  });
  // Not in the snapshot: reads that share its connection would wait for each turn.
  const blobIds = await runInSlices(blobsToCopy(plan, objects), context.startSlices());
  const readBlobs = (snapshot: Snapshot) => snapshot.blobs([...blobIds]);
  const blobs = blobIds.size === 0 ? [] : await store.read(from.id, context, readBlobs);
  return { objects, blobs };
}

/** Returns the blobs of originals in properties that the copy doesn't override. */
function* blobsToCopy(
  { index, creates }: SetPlan,
  objects: ReadonlyMap<string, StoredObject>,
): Steps<ReadonlySet<string>> {
  const ids = new Set<string>();
  if (index.blobs.length === 0) return ids;
  for (const { draft } of creates) {
    const original = objects.get(draft.sourceId ?? '');
    if (original === undefined || draft.problems.any) continue;
    yield;
    for (const { name, blobs } of inheritedBlobs(index, draft)) {
      for (const id of yield* textSteps(blobs, original[name])) ids.add(id);
    }
  }
  return ids;
}
